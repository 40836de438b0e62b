package transform

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/stored"
)

// Defaults states in custom resources what their CRDs would fill into lists that are compared as a whole (stored.Defaults), with the
// CRDs of any bundle: without it Argo CD would call the Application OutOfSync for ever, and apply it again and again.
func Defaults(bundles []manifest.Bundle) []manifest.Bundle {
	schemas := map[manifest.ID]map[string]any{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			addSchemas(schemas, o)
		}
	}
	out := slices.Clone(bundles)
	for i, b := range bundles {
		cloned := false
		for j, o := range b.Objects {
			id := o.ID()
			missing := stored.Defaults(o, schemas[manifest.ID{Group: id.Group, Version: id.Version, Kind: id.Kind}])
			if len(missing) == 0 {
				continue
			}
			if !cloned {
				out[i].Objects, cloned = slices.Clone(b.Objects), true
			}
			out[i].Objects[j] = stored.With(o, missing)
		}
	}
	return out
}

func addSchemas(schemas map[manifest.ID]map[string]any, crd manifest.Object) {
	if id := crd.ID(); id.Group != "apiextensions.k8s.io" || id.Kind != "CustomResourceDefinition" {
		return
	}
	for _, item := range crd.List("spec", "versions") {
		version, _ := item.(map[string]any)
		name, _ := version["name"].(string)
		holder, _ := version["schema"].(map[string]any)
		if schema, ok := holder["openAPIV3Schema"].(map[string]any); ok {
			schemas[manifest.ID{Group: crd.String("spec", "group"), Version: name, Kind: crd.String("spec", "names", "kind")}] = schema
		}
	}
}
