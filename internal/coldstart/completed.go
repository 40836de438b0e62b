package coldstart

import (
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// completed says why a StatefulSet stays OutOfSync for ever: the API server writes the version and the kind into claim templates that
// lack them, and the comparison of a server-side apply, to which their list is one value, takes that for a difference (gitops-engine
// pkg/diff/diff.go, structuredMergeDiff; that of a client-side apply makes up for it, statefulSetWorkaround). A diff made by the server
// sees none. Seen on Argo CD 3.2.11 with cilium's chart.
func completed(n *node) string {
	application, o := n.app.in.Object, n.task.Object
	if n.id.Kind != "StatefulSet" || n.id.Group != "apps" || !n.serverSide() ||
		strings.Contains(application.Annotation(argocd.CompareAnnotation), serverSideDiff) {
		return ""
	}
	for i, template := range o.List("spec", "volumeClaimTemplates") {
		for _, field := range []string{"apiVersion", "kind"} {
			at := "spec.volumeClaimTemplates[" + strconv.Itoa(i) + "]." + field
			if valueAt(template, field) == nil && !ignores(application, n.id, "spec.volumeClaimTemplates[]."+field) {
				return "is OutOfSync for ever: the API server writes " + at + ", which is not stated"
			}
		}
	}
	return ""
}
