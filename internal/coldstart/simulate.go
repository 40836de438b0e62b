package coldstart

import (
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// simulation is what of a world is to be looked at again while its facts grow: what waits for nothing that has changed since its last
// look is left alone (docs/decisions/0031).
type simulation struct {
	awaited map[needs.Fact]*await
	victims map[*node][]*node // objects that differ from git once another is healthy
	first   agenda            // objects that may be applied before Argo CD runs
	goOn    agenda            // Applications that may go on
	applied agenda            // applied objects that may have become healthy
	looks   int               // at objects and Applications
}

// await is a fact that something waits for.
type await struct {
	fact  needs.Fact
	nodes []*node
	apps  []*app
	told  bool // that it holds
}

// number gives everything its place in the agendas, and counts what keeps each Application from being well.
func (w *world) number() {
	w.awaited, w.victims = map[needs.Fact]*await{}, map[*node][]*node{}
	for i, n := range w.all {
		n.number = i
		if n.unlike != "" && n.rival != nil {
			w.victims[n.rival] = append(w.victims[n.rival], n)
		}
		if child := w.child(n); child != nil {
			child.object = n
		}
	}
	for i, a := range w.apps {
		a.number = i
		for _, nodes := range a.nodes {
			for slot, n := range nodes {
				n.slot = slot
				w.recount(n)
			}
		}
	}
	w.first.reset(len(w.all), true)
	w.applied.reset(len(w.all), false)
	w.goOn.reset(len(w.apps), true)
}

// bootstrap applies what is applied before Argo CD runs: everything that can be, as often as it takes.
func (w *world) bootstrap() {
	for w.first.due > 0 && !w.in.brake.pulled() {
		w.first.round(func(i int) {
			w.looks++
			if n := w.all[i]; n.app.in.Bootstrap && !n.applied && len(argocd.Phases(n.task.Object)) > 0 && w.allMet(n, n.apply) {
				w.apply(n)
			}
		})
		w.settle()
	}
	for _, n := range w.all {
		n.early = n.well
	}
	for _, n := range w.all {
		if n.applied {
			w.start(n)
		}
	}
}

// simulate lets every Application go on until nothing changes any more. Facts only grow, so the end does not depend on the order.
func (w *world) simulate() {
	for more := true; more; more = !w.in.brake.pulled() && w.hush() {
		for w.goOn.due > 0 && !w.in.brake.pulled() {
			w.goOn.round(func(i int) {
				w.looks++
				w.advance(w.apps[i])
			})
			w.settle()
		}
	}
}

// settle makes everything healthy that can be.
func (w *world) settle() {
	for w.applied.due > 0 && !w.in.brake.pulled() {
		w.applied.round(func(i int) {
			w.looks++
			if n := w.all[i]; n.applied && !n.well && w.allMet(n, n.healthy) && w.childWell(n) {
				w.heal(n)
			}
		})
	}
}

// apply, heal and finish say that something has happened, to all that wait for it.
func (w *world) apply(n *node) {
	n.applied = true
	w.applied.add(n.number)
	w.tell(n)
}

func (w *world) heal(n *node) {
	n.well = true
	w.recount(n)
	for _, v := range w.victims[n] {
		w.recount(v)
	}
	w.tell(n)
	if a := n.app; a.checked && a.at == n.step {
		w.goOn.add(a.number)
	}
	w.finish(n.app)
}

// finish tells those who wait for an Application that is in sync and healthy by now.
func (w *world) finish(a *app) {
	if !w.appWell(a) {
		return
	}
	if a.object != nil {
		w.applied.add(a.object.number)
	}
	for _, later := range a.followers {
		w.goOn.add(later.number)
	}
	a.followers = nil
}

// recount keeps the number of objects that keep an Application from being well.
func (w *world) recount(n *node) {
	if ill := n.unwell(); ill != n.ill && n != n.app.maker {
		if n.ill = ill; ill {
			n.app.ill++
		} else {
			n.app.ill--
		}
	}
}

// tell says of the facts that an object may bring, and that somebody waits for, which hold by now.
func (w *world) tell(n *node) {
	for _, f := range n.brings {
		if f.told || !w.holds(f.fact) {
			continue
		}
		f.told = true
		delete(w.awaited, f.fact)
		for _, waiting := range f.nodes {
			w.wake(waiting)
		}
		for _, waiting := range f.apps {
			w.goOn.add(waiting.number)
		}
	}
}

// wake has an object looked at again: whether it can be applied, or is healthy.
func (w *world) wake(n *node) {
	switch a := n.app; {
	case n.applied:
		w.applied.add(n.number)
	case a.checked && a.at == n.step:
		a.pending.add(n.slot)
		w.goOn.add(a.number)
	default:
		w.first.add(n.number)
	}
}

// allMet reports whether all needs of an object are met; else it is looked at again once the first is that is not.
func (w *world) allMet(n *node, list []need) bool {
	for _, k := range list {
		if !w.met(k) {
			if f := w.await(k.fact); f != nil && n.waiting != f {
				n.waiting, f.nodes = f, append(f.nodes, n)
			}
			return false
		}
	}
	return true
}

// begins reports whether a sync of an Application may begin; else it is looked at again once that may have changed.
func (w *world) begins(a *app) bool {
	for _, k := range a.begin {
		if !w.met(k) {
			w.watch(a, k.fact)
			return false
		}
	}
	if b := w.behind(a); b != nil {
		b.followers = append(b.followers, a)
		return false
	}
	return true
}

func (w *world) watch(a *app, fact needs.Fact) {
	if f := w.await(fact); f != nil && a.waiting != f {
		a.waiting, f.apps = f, append(f.apps, a)
	}
}

// await returns the fact as one that somebody waits for; nil where nothing ever brings it.
func (w *world) await(fact needs.Fact) *await {
	f := w.awaited[fact]
	if providers := w.provided[fact]; f == nil && len(providers) > 0 {
		f = &await{fact: fact}
		w.awaited[fact] = f
		for _, p := range providers {
			p.node.brings = append(p.node.brings, f)
		}
	}
	return f
}
