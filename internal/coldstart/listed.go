package coldstart

import (
	"k8s.io/apimachinery/pkg/version"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// unlisted returns what Argo CD needs before it sees an object: it lists each kind in the version that the API server prefers, and where
// that is not the stored one, the CRD's conversion webhook must turn every object into it. While it does not answer, the objects of
// the kind are missing to Argo CD, and their Application is never in sync (gitops-engine pkg/cache/cluster.go, loadInitialState; no
// version up to Argo CD 3.5 overlooks that; argo-cd#4155).
func (w *world) unlisted(n *node) []need {
	definition := w.definitions[n.key(dotted(n.id))]
	if definition == nil || definition.task.Object.String("spec", "conversion", "strategy") != "Webhook" {
		return nil
	}
	stored, preferred := storedVersion(definition.task.Object), preferredVersion(definition.task.Object)
	if stored == preferred {
		return nil
	}
	why := "is listed by Argo CD in version " + preferred + ", not in the stored " + stored + ", into which the webhook of " + definition.id.Name + " must turn it,"
	return because(why, w.answering(definition, definition.task.Object.Get("spec", "conversion", "webhook", "clientConfig")))
}

// preferredVersion returns the version in which the API server names a kind first: the highest one that is served.
func preferredVersion(definition manifest.Object) string {
	best := ""
	for _, item := range definition.List("spec", "versions") {
		name := textAt(item, "name")
		if valueAt(item, "served") != false && (best == "" || version.CompareKubeAwareVersionStrings(name, best) > 0) {
			best = name
		}
	}
	return best
}
