// Package component says how a component looks in an environment: a Definition is the product's knowledge, Resolve joins
// it with the model and gives the sorted components.
package component

import (
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Definition is a built-in component: what is known of a product that no model should have to repeat.
type Definition struct {
	Name      string // the component's name in the model
	Doc       string // one sentence: what it is and what it derives from facts
	Chart     string // the chart's name in its repository, where it is not Name
	Repo      string // where its project publishes the chart: what the error for a missing chart tells to write
	Namespace string
	// Build is pure. It returns environment.Environment.Missing errors, joined, for facts that it needs and nobody stated.
	Build func(*environment.Environment) (Parts, error)
}

// Parts is what a Definition contributes in one environment.
type Parts struct {
	Values      map[string]any            // the component's own default values, lowest layer
	DecidedBy   map[string]string         // path in Values to the fact that decides what is there and below ("facts.frontProxy"): what explain names
	Objects     []manifest.Object         // applied together with the chart's objects
	Config      []manifest.Object         // need the component running: they become the component NAME-config
	Together    bool                      // NAME-config starts in NAME's own wave, because NAME's health needs it (LoadBalancer pool)
	Needs       []string                  // components that must run before; names absent from the environment are ignored
	ConfigNeeds []string                  // the same for NAME-config, besides NAME itself
	APIVersions []string                  // what its operators register at run time: "cilium.io/v2", "cilium.io/v2/CiliumLoadBalancerIPPool"
	Scopes      map[string]string         // "Kind.group" to "Cluster" or "Namespaced" for those kinds, since no CRD of the output says it
	IgnoreDiffs []argocd.IgnoreDifference // fields that the product itself writes
}

// Component is one component of one environment, ready to be rendered. Its values are read-only.
type Component struct {
	Environment  string
	Name         string
	Namespace    string
	Release      string
	Source       Source
	Values       []environment.Values // lowest layer first, the Definition's own first of all
	Merged       map[string]any       // Values merged as Helm merges them; nulls kept, so that Helm removes the chart's default
	Own          []manifest.Object    // added by the Definition; patches and removals reach them as they reach the chart's objects
	Objects      []manifest.Object    // added by the model, references filled in; nothing changes them
	Patches      []environment.Patch
	Remove       []environment.Selector
	KeepHooks    bool
	AllowEmpty   bool
	Removal      string // "objects" or "everything": its Application takes them along when it goes; "": it stays
	AllowSecrets []environment.AllowedSecret
	Scopes       map[string]string
	IgnoreDiffs  []argocd.IgnoreDifference
	Application  map[string]any
	Needs        []string // direct, sorted, only components of this environment
	With         string   // the component whose wave it shares, or ""
	Whole        bool     // it is never split
	Part         string   // the component that it was split off from after rendering, or ""
	Wave         *int     // set by hand
	KubeVersion  string
	APIVersions  []string // declared by the model for this component, sorted
	Provides     []string // APIVersions that its operators register at run time
	Origin       environment.Origin
}

// Source is where a component's objects come from: at most one field is set; none means that its Objects are all.
type Source struct {
	Chart         *environment.Chart
	Kustomization string
	Manifests     string
}
