package coldstart

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// collectConsumer says which claims the pods of a workload mount: by name, and of a StatefulSet those that it would make itself, which
// it adopts where they are there.
func (w *world) collectConsumer(n *node, spec map[string]any) {
	o := n.task.Object
	for _, volume := range listOf(spec, "volumes") {
		if claim := textAt(volume, "persistentVolumeClaim", "claimName"); claim != "" {
			w.provide(named(consumer, n.id.Namespace, claim), n, false)
		}
	}
	templates := o.List("spec", "volumeClaimTemplates")
	if len(templates) == 0 {
		return
	}
	for _, claim := range w.ofKind(n.app.on, "", "PersistentVolumeClaim") {
		if slices.ContainsFunc(templates, func(t any) bool { return adopts(o, t, claim.id.Name) }) {
			w.provide(named(consumer, n.id.Namespace, claim.id.Name), n, false)
		}
	}
}

// adopts reports whether a StatefulSet gives a claim of that name to one of its pods (Kubernetes docs, StatefulSets: the name of the
// template, that of the set, and the number of the pod).
func adopts(set manifest.Object, template any, claim string) bool {
	name := textAt(template, "metadata", "name")
	digits, ok := strings.CutPrefix(claim, name+"-"+set.ID().Name+"-")
	ordinal, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil {
		return false
	}
	replicas, stated := set.Get("spec", "replicas").(int64)
	if !stated {
		replicas = 1
	}
	start, _ := set.Get("spec", "ordinals", "start").(int64)
	return ordinal >= start && ordinal-start < replicas
}
