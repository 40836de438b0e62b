package transform

import (
	"fmt"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// InnerWaves moves objects behind the webhook of their own component: a custom resource that a webhook must admit which fails closed,
// and whose pods come with the same sync, is refused at the first attempt, whatever the order of components is. No other order inside
// a component is set: an Application of more than one step waits, and a waiting one ignores the commit that would cure it. Waves
// and hooks that objects have already are kept. Each moved object is a notice.
func InnerWaves(bundles []manifest.Bundle) ([]manifest.Bundle, []Notice) {
	out := slices.Clone(bundles)
	var notices []Notice
	for i, b := range bundles {
		answers := map[needs.Fact]manifest.ID{}
		for _, o := range b.Objects {
			for _, fact := range needs.Provided(o) {
				if fact.Type == needs.Admission {
					answers[fact] = o.ID()
				}
			}
		}
		if len(answers) == 0 {
			continue
		}
		objects := slices.Clone(b.Objects)
		for j, o := range objects {
			if by, ok := ownWebhook(o, answers); ok {
				objects[j] = o.Set("1", "metadata", "annotations", argocd.WaveAnnotation)
				notices = append(notices, Notice{Component: b.Name, Object: o.ID(), Message: fmt.Sprintf(
					"applied in wave 1 of its Application, behind all others: %s of the same component must admit it, fails closed, and answers only once its pods run", by)})
			}
		}
		out[i].Objects = objects
	}
	return out, notices
}

// ownWebhook returns the webhook configuration among its own component's that must admit a custom resource which has no wave yet.
func ownWebhook(o manifest.Object, answers map[needs.Fact]manifest.ID) (manifest.ID, bool) {
	id := o.ID()
	if manifest.Builtin(id.Group, id.Kind) || argocd.IsHook(o) || o.Annotation(argocd.WaveAnnotation) != "" || o.Annotation(argocd.HelmWeightAnnotation) != "" {
		return manifest.ID{}, false
	}
	for _, need := range needs.Of(o) {
		if by, ok := answers[need.Fact]; ok && need.Rule.IfAny {
			return by, true
		}
	}
	return manifest.ID{}, false
}
