package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// notes says what a person should know of an Application beside its verdict.
func (w *world) notes(a *app) []string {
	var notes []string
	for _, id := range a.excluded {
		notes = append(notes, id.String()+" is never applied: Argo CD overlooks its kind")
	}
	for _, why := range a.failures {
		notes = append(notes, "an attempt fails or may fail: "+why)
	}
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			if argocd.WaveIgnored(n.task.Object) {
				notes = append(notes, n.id.String()+" has a sync-wave that is no integer: it counts as absent")
			}
			notes = append(notes, w.lagNotes(n)...)
			if w.fakeBarrier(n) {
				notes = append(notes, n.id.String()+" gates nothing: Argo CD has no health check for it, so "+n.place()+" does not wait for it")
			}
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// fakeBarrier reports whether an Application stands before a later step that looks as if it waited for it.
func (w *world) fakeBarrier(n *node) bool {
	if n.gate || n.step == len(n.app.steps)-1 || w.child(n) == nil {
		return false
	}
	return strings.EqualFold(n.id.Kind, "Application") && slices.ContainsFunc(n.app.nodes[n.step+1:], func(later []*node) bool {
		return slices.ContainsFunc(later, func(x *node) bool { return w.child(x) != nil })
	})
}
