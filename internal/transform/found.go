package transform

import (
	"cmp"
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
	inferred  bool // by what its operators are allowed to do: nobody has stated it
}

// world says who provides what in one environment.
type world map[needs.Fact][]provider

// newWorld collects what the objects provide, and the kinds that operators register at run time.
func newWorld(components []component.Component, bundles []manifest.Bundle) world {
	w := world{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			for _, fact := range needs.Provided(o) {
				w[fact] = append(w[fact], provider{component: b.Name, id: o.ID()})
			}
		}
	}
	for _, c := range components {
		for _, fact := range runtimeKinds(c) {
			w[fact] = append(w[fact], provider{component: c.Name})
		}
	}
	w.infer(bundles)
	return w
}

// infer adds, for kinds that nobody else brings, the components whose operators register them: those whose role names their CRD, and for
// the kinds of its own objects a component with an operator that may register any.
func (w world) infer(bundles []manifest.Bundle) {
	names, anyone := registering(bundles)
	for _, b := range bundles {
		for _, o := range b.Objects {
			id := o.ID()
			kind := needs.Fact{Type: needs.Kind, Group: id.Group, Kind: id.Kind}
			if manifest.Builtin(id.Group, id.Kind) || len(w[kind]) > 0 {
				continue
			}
			for _, by := range names[needs.Plural(id.Kind)+"."+id.Group] {
				w[kind] = append(w[kind], provider{component: by, inferred: true})
			}
			if len(w[kind]) == 0 && anyone[b.Name] {
				w[kind] = []provider{{component: b.Name, inferred: true}}
			}
		}
	}
}

// registering returns the components whose operators register CRDs at run time: by the name of the CRD, and those that may register any.
func registering(bundles []manifest.Bundle) (names map[string][]string, anyone map[string]bool) {
	names, anyone = map[string][]string{}, map[string]bool{}
	grants := grantsOf(bundles)
	for _, b := range bundles {
		for _, o := range b.Objects {
			for _, g := range grants[needs.AccountOf(o)] {
				stated, all := needs.Registers(g.Rule)
				anyone[b.Name] = anyone[b.Name] || all
				for _, name := range stated {
					if !slices.Contains(names[name], b.Name) {
						names[name] = append(names[name], b.Name)
					}
				}
			}
		}
	}
	return names, anyone
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
		if p.inferred {
			edge.Rule = inferredRule // templates cannot have seen it
		}
		edges = append(edges, edge)
	}
	return edges
}

// undeclared returns an error for every component whose objects are of a kind that a component brings which it does not
// declare: templates see the APIs of declared needs only, so the objects depend on the declaration. Where the declaration would close
// a circle, nobody can make it: what needs the kind starts later than the rest, or the circle is the error.
func undeclared(components []component.Component, edges []Edge) []error {
	declared := graph.New[string]()
	for _, c := range components {
		declared.Need(c.Name, c.Needs...)
		if c.With != "" {
			declared.Need(c.Name, c.With)
		}
	}
	whole := wholes(components)
	kinds := graph.New[string]() // declared, or to be declared
	for _, e := range edges {
		if e.Rule == "" || e.Rule == kindRule {
			kinds.Need(whole[e.From], whole[e.To])
		}
	}
	var errs []error
	for _, c := range components {
		reach := declared.Reach(c.Name)
		var told []string
		for _, e := range edges {
			if e.From != c.Name || e.Rule != kindRule || slices.Contains(reach, e.To) || slices.Contains(told, e.To) ||
				slices.Contains(kinds.Reach(whole[e.To]), whole[c.Name]) {
				continue
			}
			told = append(told, e.To)
			errs = append(errs, fmt.Errorf("%s: components.%s.needs: %s is of a kind that %s brings; add `needs: [%s]`, so that its templates see that API",
				c.Origin, whole[c.Name], e.Object, e.To, e.To))
		}
	}
	return errs
}

// wholes returns, for each component, the one that it was split off from, or itself.
func wholes(components []component.Component) map[string]string {
	out := make(map[string]string, len(components))
	for _, c := range components {
		out[c.Name] = cmp.Or(c.Part, c.Name)
	}
	return out
}

// Names of the rules about an object's own kind: one that somebody is known to bring, and one that an operator may register.
const (
	kindRule     = "kind-served"
	inferredRule = "kind-registered"
)
