package stored

import (
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Default is a field that the API server fills in.
type Default struct {
	Path  Path
	Value any
}

// Defaults returns what a custom resource leaves to the defaults of its CRD's schema inside of values that are owned as a whole: lists,
// unless they are of list type map, and maps that are called atomic (Kubernetes docs, server-side apply, merge strategy). Argo CD
// compares such a value as one, so that a resource which leaves out a part of it is OutOfSync for ever (gitops-engine pkg/diff/diff.go,
// structuredMergeDiff and threeWayMergePatch; seen on Argo CD 3.2.11 with ExternalSecrets of v1beta1). Outside of them each field is
// compared for itself, and a default is no difference.
func Defaults(o manifest.Object, schema map[string]any) []Default {
	properties, _ := schema["properties"].(map[string]any)
	var f filler
	for _, field := range slices.Sorted(maps.Keys(properties)) {
		value, stated := o.Fields()[field]
		if stated && field != "apiVersion" && field != "kind" && field != "metadata" && field != "status" {
			f.value(properties[field], value, Path{field}, false)
		}
	}
	return f.found
}

type filler struct{ found []Default }

// value walks a value and its schema; whole says that it is owned as a whole.
func (f *filler) value(of, value any, path Path, whole bool) {
	schema, ok := of.(map[string]any)
	if !ok {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		f.object(schema, v, path, whole || schema["x-kubernetes-map-type"] == "atomic")
	case []any:
		for i, item := range v {
			f.value(schema["items"], item, path.to(i), whole || schema["x-kubernetes-list-type"] != "map")
		}
	}
}

func (f *filler) object(schema, value map[string]any, path Path, whole bool) {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		inner, stated := value[name]
		if stated {
			f.value(properties[name], inner, path.to(name), whole)
			continue
		}
		property, _ := properties[name].(map[string]any)
		if filled, found := property["default"]; found && whole {
			f.found = append(f.found, Default{path.to(name), filled})
			f.value(property, filled, path.to(name), whole)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if _, known := properties[name]; !known {
			f.value(schema["additionalProperties"], value[name], path.to(name), whole)
		}
	}
}

// With returns the object with the defaults stated.
func With(o manifest.Object, defaults []Default) manifest.Object {
	if len(defaults) == 0 {
		return o
	}
	return o.Edit(func(fields map[string]any) {
		for _, d := range defaults {
			state(fields, d.Path, manifest.Copy(d.Value))
		}
	})
}

func state(at any, path Path, value any) {
	switch container := at.(type) {
	case map[string]any:
		name, _ := path[0].(string)
		if len(path) == 1 {
			container[name] = value
			return
		}
		state(container[name], path[1:], value)
	case []any:
		if i, ok := path[0].(int); ok && i < len(container) && len(path) > 1 {
			state(container[i], path[1:], value)
		}
	}
}

// Fields writes the path as ignored fields are written: an index is any.
func (p Path) Fields() string {
	var b []byte
	for i, step := range p {
		if name, ok := step.(string); ok {
			if i > 0 {
				b = append(b, '.')
			}
			b = append(b, name...)
			continue
		}
		b = append(b, "[]"...)
	}
	return string(b)
}
