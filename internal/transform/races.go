package transform

import (
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// cutRaces splits off what its own component must run for: an Application of one step applies it at once, and fails until it does.
func (c *cutter) cutRaces(name string) {
	if !c.mayCut(name) {
		return
	}
	for _, o := range c.bundles[name].Objects {
		if _, gone := c.moved[name][o.ID()]; gone {
			continue
		}
		reason, behind := c.race(name, o)
		if reason == "" {
			continue
		}
		set := c.along(name, map[manifest.ID]string{o.ID(): reason})
		if c.stands(name, set, behind) {
			c.move(name, set)
		}
	}
}

// race says for what of its own component an object has to wait, and which objects must run by then. An object with a wave or
// a phase of its own was put in order by whoever wrote it.
func (c *cutter) race(name string, o manifest.Object) (reason string, behind []place) {
	id := o.ID()
	if manifest.Builtin(id.Group, id.Kind) || argocd.IsHook(o) || o.Annotation(argocd.WaveAnnotation) != "" || o.Annotation(argocd.HelmWeightAnnotation) != "" {
		return "", nil
	}
	for _, need := range needs.Of(o) {
		switch {
		case need.Rule.IfAny:
			for _, p := range c.world[need.Fact] {
				if workers := c.answers[p.id]; p.component == name && (len(workers) == 0 || runsHere(workers, name)) {
					return "must be admitted by " + p.id.String() + " of its own component, which fails closed and answers only once its pods run", append(slices.Clone(workers), place{name, p.id})
				}
			}
		case need.Rule.Name == kindRule:
			if reason, behind := c.kindRace(name, need.Fact); reason != "" {
				return reason, behind
			}
		}
	}
	return "", nil
}

func runsHere(workers []place, name string) bool {
	return slices.ContainsFunc(workers, func(p place) bool { return p.component == name })
}

// kindRace says of a kind that no CRD brings how it comes from the component itself.
func (c *cutter) kindRace(name string, kind needs.Fact) (reason string, behind []place) {
	for _, p := range c.world[kind] {
		switch {
		case p.id.Kind == "CustomResourceDefinition":
			return "", nil
		case p.component != name || reason != "":
		case p.id == (manifest.ID{}):
			reason = "is of a kind that an operator of its own component registers once it runs"
			for _, id := range c.registrars[name] {
				behind = append(behind, place{name, id})
			}
		default:
			reason, behind = "is of a kind that a controller makes of "+p.id.String(), []place{{name, p.id}}
		}
	}
	return reason, behind
}

// along adds to objects that move those of the same component which work only with them: what needs something that only they
// bring, and webhooks and API services for which only they answer.
func (c *cutter) along(name string, set map[manifest.ID]string) map[manifest.ID]string {
	set = maps.Clone(set)
	gone := func(id manifest.ID) bool {
		_, moves := set[id]
		_, moved := c.moved[name][id]
		return moves || moved
	}
	for again := true; again; {
		again = false
		for _, o := range c.bundles[name].Objects {
			if gone(o.ID()) {
				continue
			}
			if reason := c.follows(name, o, gone); reason != "" {
				set[o.ID()], again = reason, true
			}
		}
	}
	return set
}

// follows says why an object works only with what is gone.
func (c *cutter) follows(name string, o manifest.Object, gone func(manifest.ID) bool) string {
	only := func(providers []place) bool {
		return len(providers) > 0 && !slices.ContainsFunc(providers, func(p place) bool { return p.component != name || !gone(p.id) })
	}
	if workers := c.answers[o.ID()]; only(workers) {
		return "is answered by " + workers[0].id.String()
	}
	for _, need := range needs.Of(o) {
		var providers []place
		for _, p := range c.world[need.Fact] {
			providers = append(providers, place{p.component, p.id})
		}
		if !need.Rule.IfAny && only(providers) {
			return need.Rule.Reason + " (" + providers[0].id.String() + ")"
		}
	}
	return ""
}

// stands reports whether objects may move away from the component: none of them has to run there by then, and none is a hook, whose
// place in its own sync somebody chose.
func (c *cutter) stands(name string, set map[manifest.ID]string, behind []place) bool {
	for _, p := range behind {
		if _, moves := set[p.id]; moves && p.component == name {
			return false
		}
	}
	for _, o := range c.bundles[name].Objects {
		if _, moves := set[o.ID()]; moves && argocd.IsHook(o) {
			return false
		}
	}
	return len(set)+len(c.moved[name]) < len(c.bundles[name].Objects)
}
