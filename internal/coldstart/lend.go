package coldstart

import (
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// workloadOf returns the object whose pods a Rollout runs in its own place, zero where it has pods of its own (Argo Rollouts docs,
// Migrating to Rollouts: workloadRef).
func workloadOf(n *node) manifest.ID {
	if dotted(n.id) != "Rollout.argoproj.io" || n.task.Object.Map("spec", "workloadRef") == nil {
		return manifest.ID{}
	}
	ref := func(key string) string { return n.task.Object.String("spec", "workloadRef", key) }
	group, _ := manifest.SplitAPIVersion(ref("apiVersion"))
	return manifest.ID{Group: group, Kind: ref("kind"), Namespace: n.id.Namespace, Name: ref("name")}
}

// lendTemplates gives every Rollout that refers to the pods of another object that object's template, so that it counts as the workload
// which it is.
func (w *world) lendTemplates() {
	borrowers := map[manifest.ID][]*node{}
	for _, n := range w.all {
		if from := workloadOf(n); from.Name != "" {
			borrowers[from] = append(borrowers[from], n)
		}
	}
	for _, n := range w.all {
		id := n.id
		id.Version = ""
		for _, to := range borrowers[id] {
			if template := n.task.Object.Get("spec", "template"); template != nil && to.app.on == n.app.on {
				to.task.Object = to.task.Object.Set(template, "spec", "template")
			}
		}
	}
}

// lent returns the need of a Rollout for the object whose pods it runs.
func lent(n *node) []need {
	from := workloadOf(n)
	if from.Name == "" {
		return nil
	}
	return []need{wants(needs.Fact{Type: needs.Exists, Group: from.Group, Kind: from.Kind, Namespace: from.Namespace, Name: from.Name}, "runs the pods of another object (workloadRef)")}
}
