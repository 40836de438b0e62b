package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// vanish turns needs of an object into such as nothing meets, where all that provides them are hooks of other syncs which are deleted
// once those have succeeded (gitops-engine pkg/sync/sync_context.go, deleteHooks): they are gone before anybody else comes by.
func (w *world) vanish(n *node, list []need) {
	for i, k := range list {
		providers := w.provided[k.fact]
		if len(providers) == 0 || w.isGiven(k.fact) || !slices.ContainsFunc(providers, func(p provision) bool { return p.node.deleted() }) {
			continue
		}
		if !slices.ContainsFunc(providers, func(p provision) bool { return p.node.app == n.app || !p.node.deleted() }) {
			p := providers[0].node
			list[i] = refuses(k.why + ", and " + p.id.String() + " is a hook of Application " + p.app.name + ", which deletes it once its sync has succeeded")
		}
	}
}

// deleted reports whether an object is a hook that its sync takes away in the end. What a Job has made stays when the Job goes.
func (n *node) deleted() bool {
	return n.id.Kind != "Job" && argocd.IsHook(n.task.Object) && slices.Contains(argocd.DeletePolicies(n.task.Object), argocd.HookSucceeded)
}
