package coldstart

import "slices"

// Ending is what a person who looks at an Application sees of it in the end.
type Ending string

// The endings. The real Argo CD of test/e2e must show the one that the proof names, for every Application.
const (
	Settled Ending = "settled" // Synced and Healthy
	Ends    Ending = "ends"    // its operation succeeded, and something of it is not healthy
	Hangs   Ending = "hangs"   // its operation runs and waits for an object
	Trying  Ending = "fails"   // its operation failed, and fails again as often as it is tried
	Idle    Ending = "idle"    // it is there, and no operation begins
	Absent  Ending = "absent"  // its Application object is never made
)

// ending says how an Application looks in the end. A step in which something cannot be applied ends at once; in one in which
// objects are waited for, a Degraded one ends the attempt only when no other is waited for any more (gitops-engine
// pkg/sync/sync_context.go, Sync).
func (w *world) ending(a *app, verdict Verdict) Ending {
	switch {
	case !a.active, a.withheld != "":
		return Absent
	case !a.synced(), a.barred != "", a.closed != "", w.behind(a) != nil, !w.allHold(a.begin):
		return Idle
	case a.spent(), a.done() && a.balks:
		return Trying
	case a.done() && (verdict.Good() || len(a.unwell()) == 0):
		return Settled
	case a.done():
		return Ends
	}
	hangs := false
	for _, b := range w.blockers(a) {
		if b.apply {
			return Trying
		}
		hangs = hangs || !slices.ContainsFunc(b.node.healthy, func(k need) bool { return (b.node.degradesFor(k) || b.node.scalesNothing(k)) && !w.met(k) })
	}
	if hangs {
		return Hangs
	}
	return Trying
}

// after returns the Applications that are healthy before this one is made, however fast or slow anything is: those of earlier
// steps of its ancestors which are waited for.
func (w *world) after(a *app) []string {
	var names []string
	for ; a.parent != nil; a = a.parent.app {
		for _, nodes := range a.parent.app.nodes[:a.parent.step] {
			for _, n := range nodes {
				if child := w.child(n); child != nil && n.gate && !w.script().quick {
					names = append(names, child.name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
