package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// certain reports whether a fact holds whenever an object is applied, however fast or slow everything else is. atStart asks about
// the moment at which the object's whole sync starts.
func (w *world) certain(n *node, fact needs.Fact, atStart bool) bool {
	if w.isGiven(fact) {
		return true
	}
	if limit, _ := n.app.limit(); limit == 0 && w.lags(fact) {
		return false // nobody tries again a moment later
	}
	return slices.ContainsFunc(w.provided[fact], func(p provision) bool {
		switch {
		case p.node.app.in.Bootstrap && p.node.applied && (!p.healthy || p.node.early):
			return true
		case p.node.app == n.app:
			return !atStart && sureWithin(p, n)
		}
		return w.sureBefore(p, n.app)
	})
}

// sureWithin reports whether a provider of the same sync is there before n: it is of an earlier step, and waited for where its
// health counts, or of an earlier kind group of the same step.
func sureWithin(p provision, n *node) bool {
	switch {
	case p.node.step < n.step:
		return !p.healthy || p.node.gate
	case p.node.step > n.step:
		return false
	}
	return !p.healthy && argocd.KindOrder(p.node.id.Kind) < argocd.KindOrder(n.id.Kind)
}

// sureBefore reports whether a provider of another sync is there before an Application starts: an ancestor's earlier step has
// brought it, or waited for the Application that brings it. That ancestor is the lowest above both: higher ones know them by one object.
func (w *world) sureBefore(p provision, a *app) bool {
	up, waited := p.node, true // the object at which the provider's side stands, and whether all below it is waited for
	for a.parent != nil {
		if b := p.node.app; a.rolling != nil && b.rolling != nil && b.rolling.set == a.rolling.set && b.rolling.step >= 0 && b.rolling.step < a.rolling.step {
			return !p.healthy || p.node.gate
		}
		entry := a.parent
		for up != nil && up.app.depth > entry.app.depth {
			waited = waited && up.app.parent != nil && w.awaits(up.app) && w.attests(up)
			up = up.app.parent
		}
		if up != nil && up.app == entry.app {
			return waited && up.step < entry.step && (!p.healthy || p.node.gate)
		}
		a = entry.app
	}
	return false
}

// awaits reports whether the object that creates an Application is healthy only once the Application is.
func (w *world) awaits(a *app) bool { return a.parent.gate && w.children[a.parent] == a }
