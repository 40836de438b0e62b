package coldstart

import (
	"slices"
	"strconv"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/needs"
)

func (w *world) allHold(list []need) bool {
	return !slices.ContainsFunc(list, func(n need) bool { return !w.met(n) })
}

// childWell reports whether the Application that an object creates is in sync and healthy.
func (w *world) childWell(n *node) bool {
	child := w.child(n)
	if child == nil {
		return true
	}
	return w.appWell(child)
}

// overlooked reports whether an object does not count in the health of its Application; waves wait for it all the same
// (argo-cd controller/health.go; argo-cd#22940).
func overlooked(n *node) bool {
	return n.task.Object.Annotation("argocd.argoproj.io/ignore-healthcheck") == "true"
}

func (a *app) done() bool { return a.checked && a.at == len(a.steps) }

// synced reports whether anybody syncs the Application: a child is synced only by itself, a root by whoever applies it.
func (a *app) synced() bool {
	if a.rolling != nil {
		return a.rolling.step >= 0 // the set syncs it, and takes its automation away
	}
	return a.parent == nil || a.in.Object.Get("spec", "syncPolicy", "automated") != nil &&
		!a.disabled
}

// limit is how often a failed attempt is repeated: -1 for ever; stated says that the Application says so itself.
func (a *app) limit() (limit int64, stated bool) {
	switch n := a.in.Object.Get("spec", "syncPolicy", "retry", "limit").(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), true
	}
	if a.in.Object.Get("spec", "syncPolicy", "retry") != nil {
		return 0, true // the limit of a policy that states none
	}
	return 5, false // Argo CD's own for automated syncs (controller/appcontroller.go, autoSync)
}

// spent reports whether no attempt is left.
func (a *app) spent() bool {
	limit, _ := a.limit()
	return limit >= 0 && int64(len(a.failures)) > limit || limit == 0 && len(a.moments) > 0
}

// advance lets one Application do what it can.
func (w *world) advance(a *app) {
	if !a.active || !a.synced() || a.spent() || a.barred != "" || a.closed != "" || !w.begins(a) {
		return
	}
	if !a.checked {
		if !w.passesDryRun(a) {
			return
		}
		a.checked = true
		if a.maker != nil {
			w.apply(a.maker)
		}
		w.doubtDryRun(a)
		w.reach(a, 0)
	}
	for a.at < len(a.steps) && !a.spent() {
		w.applyStep(a)
		if !w.passes(a) {
			return
		}
		w.doubtHealth(a)
		w.doubtGlimpse(a)
		if a.spent() {
			return
		}
		w.reach(a, a.at+1)
	}
}

// reach lets an Application begin a step, or ends its sync.
func (w *world) reach(a *app, step int) {
	a.at, a.passed = step, 0
	if step < len(a.steps) {
		a.pending.reset(len(a.nodes[step]), true)
		return
	}
	w.finish(a)
}

// passesDryRun reports whether the look at all tasks before the first step finds nothing wrong any more.
func (w *world) passesDryRun(a *app) bool {
	if !a.tried {
		a.tried = true
		a.refused = w.dryRun(a)
	}
	for ; len(a.refused) > 0; a.refused = a.refused[:len(a.refused)-1] {
		last := a.refused[len(a.refused)-1].lacks.fact
		if last.Type != needs.Kind || !w.holds(last) {
			w.watch(a, last)
			return false
		}
	}
	return true
}

// dryRun returns what makes the look at all tasks before the first step fail.
func (w *world) dryRun(a *app) []blocker {
	var list []blocker
	if why := w.bansNamespace(a); why != "" && len(a.nodes) > 0 {
		list = append(list, blocker{a.nodes[0][0], refuses(why), true})
	}
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			if n.banned != "" {
				list = append(list, blocker{n, refuses(n.banned), true})
				continue
			}
			if own := (needs.Fact{Type: needs.Kind, Group: n.id.Group, Kind: n.id.Kind}); n.unserved != "" && !w.skipsDryRun(n) && !a.brings(own) {
				list = append(list, blocker{n, refuses(n.unserved), true})
			}
			for _, k := range n.apply {
				if k.fact.Type == needs.Kind && !w.skipsDryRun(n) && !a.brings(k.fact) && !w.holds(k.fact) {
					list = append(list, blocker{n, k, true})
				}
			}
		}
	}
	return list
}

func (w *world) skipsDryRun(n *node) bool {
	return slices.Contains(argocd.SyncOptions(n.task.Object), argocd.SkipDryRun) ||
		w.in.Version.Has(argocd.SkipDryRunOnApp) && n.app.option(argocd.SkipDryRun)
}

