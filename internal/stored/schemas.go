package stored

import "github.com/coldstart-gitops/gen/internal/manifest"

// Schemas are those of custom resources, by group, version and kind, as their CRDs state them.
type Schemas map[manifest.ID]map[string]any

// Add enters the schemas of an object that is a CRD.
func (s Schemas) Add(o manifest.Object) {
	if id := o.ID(); id.Group != "apiextensions.k8s.io" || id.Kind != "CustomResourceDefinition" {
		return
	}
	for _, item := range o.List("spec", "versions") {
		version, _ := item.(map[string]any)
		name, _ := version["name"].(string)
		holder, _ := version["schema"].(map[string]any)
		if schema, ok := holder["openAPIV3Schema"].(map[string]any); ok {
			s[manifest.ID{Group: o.String("spec", "group"), Version: name, Kind: o.String("spec", "names", "kind")}] = schema
		}
	}
}

// Of returns the schema of an object; nil where no CRD states one.
func (s Schemas) Of(o manifest.Object) map[string]any {
	id := o.ID()
	return s[manifest.ID{Group: id.Group, Version: id.Version, Kind: id.Kind}]
}
