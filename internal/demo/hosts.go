package demo

// The hosts of the world that are not one product's chart repository.
const (
	HostQuay     = "quay.example.internal"                 // upstream registry
	HostGHCR     = "ghcr.example.internal"                 // upstream registry
	HostAlias    = "oci.external-secrets.example.internal" // the same external-secrets as HostGHCR, under a name that no mirror covers
	HostMirror   = "registry.example.internal"             // the mirror: quay/… and ghcr/… hold what the upstream registries hold
	HostOCI      = "oci.example.internal"                  // charts as OCI artifacts, under charts/
	HostGit      = "git.example.internal"                  // the git remote
	HostReleases = "releases.example.internal"             // archives that some indexes point at; each answer is a redirect
	HostPrivate  = "charts.private.example.internal"       // a chart repository that wants User and Password
	HostObjects  = "objects.example.internal"              // where those redirects lead
)

// What the private chart repository asks for.
const (
	User     = "demo"
	Password = "demo-password"
)

// style says how an index points at its archives.
type style int

const (
	relative   style = iota // "cilium-1.19.4.tgz", beside the index
	absolute                // "https://HOST/archives/…"
	redirected              // at HostReleases, which redirects to HostObjects, as releases on GitHub do
	private                 // relative, and the host wants User and Password
	moved                   // the index is a redirect to another repository's
	gone                    // the index answers 404
)

// repository is one chart repository over HTTP.
type repository struct {
	host   string
	style  style
	charts []publication
	to     string // where a moved repository's charts are now
}

// publication is a stand-in with the versions that a repository lists besides its own.
type publication struct {
	name   string
	others []string
}

// repositories lists those of the sample fleet, then those that show what else is met.
func repositories() []repository {
	return []repository{
		{host: "charts.cilium.example.internal", style: relative, charts: []publication{{"cilium", []string{"1.19.3", "1.19.6"}}}},
		{host: "charts.cert-manager.example.internal", style: absolute, charts: []publication{{"cert-manager", []string{"v1.17.1", "v1.18.0-beta.0"}}}},
		{host: "charts.external-secrets.example.internal", style: redirected, charts: []publication{{"external-secrets", []string{"0.14.4"}}}},
		{host: "charts.sealed-secrets.example.internal", style: absolute, charts: []publication{{"sealed-secrets", []string{"2.17.0", "2.17.2"}}}},
		{host: "charts.argo-cd.example.internal", style: redirected, charts: []publication{{"argo-cd", []string{"9.3.6"}}}},
		{host: "charts.metrics-server.example.internal", style: relative, charts: []publication{{"metrics-server", []string{"3.13.0"}}}},
		{host: HostPrivate, style: private, charts: []publication{{"podinfo", nil}}},
		{host: "charts.moved.example.internal", style: moved, to: "charts.sealed-secrets.example.internal"},
		{host: "charts.gone.example.internal", style: gone},
	}
}

// ociCharts stand at oci://HostOCI/charts/NAME.
func ociCharts() []publication {
	return []publication{{"podinfo", []string{"6.8.0"}}, {"cert-manager", nil}}
}
