package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/graph"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// provider is an object of a component that provides something. Its ID is zero where the component's operators provide it at
// run time.
type provider struct {
	component string
	id        manifest.ID
}

// world says who provides what in one environment.
type world map[needs.Fact][]provider

// newWorld collects what the objects provide, and the kinds that operators register at run time.
func newWorld(components []component.Component, bundles []manifest.Bundle) world {
	w := world{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			for _, fact := range needs.Provided(o) {
				w[fact] = append(w[fact], provider{b.Name, o.ID()})
			}
		}
	}
	for _, c := range components {
		for _, fact := range runtimeKinds(c) {
			w[fact] = append(w[fact], provider{component: c.Name})
		}
	}
	return w
}

// runtimeKinds returns the kinds that a component's operators register: of Provides, the entries with a kind.
func runtimeKinds(c component.Component) []needs.Fact {
	var facts []needs.Fact
	for _, api := range c.Provides {
		if parts := strings.Split(api, "/"); len(parts) == 3 {
			facts = append(facts, needs.Fact{Type: needs.Kind, Group: parts[0], Kind: parts[2]})
		}
	}
	return facts
}

// foundEdges returns an edge for every need of an object that only objects of other components provide. What nobody
// provides makes no edge: it is there before the start, or the proof finds it missing.
func foundEdges(components []component.Component, bundles []manifest.Bundle) []Edge {
	w := newWorld(components, bundles)
	var edges []Edge
	for _, b := range bundles {
		for _, o := range b.Objects {
			for _, need := range needs.Of(o) {
				edges = append(edges, w.edges(b.Name, o.ID(), need)...)
			}
		}
	}
	return edges
}

// edges returns the edges that one need of an object of from makes: none where from provides it itself, but for webhooks, all
// of which have to answer.
func (w world) edges(from string, object manifest.ID, need needs.Need) []Edge {
	providers := w[need.Fact]
	own := slices.ContainsFunc(providers, func(p provider) bool { return p.component == from })
	if own && !need.Rule.IfAny {
		return nil
	}
	var edges []Edge
	for _, p := range providers {
		if p.component == from {
			continue
		}
		edge := Edge{
			From: from, To: p.component, Rule: need.Rule.Name, Stage: need.Rule.Stage,
			Reason: need.Rule.Reason, Object: object, Provider: p.id,
		}
		if p.id == (manifest.ID{}) {
			edge.Reason = "is of a kind that an operator of " + p.component + " registers"
		}
		edges = append(edges, edge)
	}
	return edges
}

// undeclared returns an error for every component whose objects are of a kind that a component brings which it does not
// declare: templates see the APIs of declared needs only, so the objects depend on the declaration.
func undeclared(components []component.Component, edges []Edge) []error {
	declared := graph.New[string]()
	for _, c := range components {
		declared.Need(c.Name, c.Needs...)
		if c.With != "" {
			declared.Need(c.Name, c.With)
		}
	}
	var errs []error
	for _, c := range components {
		reach := declared.Reach(c.Name)
		var told []string
		for _, e := range edges {
			if e.From != c.Name || e.Rule != kindRule || slices.Contains(reach, e.To) || slices.Contains(told, e.To) {
				continue
			}
			told = append(told, e.To)
			errs = append(errs, fmt.Errorf("%s: components.%s.needs: %s is of a kind that %s brings; add `needs: [%s]`, so that its templates see that API",
				c.Origin, c.Name, e.Object, e.To, e.To))
		}
	}
	return errs
}

// kindRule is the name of the rule about an object's own kind.
const kindRule = "kind-served"
