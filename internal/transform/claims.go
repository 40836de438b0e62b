package transform

import (
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// ClaimTemplates writes the version and the kind into the claim templates of StatefulSets that lack them, as the API server does when
// it stores them: to the comparison of a server-side apply the list is one value, so that an Application with a StatefulSet that
// leaves them out is OutOfSync for ever (gitops-engine pkg/diff/diff.go, structuredMergeDiff; seen on Argo CD 3.2.11).
func ClaimTemplates(bundles []manifest.Bundle) []manifest.Bundle {
	out := make([]manifest.Bundle, len(bundles))
	for i, b := range bundles {
		out[i] = manifest.Bundle{Name: b.Name, Objects: slices.Clone(b.Objects)}
		for j, o := range b.Objects {
			if id := o.ID(); id.Kind == "StatefulSet" && id.Group == "apps" {
				out[i].Objects[j] = completed(o)
			}
		}
	}
	return out
}

// completed returns the StatefulSet itself where no template lacks anything.
func completed(o manifest.Object) manifest.Object {
	templates, changed := slices.Clone(o.List("spec", "volumeClaimTemplates")), false
	for i, template := range templates {
		fields, ok := template.(map[string]any)
		if !ok {
			continue
		}
		whole := map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
		changed = changed || fields["apiVersion"] == nil || fields["kind"] == nil
		maps.Copy(whole, fields)
		templates[i] = whole
	}
	if !changed {
		return o
	}
	return o.Set(templates, "spec", "volumeClaimTemplates")
}
