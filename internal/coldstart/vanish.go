package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// vanish turns needs of an object into such as nothing meets, where all that provides them are hooks which are deleted once their sync has
// succeeded (gitops-engine pkg/sync/sync_context.go, deleteHooks): those of other syncs are gone before anybody else comes by, those of its own
// before it is ready, if it outlives that sync.
func (w *world) vanish(n *node, list []need, outlives bool) {
	for i, k := range list {
		providers := w.provided[k.fact]
		if len(providers) == 0 || w.isGiven(k.fact) || slices.ContainsFunc(providers, func(p provision) bool {
			return !p.node.deleted() || p.node.app == n.app && !outlives
		}) {
			continue
		}
		p, soon := providers[0].node, ""
		if p.app == n.app {
			soon = ", as soon as the last step is applied, which is not waited for"
		}
		list[i] = refuses(k.why + ", and " + p.id.String() + " is a hook of Application " + p.app.name + ", which deletes it once its sync has succeeded" + soon)
	}
}

// outlives reports whether its sync has succeeded before an object is ready: it is of the last step, which is applied and not waited for.
func (n *node) outlives() bool {
	return !n.hook && !n.app.in.Bootstrap && n.step == len(n.app.steps)-1 && !n.app.waitsLast
}

// deleted reports whether an object is a hook that its sync takes away in the end. What a Job has made stays when the Job goes.
func (n *node) deleted() bool {
	return n.id.Kind != "Job" && argocd.IsHook(n.task.Object) && slices.Contains(argocd.DeletePolicies(n.task.Object), argocd.HookSucceeded)
}
