// Package stored tells what of an object the API server does not store.
package stored

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Path leads from an object to one of its fields: keys and indices.
type Path []any

// String writes the path as spec.versions[0].name.
func (p Path) String() string {
	var b strings.Builder
	for _, step := range p {
		if i, ok := step.(int); ok {
			fmt.Fprintf(&b, "[%d]", i)
			continue
		}
		fmt.Fprintf(&b, ".%v", step)
	}
	return strings.TrimPrefix(b.String(), ".")
}

func (p Path) to(steps ...any) Path { return append(slices.Clone(p), steps...) }

// Dropped returns what a CRD states in vain: fields that are empty (or false, or 0) and that the API server leaves out then (apiextensions
// v1, types.go and types_jsonschema.go: omitempty of what is no pointer). Argo CD compares a CRD field by field, so that one which
// states such a field is OutOfSync for ever. Empty fields that mean something stay: a default, a schema that allows everything,
// `subresources.status`. Nothing is known of other kinds: Argo CD reads those which Kubernetes brings through its types.
func Dropped(o manifest.Object) []Path {
	if id := o.ID(); id.Group != "apiextensions.k8s.io" || id.Kind != "CustomResourceDefinition" {
		return nil
	}
	var f finder
	spec := o.Map("spec")
	f.fields(spec, Path{"spec"}, "preserveUnknownFields")
	names, _ := spec["names"].(map[string]any)
	f.fields(names, Path{"spec", "names"}, "categories", "listKind", "shortNames", "singular")
	for i, version := range list(spec["versions"]) {
		f.version(version, Path{"spec", "versions", i})
	}
	return f.found
}

type finder struct{ found []Path }

func (f *finder) version(at any, path Path) {
	version, _ := at.(map[string]any)
	f.fields(version, path, "additionalPrinterColumns", "deprecated", "selectableFields")
	for i, column := range list(version["additionalPrinterColumns"]) {
		fields, _ := column.(map[string]any)
		f.fields(fields, path.to("additionalPrinterColumns", i), "description", "format", "priority")
	}
	holder, _ := version["schema"].(map[string]any)
	f.schema(holder["openAPIV3Schema"], path.to("schema", "openAPIV3Schema"))
}

// ofSchema are the fields of a schema that are left out when they are empty, sorted.
var ofSchema = []string{
	"$schema", "allOf", "anyOf", "definitions", "dependencies", "description", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "id",
	"nullable", "oneOf", "pattern", "patternProperties", "properties", "required", "title", "type", "uniqueItems", "x-kubernetes-embedded-resource",
	"x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-validations",
}

// The fields of a schema that hold schemas.
var (
	byName = []string{"definitions", "patternProperties", "properties"}
	inList = []string{"allOf", "anyOf", "items", "oneOf"}
	single = []string{"additionalItems", "additionalProperties", "items", "not"}
)

func (f *finder) schema(at any, path Path) {
	schema, ok := at.(map[string]any)
	if !ok {
		return
	}
	f.fields(schema, path, ofSchema...)
	for _, key := range byName {
		inner, _ := schema[key].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(inner)) {
			f.schema(inner[name], path.to(key, name))
		}
	}
	for _, key := range inList {
		for i, inner := range list(schema[key]) {
			f.schema(inner, path.to(key, i))
		}
	}
	for _, key := range single {
		f.schema(schema[key], path.to(key))
	}
	for i, rule := range list(schema["x-kubernetes-validations"]) {
		fields, _ := rule.(map[string]any)
		f.fields(fields, path.to("x-kubernetes-validations", i), "fieldPath", "message", "messageExpression")
	}
}

// fields finds those of a map that are stated and empty.
func (f *finder) fields(at map[string]any, path Path, names ...string) {
	for _, name := range names {
		if value, stated := at[name]; stated && empty(value) {
			f.found = append(f.found, path.to(name))
		}
	}
}

func empty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	}
	return false
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

// Without returns the object without some of its fields.
func Without(o manifest.Object, paths []Path) manifest.Object {
	fields, _ := manifest.Copy(o.Fields()).(map[string]any)
	for _, path := range paths {
		var at any = fields
		for _, step := range path[:len(path)-1] {
			switch step := step.(type) {
			case int:
				at = list(at)[step]
			case string:
				inner, _ := at.(map[string]any)
				at = inner[step]
			}
		}
		if parent, ok := at.(map[string]any); ok {
			delete(parent, path[len(path)-1].(string))
		}
	}
	return manifest.New(fields)
}
