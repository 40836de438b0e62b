package coldstart

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// timeLimit says where Argo CD, as it is set up among the objects, may end the operation of an Application that waits for others:
// how long they take is not known here, but what is ended is not tried again at the same commit (decision 0024).
func (w *world) timeLimit(a *app) []string {
	children, waits := 0, false
	for step, nodes := range a.nodes {
		for _, n := range nodes {
			if w.child(n) != nil {
				children++
				waits = waits || n.gate && step < len(a.steps)-1
			}
		}
	}
	if !waits {
		return nil // most: nobody walks over all objects for each of them
	}
	limit := w.syncTimeout(cmp.Or(a.in.Object.ID().Namespace, "argocd"))
	total := time.Duration(children+1) * argocd.ApplicationWait
	if limit == 0 || limit >= total {
		return nil
	}
	return []string{fmt.Sprintf("its operation is ended after %s (%s) if its %d Applications take longer, and not tried again at the same commit", limit, argocd.SyncTimeoutKey, children)}
}

// syncTimeout is the limit of the Argo CD in a namespace, 0 where none is known.
func (w *world) syncTimeout(namespace string) time.Duration {
	if len(w.called(anywhere, "", "ConfigMap", params)) == 0 {
		return 0
	}
	for _, a := range slices.Backward(w.apps) {
		if limit, found := argocd.SyncTimeout(namespace, a.in.Objects); found {
			return limit
		}
	}
	return 0
}
