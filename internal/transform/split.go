package transform

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Move is an object that was split off from its component, and why.
type Move struct {
	From, To string
	Object   manifest.ID
	Reason   string // a clause whose subject is the object
}

// Parts is what components came to when objects that cannot start with the rest were split off.
type Parts struct {
	Components []component.Component // sorted by name, what was split off among them
	Bundles    []manifest.Bundle     // the same
	Moves      []Move                // sorted
}

// Split divides components whose objects cannot all start at once (docs/decisions/0025). What needs its own component running, or closes a
// circle of components, moves from NAME to NAME-config, and with it what works only then. A circle in which nobody waits but for
// health is started together. Components that say `split: never`, and those that start together with their NAME-config, are left
// whole. What no split helps stays as it is: Waves names the circle.
//
// Objects are those that Namespaces returned. Nothing depends on the order of components or on what has nothing to do with a split.
func Split(components []component.Component, bundles []manifest.Bundle) Parts {
	c := newCutter(components, bundles)
	for _, name := range c.names {
		c.cutRaces(name)
	}
	for c.breakCircle() {
	}
	return c.parts()
}

// cutter divides components, object by object.
type cutter struct {
	names      []string // sorted
	components map[string]component.Component
	bundles    map[string]manifest.Bundle
	world      world
	moved      map[string]map[manifest.ID]string // component and object to the reason
	with       map[string]string                 // component to the one that it is started together with
	answers    map[manifest.ID][]place           // webhook configurations and API services to the workloads that answer for them
	operators  map[manifest.ID][]place           // CRDs to the workloads that reconcile their kind
	registrars map[string][]manifest.ID          // component to its workloads that register kinds at run time
}

// place is an object in its component.
type place struct {
	component string
	id        manifest.ID
}

func newCutter(components []component.Component, bundles []manifest.Bundle) *cutter {
	c := &cutter{
		components: map[string]component.Component{}, bundles: byName(bundles), world: newWorld(components, bundles),
		moved: map[string]map[manifest.ID]string{}, with: map[string]string{},
	}
	for _, each := range components {
		c.components[each.Name] = each
	}
	c.names = slices.Sorted(maps.Keys(c.components))
	c.learn(bundles)
	return c
}

// mayCut reports whether objects of a component may move.
func (c *cutter) mayCut(name string) bool {
	own, exists := c.components[name]
	config, taken := c.components[name+component.ConfigSuffix]
	return exists && !own.Whole && own.With == "" && (!taken || config.With == "" && config.Origin == own.Origin)
}

// move splits objects off.
func (c *cutter) move(name string, set map[manifest.ID]string) {
	if c.moved[name] == nil {
		c.moved[name] = map[manifest.ID]string{}
	}
	maps.Copy(c.moved[name], set)
}

// parts lays out what was decided.
func (c *cutter) parts() Parts {
	var out Parts
	extra := map[string][]manifest.Object{}
	for _, name := range c.names {
		to := name + component.ConfigSuffix
		for _, o := range c.bundles[name].Objects {
			if reason, ok := c.moved[name][o.ID()]; ok {
				extra[to] = append(extra[to], o)
				out.Moves = append(out.Moves, Move{name, to, o.ID(), reason})
			}
		}
	}
	for _, name := range c.names {
		own, to := c.components[name], name+component.ConfigSuffix
		own.With = cmp.Or(own.With, c.with[name])
		b := manifest.Bundle{Name: name, Objects: slices.Clone(c.bundles[name].Objects)}
		if moved := c.moved[name]; moved != nil {
			b.Objects = slices.DeleteFunc(b.Objects, func(o manifest.Object) bool { _, gone := moved[o.ID()]; return gone })
			if _, exists := c.components[to]; !exists {
				out.add(c.split(own, extra[to]), manifest.Bundle{Name: to, Objects: extra[to]})
			}
		}
		if base := c.receives(name); base != "" {
			b.Objects = append(b.Objects, extra[name]...)
			own = joined(own, c.components[base], extra[name])
		}
		out.add(own, b)
	}
	slices.SortFunc(out.Components, func(a, b component.Component) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Bundles, func(a, b manifest.Bundle) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Moves, func(a, b Move) int { return cmp.Or(cmp.Compare(a.From, b.From), a.Object.Compare(b.Object)) })
	return out
}

func (p *Parts) add(c component.Component, b manifest.Bundle) {
	p.Components, p.Bundles = append(p.Components, c), append(p.Bundles, b)
}

// receives returns the component whose objects an existing NAME-config takes up, or nothing.
func (c *cutter) receives(name string) string {
	for base, moved := range c.moved { // at most one has the right name
		if len(moved) > 0 && base+component.ConfigSuffix == name {
			return base
		}
	}
	return ""
}

// split returns the component of what was split off: like the one that it comes from, but that it waits for it.
func (c *cutter) split(from component.Component, objects []manifest.Object) component.Component {
	part := from
	part.Name, part.Part = from.Name+component.ConfigSuffix, from.Name
	part.Needs, part.With, part.Wave, part.Provides = []string{from.Name}, "", nil, nil
	part.IgnoreDiffs = about(from.IgnoreDiffs, objects)
	return part
}

// joined returns a NAME-config that a definition made, with what is split off from NAME besides.
func joined(config, from component.Component, objects []manifest.Object) component.Component {
	config.Part = from.Name
	config.Needs = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(config.Needs), from.Name))))
	config.IgnoreDiffs = slices.Concat(config.IgnoreDiffs, about(from.IgnoreDiffs, objects))
	config.Objects = slices.Concat(config.Objects, objects)
	return config
}

// about returns the ignored differences that mean one of the objects.
func about(list []argocd.IgnoreDifference, objects []manifest.Object) []argocd.IgnoreDifference {
	means := func(d argocd.IgnoreDifference, id manifest.ID) bool {
		return d.Group == id.Group && d.Kind == id.Kind && (d.Name == "" || d.Name == id.Name) && (d.Namespace == "" || d.Namespace == id.Namespace)
	}
	return slices.DeleteFunc(slices.Clone(list), func(d argocd.IgnoreDifference) bool {
		return !slices.ContainsFunc(objects, func(o manifest.Object) bool { return means(d, o.ID()) })
	})
}
