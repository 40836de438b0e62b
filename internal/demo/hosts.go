package demo

// The hosts of the world that serve more than one chart repository's files.
const (
	HostQuay     = "quay.example.internal"                 // upstream registry
	HostGHCR     = "ghcr.example.internal"                 // upstream registry
	HostAlias    = "oci.external-secrets.example.internal" // the same external-secrets as HostGHCR, under a name that no mirror covers
	HostMirror   = "registry.example.internal"             // the mirror: quay/… and ghcr/… hold what the upstream registries hold
	HostOCI      = "oci.example.internal"                  // charts as OCI artifacts, under charts/
	HostGit      = "git.example.internal"                  // the git remote
	HostReleases = "releases.example.internal"             // archives that some indexes point at; each answer is a redirect
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
	moved                   // the index answers with a redirect to the repository that bears the charts now
	gone                    // the index answers 404
)

// repository is one chart repository over HTTP.
type repository struct {
	host   string
	style  style
	charts []publication
	to     string // where a moved repository's requests go
}

// publication is a stand-in with the versions that a repository lists besides its own.
type publication struct {
	name   string
	others []string
}

// The chart repositories; what real projects do stands beside each style.
var repositories = []repository{
	{host: "charts.cilium.example.internal", style: relative},
	{host: "charts.metrics-server.example.internal", style: relative, charts: []publication{{"metrics-server", []string{"3.13.1"}}}},
	{host: "charts.moved.example.internal", style: moved, to: "charts.metrics-server.example.internal"},
	{host: "charts.gone.example.internal", style: gone},
}

// ociCharts stand at oci://HostOCI/charts/NAME.
var ociCharts = []publication{{"metrics-server", nil}}
