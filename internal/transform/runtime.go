package transform

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// SkipDryRuns marks the objects whose kind appears only while their own wave runs: an operator of that wave registers it, or
// another component of that wave brings the CRD. Argo CD looks every kind up before it applies anything, and one unknown kind
// would fail the whole Application; marked, only the object itself is tried again until its kind is there.
func SkipDryRuns(components []component.Component, order Order, bundles []manifest.Bundle) []manifest.Bundle {
	w, parts := newWorld(components, bundles), map[string]string{}
	for _, c := range components {
		parts[c.Name] = c.Part
	}
	out := make([]manifest.Bundle, len(bundles))
	for i, b := range bundles {
		out[i] = manifest.Bundle{Name: b.Name, Objects: slices.Clone(b.Objects)}
		for j, o := range b.Objects {
			if w.arrivesDuring(b.Name, parts[b.Name], o.ID(), order) {
				out[i].Objects[j] = argocd.WithSyncOptions(o, argocd.SkipDryRun)
			}
		}
	}
	return out
}

// arrivesDuring reports whether the kind of an object of a component is provided only within the component's own wave, and not
// by a CRD of the component itself, which the engine waits for; or by operators of the component that it was split off from, or
// a controller, which nobody can wait for.
func (w world) arrivesDuring(name, part string, id manifest.ID, order Order) bool {
	providers := w[needs.Fact{Type: needs.Kind, Group: id.Group, Kind: id.Kind}]
	during := false
	for _, p := range providers {
		atRuntime := p.id.Kind != "CustomResourceDefinition"
		before := order.Waves[p.component] < order.Waves[name]
		switch {
		case p.component == name && !atRuntime, before && !(atRuntime && p.component == part):
			return false
		case before, order.Waves[p.component] == order.Waves[name]:
			during = true
		}
	}
	return during
}