// brings reports whether a CRD of the kind is part of the same sync.
func (a *app) brings(fact needs.Fact) bool {
	fact.Cluster = "" // of its own
	return a.kinds[fact]
}

// doubtDryRun counts an attempt that fails, or may, before kinds are served that others bring.
func (w *world) doubtDryRun(a *app) {
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			for _, k := range n.apply {
				if k.fact.Type == needs.Kind && !w.skipsDryRun(n) && !a.brings(k.fact) && !w.certain(n, k.fact, true) {
					a.failures = append(a.failures, failure{node: n, text: ": " + k.fact.String() + " may not be served yet when the sync starts"})
					return
				}
			}
		}
	}
}

// applyStep applies what can be applied of the current step, and lets new Applications start.
func (w *world) applyStep(a *app) {
	doubted := false
	for slot := a.pending.take(0); slot >= 0; slot = a.pending.take(slot + 1) {
		w.looks++
		n := a.nodes[a.at][slot]
		if n.applied {
			w.start(n)
			continue
		}
		if !w.allMet(n, n.apply) {
			continue
		}
		if doubt := w.doubtApply(n); doubt != "" && !doubted {
			a.failures, doubted = append(a.failures, failure{node: n, text: doubt}), true
			if a.spent() {
				return
			}
		}
		w.apply(n)
		w.start(n)
	}
}

// doubtApply says why the first attempt to apply an object may fail, or nothing.
func (w *world) doubtApply(n *node) string {
	for _, k := range n.apply {
		counted := k.fact.Type == needs.Kind && !w.skipsDryRun(n) // in the dry run already
		if !counted && !w.waived(k) && !w.certain(n, k.fact, false) {
			return " " + clause(k.why) + ": " + k.fact.String() + " may not be there yet at the first attempt"
		}
	}
	return ""
}

func (w *world) start(n *node) {
	if child := w.child(n); child != nil {
		w.activate(child)
	}
	for _, a := range w.generated[n] {
		w.activate(a)
	}
}

func (w *world) activate(a *app) {
	if !a.active {
		a.active = true
		w.goOn.add(a.number)
	}
}

// passes reports whether the current step is done: everything applied, and healthy where the engine waits for that.
func (w *world) passes(a *app) bool {
	for nodes := a.nodes[a.at]; a.passed < len(nodes); a.passed++ {
		if n := nodes[a.passed]; !n.applied || w.waits(n) && !n.well {
			return false
		}
	}
	return true
}

// waits reports whether the sync waits for the health of an object: of hooks always, of others where their step is not the
// last, or where the last holds hooks and there is more than one (gitops-engine pkg/sync/sync_context.go, Sync).
func (w *world) waits(n *node) bool {
	if !n.gate {
		return false
	}
	a := n.app
	return n.hook || n.step < len(a.steps)-1 || a.waitsLast
}

// lastWaits reports whether all of the last step is waited for.
func (a *app) lastWaits() bool {
	return len(a.steps) > 0 && (len(a.steps) > 1 || a.namespaceStep()) && slices.ContainsFunc(a.nodes[len(a.steps)-1], func(n *node) bool { return n.hook })
}

// namespaceStep reports whether the namespace that the sync makes is a step of its own, even after it is there: it is while its
// labels are managed (gitops-engine pkg/sync/sync_context.go, autoCreateNamespace).
func (a *app) namespaceStep() bool {
	return a.option("CreateNamespace=true") && a.in.Object.Map("spec", "syncPolicy", "managedNamespaceMetadata") != nil
}

// doubtHealth counts an attempt for an object that may be Degraded before what it needs is there.
func (w *world) doubtHealth(a *app) {
	for _, n := range a.nodes[a.at] {
		for _, k := range n.healthy {
			if n.degradesFor(k) && w.waits(n) && !w.certain(n, k.fact, false) {
				a.failures = append(a.failures, failure{node: n, text: " " + clause(k.why) + ": it is Degraded until then, which ends the attempt"})
				return
			}
		}
	}
}

// stage is the step in which an object is applied. A namespace that a sync makes comes before all of them.
func (n *node) stage() Step {
	if n == n.app.maker {
		return Step{Phase: argocd.PreSync}
	}
	return n.app.steps[n.step]
}

// place names where an object is applied.
func (n *node) place() string {
	s := n.stage()
	place := "wave " + strconv.Itoa(s.Wave)
	if s.Phase != argocd.Sync {
		place = string(s.Phase) + " " + place
	}
	return place
}
