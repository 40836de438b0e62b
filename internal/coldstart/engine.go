package coldstart

import (
	"slices"
	"strconv"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// bootstrap applies what is applied before Argo CD runs: everything that can be, as often as it takes.
func (w *world) bootstrap() {
	for changed := true; changed; {
		changed = false
		for _, n := range w.all {
			if n.app.in.Bootstrap && !n.applied && len(argocd.Phases(n.task.Object)) > 0 && w.allHold(n.apply) {
				n.applied, changed = true, true
			}
		}
		changed = w.settle() || changed
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
	for changed := true; changed; {
		changed = false
		for _, a := range w.apps {
			changed = w.advance(a) || changed
		}
		changed = w.settle() || changed
	}
}

// settle makes everything healthy that can be.
func (w *world) settle() bool {
	any := false
	for changed := true; changed; {
		changed = false
		for _, n := range w.all {
			if n.applied && !n.well && w.allHold(n.healthy) && w.childWell(n) {
				n.well, changed, any = true, true, true
			}
		}
	}
	return any
}

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

// advance lets one Application do what it can. It reports whether anything changed.
func (w *world) advance(a *app) bool {
	if !a.active || !a.synced() || a.spent() || a.barred != "" || a.closed != "" || !w.allHold(a.begin) || w.behind(a) != nil {
		return false
	}
	changed := false
	if !a.checked {
		if len(w.dryRun(a)) > 0 {
			return false
		}
		a.checked, changed = true, true
		if a.maker != nil {
			a.maker.applied = true
		}
		w.doubtDryRun(a)
	}
	for a.at < len(a.steps) && !a.spent() {
		changed = w.applyStep(a) || changed
		if !w.passes(a) {
			return changed
		}
		w.doubtHealth(a)
		w.doubtGlimpse(a)
		changed = true
		if a.spent() {
			return true
		}
		a.at++
	}
	return changed
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
func (w *world) applyStep(a *app) bool {
	changed, doubted := false, false
	for _, n := range a.nodes[a.at] {
		if n.applied {
			w.start(n)
			continue
		}
		if !w.allHold(n.apply) {
			continue
		}
		if doubt := w.doubtApply(n); doubt != "" && !doubted {
			a.failures, doubted = append(a.failures, failure{node: n, text: doubt}), true
			if a.spent() {
				return true
			}
		}
		n.applied, changed = true, true
		w.start(n)
	}
	return changed
}

// doubtApply says why the first attempt to apply an object may fail, or nothing.
func (w *world) doubtApply(n *node) string {
	for _, k := range n.apply {
		counted := k.fact.Type == needs.Kind && !w.skipsDryRun(n) // in the dry run already
		if !counted && !w.waived(k) && !w.certain(n, k.fact, false) {
			return " " + k.why + ": " + k.fact.String() + " may not be there yet at the first attempt"
		}
	}
	return ""
}

func (w *world) start(n *node) {
	if child := w.child(n); child != nil {
		child.active = true
	}
	for _, a := range w.generated[n] {
		a.active = true
	}
}

// passes reports whether the current step is done: everything applied, and healthy where the engine waits for that.
func (w *world) passes(a *app) bool {
	for _, n := range a.nodes[a.at] {
		if !n.applied || w.waits(n) && !n.well {
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
	if argocd.IsHook(n.task.Object) || n.step < len(a.steps)-1 {
		return true
	}
	return (len(a.steps) > 1 || a.namespaceStep()) && slices.ContainsFunc(a.nodes[n.step], func(x *node) bool { return argocd.IsHook(x.task.Object) })
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
			if n.degrade && w.waits(n) && !w.certain(n, k.fact, false) {
				a.failures = append(a.failures, failure{node: n, text: " " + k.why + ": it is Degraded until then, which ends the attempt"})
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
