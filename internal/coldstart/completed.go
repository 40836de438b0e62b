package coldstart

import (
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/stored"
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

// defaulted says why a custom resource stays OutOfSync for ever: it leaves out what its CRD's schema has a default for, inside of a value
// that is compared as a whole (stored.Defaults). A comparison made by the server sees none.
func (w *world) defaulted(n *node) string {
	application, id := n.app.in.Object, n.id
	if strings.Contains(application.Annotation(argocd.CompareAnnotation), serverSideDiff) {
		return ""
	}
	for _, d := range stored.Defaults(n.task.Object, w.schemas.Of(n.task.Object)) {
		if !ignores(application, id, d.Path.Fields()) {
			return "is OutOfSync for ever: the API server writes " + d.Path.String() + ", which is not stated"
		}
	}
	return ""
}

// normalized says why an Application stays OutOfSync to the one that applies it: Argo CD writes the name of the project default where
// an empty text stands for it (argo-cd util/argo/argo.go, NormalizeApplicationSpec). Seen on Argo CD 3.2.11.
func normalized(n *node) string {
	if project, stated := n.task.Object.Get("spec", "project").(string); n.id.Group != "argoproj.io" || n.id.Kind != "Application" || !stated || project != "" || ignores(n.app.in.Object, n.id, "spec.project") {
		return ""
	}
	return `is OutOfSync for ever: its project is "", in whose place Argo CD writes default`
}
