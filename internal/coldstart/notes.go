package coldstart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// notes says what a person should know of an Application beside its verdict.
func (w *world) notes(a *app) []string {
	var notes []string
	var ungated []*node
	if a.circle != "" {
		notes = append(notes, "Application "+a.circle+" creates it, which it creates itself or through others: it is taken to be applied by a person first")
	}
	for _, id := range a.excluded {
		notes = append(notes, id.String()+" is never applied: Argo CD overlooks its kind")
	}
	if w.in.missed[a.name] != "" {
		notes = append(notes, "may be out of sync before the wave that waits for it has looked: it waits for ever then")
	}
	for _, f := range a.failures {
		notes = append(notes, "an attempt fails or may fail: "+f.String())
	}
	notes = append(notes, w.momentNotes(a)...)
	notes = slices.Concat(notes, w.strangerNote(a), a.layoutNotes(), w.timeLimit(a))
	notes = append(notes, w.fakeBarriers(a)...)
	notes = append(append(notes, w.drifts(a)...), w.muteNotes(a)...)
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			if argocd.WaveIgnored(n.task.Object) {
				notes = append(notes, n.id.String()+" has a sync-wave that is no integer: it counts as absent")
			}
			if n.lost && w.waits(n) {
				notes = append(notes, "the next sync waits for "+n.id.String()+" for ever: it was in sync once, and is not any more")
			}
			notes = append(notes, w.lagNotes(n)...)
			if w.hollow(n) {
				notes = append(notes, n.id.String()+" gates nothing before it is synced: no object of it counts while it is missing, and the health script in argocd-cm does not ask for Synced (that of docs/prove.md does)")
			}
			if w.fakeBarrier(n) {
				ungated = append(ungated, n)
			}
		}
	}
	notes = append(notes, w.ungatedNotes(ungated)...)
	slices.Sort(notes)
	return slices.Compact(notes)
}

// ungatedNotes names the child Applications that no wave waits for, many of them at once.
func (w *world) ungatedNotes(children []*node) []string {
	var notes, names []string
	for _, n := range children {
		notes = append(notes, n.id.String()+" gates nothing: "+w.whyNoGate()+", so "+n.place()+" does not wait for it")
		names = append(names, n.id.Name)
	}
	if len(notes) <= 3 {
		return notes
	}
	slices.Sort(names)
	return []string{fmt.Sprintf("%d Applications gate nothing: %s, so no wave waits for them: %s", len(names), w.whyNoGate(), strings.Join(names, ", "))}
}

// fakeBarriers names the objects that stand before a later step which looks as if it waited for them: Argo CD has no health check
// for their kind, and something later depends on more than their being there.
func (w *world) fakeBarriers(a *app) []string {
	var notes []string
	seen := map[*node]bool{}
	for _, nodes := range a.nodes {
		for _, x := range nodes {
			for _, k := range append(slices.Clone(x.apply), x.healthy...) {
				for _, p := range w.provided[k.fact] {
					n := p.node
					if p.healthy && n.app == a && n.step < x.step && !n.gate && !seen[n] {
						seen[n] = true
						notes = append(notes, n.id.String()+" gates nothing: Argo CD has no health check for it, so "+x.place()+" does not wait for what "+x.id.String()+" needs of it")
					}
				}
			}
		}
	}
	return notes
}

// fakeBarrier reports whether an Application stands before a later step that looks as if it waited for it.
func (w *world) fakeBarrier(n *node) bool {
	if n.gate || n.step == len(n.app.steps)-1 || w.child(n) == nil {
		return false
	}
	return slices.ContainsFunc(n.app.nodes[n.step+1:], func(later []*node) bool {
		return slices.ContainsFunc(later, func(x *node) bool { return w.child(x) != nil })
	})
}

// whyNoGate says why an Application object is no gate.
func (w *world) whyNoGate() string {
	if hasty := w.script().hasty; hasty != "" {
		return "its health script in argocd-cm calls Healthy an Application that " + hasty
	}
	return "Argo CD has no health check for it"
}
