package coldstart

import (
	"github.com/coldstart-gitops/gen/internal/needs"
)

// An object that two Applications apply bears the mark of the one that applied it last; to the other it differs from what is
// wanted, so that never both are in sync, and each that heals itself takes it back (argo-cd controller/state.go,
// SharedResourceWarning; the same in 2.14 and 3.2). Hooks do not count in what is in sync.

// candidates returns what else brings an object, where that is not nothing but itself.
func (w *world) candidates(n *node) []provision {
	fact := needs.Fact{Type: needs.Exists, Group: n.id.Group, Kind: n.id.Kind, Namespace: n.id.Namespace, Name: n.id.Name}
	if n.id.Group == "" && n.id.Kind == "Namespace" {
		fact = needs.Fact{Type: needs.Namespace, Name: n.id.Name}
	}
	if list := w.provided[n.here(fact)]; len(list) > 1 && !n.hook && n.app.runs() {
		return list
	}
	return nil
}

// sameAs reports whether a candidate is the same object in another Application on the same cluster.
func (n *node) sameAs(other *node) bool {
	return other.app != n.app && other != other.app.maker && other.id.Same(n.id) && !other.hook && other.app.runs()
}

// contested says why an object does not stay in sync, or nothing: where one of two Applications heals itself it keeps the object, where
// neither does the one that came last.
func (w *world) contested(n *node) string {
	for _, p := range w.candidates(n) {
		other := p.node
		if !n.sameAs(other) || !other.applied {
			continue
		}
		mine, theirs := n.app.heals(), other.app.heals()
		if mine && !theirs || !mine && !theirs && w.precedes(other, n.app, false) {
			continue
		}
		return "is applied by Application " + other.app.name + " too, which marks it as its own: never both are in sync"
	}
	return ""
}

// unshared says why an Application that refuses to share cannot be synced: another one may have applied an object of it before.
func (w *world) unshared(n *node) string {
	if !n.app.option("FailOnSharedResource=true") {
		return ""
	}
	for _, p := range w.candidates(n) {
		if n.sameAs(p.node) && !w.precedes(n, p.node.app, false) {
			return "is applied by Application " + p.node.app.name + " too, which FailOnSharedResource=true does not let pass"
		}
	}
	return ""
}

// heals reports whether an Application takes back what others change.
func (a *app) heals() bool {
	return a.in.Object.Get("spec", "syncPolicy", "automated", "selfHeal") == true
}

// rob makes UNHEALTHY of an end that is good but for objects which another Application takes.
func (w *world) rob(a *app, o *Outcome) {
	if !o.Verdict.Good() {
		return
	}
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			if why := w.contested(n); why != "" {
				a.robbed = append(a.robbed, n)
				o.Verdict, o.Blocked, o.Chain = Unhealthy, n.id, []Link{link(n, why)}
				return
			}
		}
	}
}
