// Package environment holds one environment, loaded strictly from an fs.FS, layered, with every mistake reported at once
// and a position for every path.
package environment

import (
	"cmp"
	"fmt"
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

// Compare orders places by file, line and column.
func (o Origin) Compare(other Origin) int {
	return cmp.Or(
		cmp.Compare(o.File, other.File),
		cmp.Compare(o.Line, other.Line),
		cmp.Compare(o.Column, other.Column),
	)
}

// Environment is one cluster's resolved model: layers applied, facts checked. Nobody changes it after Load.
type Environment struct {
	Name        string
	Groups      []string // as declared: later ones win
	Site        string
	Rebuilt     string // "often" or "seldom"
	Versions    Versions
	Git         Git // Path with {env} filled in
	ArgoCD      ArgoCD
	Rollout     string // "tracked" (children track the branch) or "ordered"
	Facts       Facts
	Given       []Given       // as declared
	Components  []Component   // enabled ones, sorted by name
	ImageFields []ImageFields // as the fleet declares them

	File string         // the environment's own file
	Tree map[string]any // facts as a plain tree: what ${facts.…} reads

	// Positions says where each path of the environment's own file stands ("name", "groups[0]", "versions.kubernetes"), and
	// each fact ("facts.nodes[0].address"), those of the site among them, and each entry of the fleet's imageFields.
	Positions map[string]Origin
}

// Missing returns the Mistake for a fact that nobody stated: fact is its path ("facts.loadBalancer"), decides says what it
// decides.
func (e *Environment) Missing(fact, decides string) error {
	at, ok := e.Positions["facts"]
	if !ok || at.File != e.File {
		at = Origin{"environment " + e.Name, e.File, 1, 1}
	}
	return Mistake{at, fact, missingFact(decides)}
}

// Wrong returns the Mistake for a fact, or another path of the environment's file, that cannot hold here, with its place;
// message says what, why, and what to do.
func (e *Environment) Wrong(path, message string) error {
	for above := path; above != ""; above = parentPath(above) {
		if at, ok := e.Positions[above]; ok {
			return Mistake{at, path, message}
		}
	}
	return Mistake{Origin{"environment " + e.Name, e.File, 1, 1}, path, message}
}

// missingFact is the message for a fact that nobody stated.
func missingFact(decides string) string {
	return "missing: it decides " + decides + "; state it in this file, or in a site that this file names"
}

// Versions are the exact versions that stand outside charts.
type Versions struct {
	Talos      string `json:"talos,omitempty" doc:"The Talos version, exact: 1.13.6."`
	Kubernetes string `json:"kubernetes,omitempty" doc:"The Kubernetes version, exact: 1.36.2."`
	ArgoCD     string `json:"argocd,omitempty" doc:"The Argo CD version, only where Argo CD is no component of the environment."`
}

// Given is one fact that the cold-start proof takes for granted in this environment.
type Given struct {
	Fact    string `json:"fact" doc:"The fact, as gen prove names it: ability load-balancer-address, Secret team/token."`
	Reason  string `json:"reason,omitempty" doc:"Why it holds before the start. Without reason and owner it counts as unreviewed."`
	Owner   string `json:"owner,omitempty" doc:"Who sees to it."`
	Expires string `json:"expires,omitempty" doc:"When somebody looks at it again, YYYY-MM-DD."`
}

// Git says where output is committed, and thus what Argo CD reads.
type Git struct {
	URL    string `json:"url" doc:"The repository that Argo CD reads."`
	Branch string `json:"branch" doc:"The branch that Argo CD reads; {env} stands for the environment's name."`
	Path   string `json:"path,omitempty" doc:"The folder of one environment's output in that repository; {env} stands for its name. output/{env} where it says nothing."`
	Mode   string `json:"mode,omitempty" doc:"same-branch: output is committed with its source, in the pull request. output-branch: only the bot writes the branch. same-branch where it says nothing." enum:"same-branch|output-branch"`
	// SourceBranch is what an output branch is rendered from; meaningless for same-branch.
	SourceBranch string `json:"sourceBranch,omitempty" doc:"output-branch only: the branch that holds the model."`
	// ReleaseBranch is read by the roots of environments with rollout: ordered, and by nobody else.
	ReleaseBranch string `json:"releaseBranch,omitempty" doc:"rollout: ordered only: the branch that gen release writes and the root reads; {env} stands for the environment's name. release/{env} where it says nothing."`
}

// ArgoCD says which Argo CD serves the environment.
type ArgoCD struct {
	In        string `json:"in,omitempty" doc:"Where Argo CD runs: in the cluster itself, in a hub, or nowhere (manifests only)." enum:"cluster|hub|none"`
	Namespace string `json:"namespace,omitempty" doc:"Argo CD's namespace; argocd where it says nothing."`
	Cluster   string `json:"cluster,omitempty" doc:"hub only: the name under which this cluster is registered there; {env} stands for the environment's name."`
	Hub       string `json:"hub,omitempty" doc:"hub only: the environment that runs the hub; leave it out where the hub is none of this fleet."`
	// SyncTimeout is text, since none is one of its values; SyncLimit reads it.
	SyncTimeout string `json:"syncTimeout,omitempty" doc:"cluster only: after how long, all attempts counted, Argo CD ends an operation by itself, such as 36h; it does not try that commit again. none: never. 24h where it says nothing."`
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
	Removal       string // "objects", "everything" or "": the component stays
	Split         string // "needed", "never" or "" (needed)
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
	Repo    string   `json:"repo,omitempty" doc:"Where the chart is published: https://… (the folder of index.yaml) or oci://… (the folder of charts)."`
	Name    string   `json:"name,omitempty" doc:"The chart's name in its repository; the component's name where it says nothing."`
	Version string   `json:"version,omitempty" doc:"The chart's exact version."`
	Path    string   `json:"path,omitempty" doc:"A chart's folder or archive in the model's folder."`
	Git     *GitRepo `json:"git,omitempty" doc:"A chart in a git repository."`
}

// GitRepo is a chart in a git repository.
type GitRepo struct {
	URL  string `json:"url" doc:"The repository."`
	Ref  string `json:"ref" doc:"A tag, a branch or a commit; the lock pins its content."`
	Path string `json:"path,omitempty" doc:"The chart's folder in the repository."`
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
