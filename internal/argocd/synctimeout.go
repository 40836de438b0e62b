package argocd

import (
	"strconv"
	"time"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// SyncTimeoutKey of argocd-cmd-params-cm is after how many seconds the application controller ends an operation, all its attempts
// counted; 0 and nothing are never (cmd/argocd-application-controller, --sync-timeout; controller/appcontroller.go,
// processRequestedAppOperation).
const SyncTimeoutKey = "controller.sync.timeout.seconds"

// ApplicationWait is how long the first steps wait for one Application, unless they are told otherwise. A bring-up of many may take
// the sum of it (decision 0024).
const ApplicationWait = 20 * time.Minute

// SyncTimeout is what the argocd-cmd-params-cm of that namespace says; false where none is among the objects.
func SyncTimeout(namespace string, objects []manifest.Object) (limit time.Duration, stated bool) {
	for _, o := range objects {
		if id := o.ID(); id.Group != "" || id.Kind != "ConfigMap" || id.Namespace != namespace || id.Name != "argocd-cmd-params-cm" {
			continue
		}
		seconds, err := strconv.Atoi(o.String("data", SyncTimeoutKey))
		if err != nil || seconds < 0 {
			seconds = 0 // Argo CD warns, and takes its default
		}
		return time.Duration(seconds) * time.Second, true
	}
	return 0, false
}
