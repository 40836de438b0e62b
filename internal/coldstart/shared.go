package coldstart

import (
	"maps"

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

// contested says why an object does not stay in sync, or nothing, and who takes it: where one of two Applications heals itself it keeps
// the object, where neither does the one that came last. One that refuses to share takes nothing back: its attempts fail.
func (w *world) contested(n *node) (why string, by *app) {
	for _, p := range w.candidates(n) {
		other := p.node
		if !n.sameAs(other) || !other.applied {
			continue
		}
		mine, theirs := n.app.takesBack(), other.app.takesBack()
		if mine && !theirs || !mine && !theirs && w.precedes(other, n.app, false) {
			continue
		}
		return "is applied by Application " + other.app.name + " too, which marks it as its own: never both are in sync", other.app
	}
	return "", nil
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

// refusesToShare reports whether every sync of an Application fails while another one's mark is on an object of it.
func (a *app) refusesToShare() bool { return a.option("FailOnSharedResource=true") }

func (a *app) takesBack() bool { return a.heals() && !a.refusesToShare() }

// rob marks, once the end is known, the objects that another Application takes: theirs is in sync no more, and what waits for it is not
// healthy any more where its health script asks for Synced. A wave that has seen it in sync has passed all the same (gitops-engine
// pkg/sync/sync_context.go, Sync: a task that has succeeded is not looked at again; seen on Argo CD 3.2.11 and 2.14.21).
//
// Where the taker may come before the wave has looked, and nobody takes the object back, the wave may wait for ever: rob returns those
// Applications, by name, with the reason.
func (w *world) rob() map[string]string {
	missed := map[string]string{}
	for _, a := range w.apps {
		for _, nodes := range a.nodes {
			for _, n := range nodes {
				if !a.done() || n.gate && !n.well {
					continue
				}
				why, by := w.contested(n)
				if why == "" {
					continue
				}
				n.unlike, n.rival = why, nil
				w.recount(n)
				a.balks = a.balks || a.heals() && a.refusesToShare()
				if !a.takesBack() && a.parent != nil && a.parent.gate && w.script().synced && !w.precedes(a.parent, by, true) {
					missed[a.name] = why
				}
			}
		}
	}
	w.darken()
	return missed
}

// misses takes down the Applications that a wave may never see in sync, and reports whether one is new.
func (in *Input) misses(missed map[string]string) bool {
	before := in.missed
	in.missed = map[string]string{}
	maps.Copy(in.missed, before)
	maps.Copy(in.missed, missed)
	return len(in.missed) > len(before)
}
