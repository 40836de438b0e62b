// Package needs says what an object requires to be applied, requires to be healthy and provides; each rule is one value with
// its reason and its source.
package needs

import (
	"cmp"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Stage says what waits for a need.
type Stage int

// The stages.
const (
	Declared Stage = iota // said by a person, about a whole component
	Apply                 // the API server refuses the object without it
	Health                // the object is applied, but does not become healthy without it
)

// String returns the stage as reports name it.
func (s Stage) String() string { return [...]string{"declared", "apply", "health"}[s] }

// Type says what sort of thing a Fact is about.
type Type string

// The types of facts.
const (
	Kind      Type = "kind"      // the API server serves Group/Kind
	Namespace Type = "namespace" // the namespace Name exists
	Exists    Type = "exists"    // the object Group/Kind Namespace/Name exists
	Admission Type = "admission" // the webhook that must admit Group/Kind (here a plural, or "*") answers
	Ability   Type = "ability"   // somebody in the cluster does Name: see the abilities
)

// Abilities that rules know.
const (
	Addresses      = "load-balancer-address" // gives Services of type LoadBalancer an address
	DefaultStorage = "default-storage-class" // provides claims that name no class
)

// Fact is something that becomes true of a cluster. Facts are compared whole; fields that a type does not use are empty.
type Fact struct {
	Type                         Type
	Group, Kind, Namespace, Name string
	Cluster                      string // "" is the one that Argo CD runs in; package needs knows no other
}

// Compare orders facts.
func (f Fact) Compare(other Fact) int {
	return cmp.Or(cmp.Compare(f.Type, other.Type), cmp.Compare(f.Group, other.Group), cmp.Compare(f.Kind, other.Kind),
		cmp.Compare(f.Namespace, other.Namespace), cmp.Compare(f.Name, other.Name), cmp.Compare(f.Cluster, other.Cluster))
}

// String names the fact as reports do.
func (f Fact) String() string {
	switch f.Type {
	case Kind:
		return "kind " + dotted(f.Kind, f.Group)
	case Admission:
		return "admission of " + dotted(f.Kind, f.Group)
	case Exists:
		return manifest.ID{Group: f.Group, Kind: f.Kind, Namespace: f.Namespace, Name: f.Name}.String()
	}
	return string(f.Type) + " " + f.Name
}

func dotted(kind, group string) string {
	if group == "" {
		return kind
	}
	return kind + "." + group
}

// Need is one fact that an object requires, and the rule that says so.
type Need struct {
	Fact Fact
	Rule *Rule
}

// Rule says what some objects require.
type Rule struct {
	Name   string // stable, for reports and waivers
	Stage  Stage
	Reason string // a clause whose subject is the object
	Source string // who says so
	// IfAny rules ask for nothing where nobody provides the fact: a webhook that does not exist admits everything.
	IfAny bool
	// Facts returns what the object requires by this rule; nothing where the rule is not about it.
	Facts func(manifest.Object) []Fact
}

// Provision says what some objects provide once they are there (and, for what a controller makes of them, healthy).
type Provision struct {
	Name   string
	Source string
	Facts  func(manifest.Object) []Fact
}

// Of returns what the object requires, by rule in the order of Rules, then by fact. An object that no sync applies needs nothing.
func Of(o manifest.Object) []Need {
	if len(argocd.Phases(o)) == 0 {
		return nil
	}
	var list []Need
	for i := range rules {
		for _, fact := range sorted(rules[i].Facts(o)) {
			list = append(list, Need{fact, &rules[i]})
		}
	}
	return list
}

// Provided returns the facts that the object provides, sorted, each once. An object that no sync applies provides nothing.
func Provided(o manifest.Object) []Fact {
	if len(argocd.Phases(o)) == 0 {
		return nil
	}
	var facts []Fact
	for _, p := range provisions {
		facts = append(facts, p.Facts(o)...)
	}
	return sorted(facts)
}

// Rules returns a copy of the table of rules.
func Rules() []Rule { return slices.Clone(rules) }

// Provisions returns a copy of the table of provisions.
func Provisions() []Provision { return slices.Clone(provisions) }

func sorted(facts []Fact) []Fact {
	slices.SortFunc(facts, Fact.Compare)
	return slices.Compact(facts)
}
