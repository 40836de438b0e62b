// Package environment holds one environment, loaded strictly from an fs.FS, layered, with every mistake reported at once
// and a position for every path.
package environment

import (
	"fmt"
	"net/netip"
)

// Origin is the place in the model that a value comes from. Its zero value means "a component's own default".
type Origin struct {
	Layer        string // "fleet", "group test", "site dc1", "environment lab", or "component cilium" for a built-in default
	File         string // slash-separated, relative to the model's folder
	Line, Column int    // from 1
}

// String returns "file:line:column", or the layer where there is no file.
func (o Origin) String() string {
	if o.File == "" {
		return o.Layer
	}
	return fmt.Sprintf("%s:%d:%d", o.File, o.Line, o.Column)
}

// Environment is one cluster's resolved model: layers applied, facts checked. Nobody changes it after Load.
type Environment struct {
	Name       string
	Groups     []string // as declared: later ones win
	Site       string
	Rebuilt    string // "often" or "seldom"
	Versions   Versions
	Git        Git // Path with {env} filled in
	ArgoCD     ArgoCD
	Rollout    string // "tracked" (children track the branch) or "ordered"
	Facts      Facts
	Components []Component // enabled ones, sorted by name

	File string         // the environment's own file
	Tree map[string]any // facts as a plain tree: what ${facts.…} reads
}

// Missing returns the error for a fact that nobody stated: fact is its path ("facts.loadBalancer"), decides says what it decides.
func (e *Environment) Missing(fact, decides string) error {
	return fmt.Errorf("%s:1:1: %s: missing: it decides %s; state it in this file, or in a site that this file names", e.File, fact, decides)
}

// Versions are the exact versions that stand outside charts.
type Versions struct {
	Talos      string `json:"talos,omitempty"`
	Kubernetes string `json:"kubernetes"`
	ArgoCD     string `json:"argocd,omitempty"` // only where Argo CD is no component of this environment
}

// Git says where output is committed, and thus what Argo CD reads.
type Git struct {
	URL    string `json:"url"`
	Branch string `json:"branch"`         // {env} is filled in
	Path   string `json:"path,omitempty"` // {env} is filled in; the folder that is output/<env> in the repository Argo CD reads
	Mode   string `json:"mode,omitempty"` // "same-branch" (output in the pull request) or "output-branch" (only the bot writes it)
	// SourceBranch is what an output branch is rendered from; meaningless for same-branch.
	SourceBranch string `json:"sourceBranch,omitempty"`
}

// ArgoCD says which Argo CD serves the environment.
type ArgoCD struct {
	In        string `json:"in"`                  // "cluster", "hub" or "none"
	Namespace string `json:"namespace,omitempty"` // default argocd
	Cluster   string `json:"cluster,omitempty"`   // hub only: the name under which this cluster is registered there
	Hub       string `json:"hub,omitempty"`       // hub only: the environment that runs the hub
}

// Facts are claims about surroundings: never defaulted, inherited or copied. A nil pointer or empty list is a fact nobody stated.
type Facts struct {
	Domain       string        `json:"domain,omitempty"`
	Network      *Network      `json:"network,omitempty"`
	ControlPlane *ControlPlane `json:"controlPlane,omitempty"`
	Nodes        []Node        `json:"nodes,omitempty"`
	LoadBalancer *LoadBalancer `json:"loadBalancer,omitempty"`
	FrontProxy   *FrontProxy   `json:"frontProxy,omitempty"` // `frontProxy: none` is a FrontProxy with Protocol "none"
	Mirrors      []Mirror      `json:"mirrors,omitempty"`
	NTP          []string      `json:"ntp,omitempty"`
	Vault        *Vault        `json:"vault,omitempty"`
	ACME         *ACME         `json:"acme,omitempty"`
	// Own holds facts of the fleet's own naming (facts.own.…), for ${facts.own.…}.
	Own map[string]any `json:"own,omitempty"`
}

// Network holds the subnets and resolvers.
type Network struct {
	Nodes    netip.Prefix `json:"nodes"`
	Gateway  netip.Addr   `json:"gateway"`
	Pods     netip.Prefix `json:"pods"`
	Services netip.Prefix `json:"services"`
	DNS      []netip.Addr `json:"dns"`
}

// ControlPlane says where the API server answers.
type ControlPlane struct {
	Endpoint string     `json:"endpoint"` // https://host:port
	VIP      netip.Addr `json:"vip"`
}

// Node is one machine.
type Node struct {
	Name    string       `json:"name"`
	Role    string       `json:"role"` // "controlplane" or "worker"
	Address netip.Prefix `json:"address"`
	Link    string       `json:"link"`
	Disk    string       `json:"disk"`
	Arch    string       `json:"arch,omitempty"` // amd64 where it says nothing
}

// LoadBalancer is the pool for Services of type LoadBalancer and how it is announced.
type LoadBalancer struct {
	Addresses []netip.Prefix `json:"addresses"`
	Announce  Announce       `json:"announce"`
}

