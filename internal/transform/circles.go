package transform

import (
	"cmp"
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// breakCircle takes one circle of components away, the shortest that can be, and reports whether it found one.
func (c *cutter) breakCircle() bool {
	p := c.parts()
	edges := slices.Concat(declaredEdges(p.Components), foundEdges(p.Components, p.Bundles))
	s := newSolver(p.Components, slices.SortedFunc(slices.Values(edges), compareEdges))
	_, cycles := s.graph.Levels()
	for _, cycle := range cycles {
		if c.startTogether(s, cycle, p) || c.cut(s, cycle) {
			return true
		}
	}
	return false
}

// between returns the edges from one group to another.
func (s *solver) between(from, to string) []Edge {
	var out []Edge
	for _, e := range s.edges {
		if s.group[e.From] == from && s.group[e.To] == to {
			out = append(out, e)
		}
	}
	return out
}

// startTogether lets the components of a circle share a wave where they wait for each other's health only: their objects
// can all be applied at once, and each is healthy once the others are there. Components that live in one namespace, which one of them
// would have to make first, cannot.
func (c *cutter) startTogether(s *solver, cycle []string, p Parts) bool {
	for i, from := range cycle {
		for _, e := range s.between(from, cycle[(i+1)%len(cycle)]) {
			if e.Stage != needs.Health || c.components[e.From].Name == "" {
				return false
			}
		}
	}
	var names []string
	for name, group := range s.group {
		if slices.Contains(cycle, group) {
			names = append(names, name)
		}
	}
	if shareNamespace(names, p.Bundles) {
		return false
	}
	for _, group := range cycle[1:] {
		c.with[group] = cycle[0]
	}
	return true
}

// shareNamespace reports whether two of the components live in a namespace that none of the environment brings as an object.
func shareNamespace(names []string, bundles []manifest.Bundle) bool {
	brought := map[string]bool{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			brought[o.ID().Name] = brought[o.ID().Name] || isNamespace(o)
		}
	}
	for namespace, users := range usersOf(bundles) {
		here := slices.DeleteFunc(slices.Clone(users), func(name string) bool { return !slices.Contains(names, name) })
		if len(here) > 1 && !given[namespace] && !brought[namespace] {
			return true
		}
	}
	return false
}

// candidate is one way to take a circle away.
type candidate struct {
	component string
	set       map[manifest.ID]string
	workloads int
}

// cut moves what closes a circle out of one of its components: where fewest workloads move, then fewest objects.
func (c *cutter) cut(s *solver, cycle []string) bool {
	var ways []candidate
	for i, name := range cycle {
		before, after := cycle[(i+len(cycle)-1)%len(cycle)], cycle[(i+1)%len(cycle)]
		if way, ok := c.way(name, s.between(before, name), s.between(name, after)); ok {
			ways = append(ways, way)
		}
	}
	if len(ways) == 0 {
		return false
	}
	best := slices.MinFunc(ways, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.workloads, b.workloads), cmp.Compare(len(a.set), len(b.set)), cmp.Compare(a.component, b.component))
	})
	c.move(best.component, best.set)
	return true
}

// way returns what would have to move out of a component so that it needs nothing of the next one of a circle, while the one
// before still finds in it what it needs.
func (c *cutter) way(name string, wanted, wants []Edge) (candidate, bool) {
	if !c.mayCut(name) || c.starts(name) {
		return candidate{}, false
	}
	set := map[manifest.ID]string{}
	for _, e := range wants {
		if e.Rule == "" {
			return candidate{}, false // the whole component is said to come later
		}
		if set[e.Object] == "" {
			set[e.Object] = e.clause() + ", and " + e.To + " starts after " + name
		}
	}
	set = c.along(name, set)
	var behind []place
	for _, e := range wanted {
		behind = append(behind, c.behind(name, e)...)
	}
	if !c.stands(name, set, behind) {
		return candidate{}, false
	}
	way := candidate{component: name, set: set}
	for _, o := range c.bundles[name].Objects {
		if _, moves := set[o.ID()]; moves && needs.PodSpec(o) != nil {
			way.workloads++
		}
	}
	return way, true
}

// starts reports whether a component starts together with another one.
func (c *cutter) starts(name string) bool {
	return c.with[name] != "" || slices.ContainsFunc(c.names, func(other string) bool {
		return other != name && (c.components[other].With == name || c.with[other] == name)
	})
}

// behind returns what must stay in a component for what another one needs of it.
func (c *cutter) behind(name string, e Edge) []place {
	switch {
	case e.Rule == partRule: // the objects of the part have edges of their own
		return nil
	case e.Rule == "": // who is said to need the component needs it running
		var list []place
		for _, o := range c.bundles[name].Objects {
			if needs.PodSpec(o) != nil {
				list = append(list, place{name, o.ID()})
			}
		}
		return list
	case e.Provider == (manifest.ID{}):
		var list []place
		for _, id := range c.registrars[name] {
			list = append(list, place{name, id})
		}
		return list
	}
	return slices.Concat([]place{{name, e.Provider}}, c.answers[e.Provider], c.operators[e.Provider])
}

// clause is the reason of an edge, as a clause whose subject is its object.
func (e Edge) clause() string {
	if e.Provider == (manifest.ID{}) {
		return e.Reason
	}
	return e.Reason + " (" + e.Provider.String() + " of " + e.To + ")"
}
