package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// Bootstraps reports whether an Application's objects must be applied before Argo CD can run: they hold Argo CD's own
// controller, or the DaemonSet that gives nodes their network.
func Bootstraps(objects []manifest.Object) bool { return slices.ContainsFunc(objects, carries) }

// carries reports whether nothing syncs before the pods of an object run.
func carries(o manifest.Object) bool { return needs.RunsArgoCD(o) || needs.GivesNetwork(o) }

// stalled returns the objects without which Argo CD does not run, and which need what only a sync brings.
func (w *world) stalled() []*node {
	var list []*node
	for _, n := range w.all {
		if n.app.in.Bootstrap && n.app.on == "" && !n.early && carries(n.task.Object) {
			list = append(list, n)
		}
	}
	return list
}

// unburdened returns the input with the network of the nodes taken for given: no Application must be applied by hand because it brings
// one. It is nothing new where Argo CD itself is what stalls.
func (in Input) unburdened(stalled []*node) (Input, bool) {
	if !in.Network || !slices.ContainsFunc(stalled, func(n *node) bool { return !needs.RunsArgoCD(n.task.Object) }) {
		return in, false
	}
	in.Network, in.Applications = false, slices.Clone(in.Applications)
	for i, a := range in.Applications {
		in.Applications[i].Bootstrap = a.Bootstrap && slices.ContainsFunc(a.Objects, needs.RunsArgoCD)
	}
	return in, true
}

// neverStarts is the outcome of every Application where Argo CD does not run.
func (w *world) neverStarts(a *app, stalled *node) Outcome {
	c := w.reasons.chain(w.reasons.object(blocker{node: stalled}))
	first := link(stalled, "must run before Argo CD syncs anything, and needs what only a sync brings")
	return Outcome{Application: a.name, Verdict: c.verdict, Blocked: stalled.id, Chain: append([]Link{first}, c.links...), Axiom: c.axiom}
}
