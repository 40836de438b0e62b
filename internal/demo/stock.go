package demo

// stocked is one image and where it stands.
type stocked struct {
	host, repository, tag string
	at                    At
}

// stock lists every image of the world, with the paths and tags of the real ones: first what the sample fleet uses, then what
// is wrong on purpose and used by nothing.
var stock = []stocked{
	{HostAlias, "external-secrets/external-secrets", "v0.14.3", Uncovered},
	{HostGHCR, "external-secrets/external-secrets", "v0.14.3", Same},
	{HostGHCR, "metrics-server/metrics-server", "v0.8.0", Same},

	{HostQuay, "demo/missing", "v1", Missing},
	{HostQuay, "demo/different", "v1", Different},
	{HostGHCR, "demo/sparse", "v1", Sparse},
}
