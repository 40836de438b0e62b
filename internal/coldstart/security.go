package coldstart

import (
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

const enforceLabel = "pod-security.kubernetes.io/enforce"

// insecure says what the Pod Security level of a namespace refuses in the pods of a workload. The labels are those of the
// Namespace object, or those that an Application gives to the namespace which it makes; of others nothing is known.
func (w *world) insecure(n *node) []need {
	level, _ := w.namespaceLabels(n, n.id.Namespace)[enforceLabel].(string)
	var beyond []string
	switch level {
	case "baseline":
		beyond = needs.BeyondBaseline(n.task.Object)
	case "restricted":
		beyond = append(needs.BeyondBaseline(n.task.Object), needs.BeyondRestricted(n.task.Object)...)
	}
	if len(beyond) == 0 {
		return nil
	}
	return []need{refuses("runs pods that the Pod Security level " + level + " of namespace " + n.id.Namespace + " refuses (" + strings.Join(beyond, ", ") + ")")}
}

// namespaceLabels returns the labels of a namespace on the cluster of an object, as far as they are known.
func (w *world) namespaceLabels(n *node, name string) map[string]any {
	if labels := w.namespace[n.key(name)].Map("metadata", "labels"); labels != nil || name == "" {
		return labels
	}
	return w.managed[n.key(name)]
}

// manage keeps the labels that an Application gives to the namespace which it makes.
func (w *world) manage(a *app) {
	name := a.in.Object.String("spec", "destination", "namespace")
	labels := a.in.Object.Map("spec", "syncPolicy", "managedNamespaceMetadata", "labels")
	if labels != nil && w.managed[keyOn(a.on, name)] == nil && w.makesNamespace(a, name) {
		w.managed[keyOn(a.on, name)] = labels
	}
}
