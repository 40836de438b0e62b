// Package transform holds pure filters over the bundles of one environment: namespaces, waves, what is kept on removal, health and Applications.
package transform

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// Edge says that one component needs another, and why.
type Edge struct {
	From, To string      // From needs To
	Rule     string      // the rule that found it, or "" where the model or the built-in component declares it
	Stage    needs.Stage // what of From waits: its applies or its health
	Reason   string      // why, as a clause
	Object   manifest.ID // the object of From that needs; zero where it is declared
	Provider manifest.ID // the object of To that provides; zero where it is declared
}

// String explains the edge in one line.
func (e Edge) String() string {
	switch {
	case e.Rule == "":
		return fmt.Sprintf("%s needs %s: declared", e.From, e.To)
	case e.Object == (manifest.ID{}):
		return fmt.Sprintf("%s needs %s: %s", e.From, e.To, e.Reason)
	case e.Provider == (manifest.ID{}):
		return fmt.Sprintf("%s needs %s: %s %s", e.From, e.To, e.Object, e.Reason)
	}
	return fmt.Sprintf("%s needs %s: %s %s (%s)", e.From, e.To, e.Object, e.Reason, e.Provider)
}

// Order is the order in which an environment's components start.
type Order struct {
	Waves   map[string]int    // the wave of each component's Application
	Edges   []Edge            // every need between components, sorted
	Owners  map[string]string // namespace to the component whose Application makes it; see NamespaceObjects
	Notices []Notice
}

// Waves computes the wave of every component: the least that lies above the waves of all that it needs, declared or found in
// the objects; components joined by With share one. A wave set by hand is a constraint. Cycles and contradictions are errors
// that name the components and the objects which make each edge; all are reported at once.
//
// Objects are those that Namespaces returned. A namespace that no component brings is owned by the first component that lives
// in it, by wave, then by name; the others start after the owner.
func Waves(t Target, components []component.Component, bundles []manifest.Bundle) (Order, error) {
	edges := slices.Concat(declaredEdges(components), foundEdges(components, bundles))
	order, err := solve(components, edges)
	if err != nil {
		return Order{}, err
	}
	order, edges, _ = withMore(order, components, edges, partEdges(components))
	order.Owners = owners(t, order, groups(components), bundles)
	order, _, left := withMore(order, components, edges, ownerEdges(t, order, bundles))
	for _, e := range left {
		order.Notices = append(order.Notices, unordered(e))
	}
	slices.SortFunc(order.Notices, compareNotices)
	return order, nil
}

// withMore solves again with edges that hold where nothing contradicts them: waves set by hand, or, for what was split off, other needs.
// It returns the order, all edges that hold in it, and those that do not.
func withMore(order Order, components []component.Component, edges, more []Edge) (Order, []Edge, []Edge) {
	if len(more) == 0 {
		return order, edges, nil
	}
	if again, err := solve(components, slices.Concat(edges, more)); err == nil {
		again.Owners = order.Owners
		return again, slices.Concat(edges, more), nil
	}
	var left []Edge
	for _, e := range more {
		next, err := solve(components, append(slices.Clone(edges), e))
		if err != nil {
			left = append(left, e)
			continue
		}
		edges = append(edges, e)
		next.Owners = order.Owners
		order = next
	}
	return order, edges, left
}

// partRule is the name of the edges that follow from a split alone.
const partRule = "split-off"

// partEdges returns an edge from everything that is said to need a component to what was split off from it: who needs a component
// means all of it.
func partEdges(components []component.Component) []Edge {
	parts := map[string]string{}
	for _, c := range components {
		if c.Part != "" {
			parts[c.Part] = c.Name
		}
	}
	var edges []Edge
	for _, c := range components {
		for _, need := range c.Needs {
			if part := parts[need]; part != "" && part != c.Name {
				edges = append(edges, Edge{From: c.Name, To: part, Rule: partRule, Reason: "declared of " + need + ", from which it is split off"})
			}
		}
	}
	return edges
}

// solve sorts the edges and assigns waves by them.
func solve(components []component.Component, edges []Edge) (Order, error) {
	edges = slices.SortedFunc(slices.Values(edges), compareEdges)
	edges = slices.Compact(edges)
	s := newSolver(components, edges)
	s.errors = append(s.errors, undeclared(components, edges)...)
	waves, err := s.solve()
	if err != nil {
		return Order{}, err
	}
	return Order{Waves: waves, Edges: edges}, nil
}

func compareEdges(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Stage, b.Stage),
		a.Object.Compare(b.Object), a.Provider.Compare(b.Provider), cmp.Compare(a.Reason, b.Reason))
}

// declaredEdges returns an edge for every need that the components declare.
func declaredEdges(components []component.Component) []Edge {
	var edges []Edge
	for _, c := range components {
		for _, need := range c.Needs {
			e := Edge{From: c.Name, To: need}
			if need == c.Part {
				e.Rule, e.Reason = partRule, "what is split off from it waits until it runs"
			}
			edges = append(edges, e)
		}
	}
	return edges
}

// Names returns the components of the order by wave, then by name.
func (o Order) Names() []string {
	return slices.SortedFunc(maps.Keys(o.Waves), func(a, b string) int {
		return cmp.Or(cmp.Compare(o.Waves[a], o.Waves[b]), cmp.Compare(a, b))
	})
}
