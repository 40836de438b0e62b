package transform

import (
	"fmt"
	"time"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TimeLimit returns a notice where Argo CD would end the root's operation while the first steps still wait for Applications:
// an operation that was ended is not tried again at the same commit, and the rest of the cluster would not come (decision 0024).
// stated is what the model says of the limit; where nothing rendered carries it, that is a notice too.
func TimeLimit(t Target, stated string, apps *Applications, bundles []manifest.Bundle) []Notice {
	if t.In != "cluster" || apps == nil {
		return nil
	}
	for _, b := range bundles {
		limit, found := argocd.SyncTimeout(t.Namespace, b.Objects)
		if !found {
			continue
		}
		total := time.Duration(len(apps.Children)+1) * argocd.ApplicationWait
		if limit == 0 || limit >= total {
			return nil
		}
		return []Notice{{Component: b.Name, Message: fmt.Sprintf("Argo CD ends an operation after %s, but bootstrap.sh waits for up to %s for %d Applications: a bring-up that takes longer "+
			"is ended half-way, and not tried again at the same commit; state argocd.syncTimeout: %s or more, or none", limit, total, len(apps.Children)+1, total)}}
	}
	if stated == "" {
		return nil
	}
	return []Notice{{Component: "argocd.syncTimeout", Message: "nothing here renders argocd-cmd-params-cm, so it has no effect; write " + argocd.SyncTimeoutKey + " into that of the Argo CD that serves " + t.Environment}}
}