// Announce holds exactly one way.
type Announce struct {
	L2  *L2  `json:"l2,omitempty"`
	BGP *BGP `json:"bgp,omitempty"`
}

// L2 announces by ARP and NDP on links whose names match one of the regular expressions.
type L2 struct {
	Links []string `json:"links"`
}

// BGP announces to the peers.
type BGP struct {
	ASN   int64  `json:"asn"`
	Peers []Peer `json:"peers"`
}

// Peer is a BGP neighbour.
type Peer struct {
	Address netip.Addr `json:"address"`
	ASN     int64      `json:"asn"`
}

// FrontProxy is the machine before the load balancer, or the claim that there is none.
type FrontProxy struct {
	Protocol string         `json:"protocol"`       // "none", "plain", "proxy-v1" or "proxy-v2"
	From     []netip.Prefix `json:"from,omitempty"` // whom the PROXY header is believed
}

// Mirror is one entry of the mirror map; `mirrors.yaml` of the image filter is a list of these.
type Mirror struct {
	Source       string `json:"source"`                 // host, or host/prefix: docker.io, ghcr.io/org
	Endpoint     string `json:"endpoint"`               // https://registry.example.internal
	Path         string `json:"path,omitempty"`         // put before the repository at the endpoint
	Kind         string `json:"kind"`                   // "transparent" (the node redirects) or "explicit" (the name is rewritten)
	OverridePath bool   `json:"overridePath,omitempty"` // transparent only: no /v2 is added to the endpoint's path
	Tags         *bool  `json:"tags,omitempty"`         // whether the mirror resolves tags; true where it says nothing
	Insecure     bool   `json:"insecure,omitempty"`     // plain http is meant
}

// Vault says where secrets come from.
type Vault struct {
	Address string `json:"address"`
	Mount   string `json:"mount"`          // this cluster's own auth mount
	Role    string `json:"role,omitempty"` // this cluster's own role; "<env>-external-secrets" where it says nothing
	Path    string `json:"path"`           // the KV mount of the secrets
}

// ACME says who issues certificates and how it looks at the domain.
type ACME struct {
	Server string `json:"server"`
	Email  string `json:"email"`
	Solver string `json:"solver"` // "http01" or "dns01"
	// DNS01 is the solver's body as cert-manager has it, for dns01.
	DNS01 map[string]any `json:"dns01,omitempty"`
}

// Component is one component as the layers declare it, before its Definition adds its own defaults.
type Component struct {
	Name          string
	Chart         *Chart
	Kustomization string // folder in the model's folder
	Manifests     string // folder or file in the model's folder
	Namespace     string
	Release       string
	Needs         []string
	APIVersions   []string
	Hooks         string // "keep", "drop" or "" (keep)
	AllowEmpty    bool
	Wave          *int
	Values        []Values // lowest layer first; a layer's valuesFiles stand before its values
	Patches       []Patch
	Objects       []Added
	Remove        []Selector
	IgnoreDiffs   []IgnoreDifference
	Application   map[string]any // merged over layers
	AllowSecrets  []AllowedSecret
	Scopes        map[string]string // "Kind.group" to "Cluster" or "Namespaced", where no CRD of the output says it
	Origin        Origin
}

// Chart names a chart: an HTTP repository, an OCI repository (oci://…), a git repository or a local path.
type Chart struct {
	Repo    string   `json:"repo,omitempty"`    // https://…, oci://…; the folder of charts
	Name    string   `json:"name,omitempty"`    // default: the component's name
	Version string   `json:"version,omitempty"` // exact
	Path    string   `json:"path,omitempty"`    // a folder or archive in the model's folder
	Git     *GitRepo `json:"git,omitempty"`
}

// GitRepo is a chart in a git repository.
type GitRepo struct {
	URL  string `json:"url"`
	Ref  string `json:"ref"` // tag, branch or commit
	Path string `json:"path,omitempty"`
}

// Values is one layer of a component's values.
type Values struct {
	Origin    Origin
	Tree      map[string]any
	Positions map[string]Origin // dotted path (see PathString) to where it stands
}

// Patch changes objects that match; one that matches nothing is an error.
type Patch struct {
	Target Selector
	Merge  map[string]any // strategic merge patch
	JSON   []any          // JSON6902 operations
	Origin Origin
}

// Added is one object that the model adds.
type Added struct {
	Object map[string]any
	Origin Origin
}

// Selector matches objects: empty fields match all; name and namespace may hold * as in path.Match.
type Selector struct {
	Group, Version, Kind, Name, Namespace string
	Origin                                Origin
}

// IgnoreDifference is one entry of an Application's ignoreDifferences, with its place.
type IgnoreDifference struct {
	Group, Kind, Name, Namespace                           string
	JSONPointers, JQPathExpressions, ManagedFieldsManagers []string
	Origin                                                 Origin
}

// AllowedSecret lets one plain Secret into the output.
type AllowedSecret struct {
	Namespace, Name, Reason string
	Origin                  Origin
}
