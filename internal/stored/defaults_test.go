package stored

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestDefaults states which fields a custom resource leaves to defaults that Argo CD takes for a difference, and that none is left once
// they are stated.
func TestDefaults(t *testing.T) {
	const item = "items: {type: object, properties: {key: {type: string}, mode: {type: string, default: m}, more: {type: object, properties: {deep: {type: integer, default: 0}}}}}"
	tests := map[string]struct{ schema, spec, want string }{
		"an item of a list":             {"list: {type: array, " + item + "}", "list: [{key: a}, {key: b, mode: x}]", "spec.list[0].mode"},
		"deep inside of it":             {"list: {type: array, " + item + "}", "list: [{key: a, mode: x, more: {}}]", "spec.list[0].more.deep"},
		"a list of type map":            {"list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [key], " + item + "}", "list: [{key: a}]", ""},
		"a list that is called atomic":  {"list: {type: array, x-kubernetes-list-type: atomic, " + item + "}", "list: [{key: a}]", "spec.list[0].mode"},
		"a map":                         {"mode: {type: string, default: m}", "", ""},
		"a map that is called atomic":   {"map: {type: object, x-kubernetes-map-type: atomic, properties: {mode: {type: string, default: m}}}", "map: {}", "spec.map.mode"},
		"maps of any name":              {"map: {type: object, additionalProperties: {type: array, " + item + "}}", "map: {a: [{key: a}]}", "spec.map.a[0].mode"},
		"a default with defaults in it": {"list: {type: array, items: {type: object, properties: {more: {type: object, default: {}, properties: {deep: {type: integer, default: 0}}}}}}", "list: [{}]", "spec.list[0].more spec.list[0].more.deep"},
		"no list":                       {"list: {type: array, " + item + "}", "", ""},
		"something else in its place":   {"list: {type: array, " + item + "}", "list: none", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var schema, fields map[string]any
			if err := yaml.Unmarshal([]byte("{type: object, properties: {spec: {type: object, properties: {"+tt.schema+"}}}}"), &schema); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal([]byte("{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {"+tt.spec+"}}"), &fields); err != nil {
				t.Fatal(err)
			}
			o := manifest.New(fields)
			found := Defaults(o, schema)
			var paths []string
			for _, d := range found {
				paths = append(paths, d.Path.String())
			}
			if got := strings.Join(paths, " "); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if left := Defaults(With(o, found), schema); len(left) > 0 {
				t.Errorf("still left out: %v", left)
			}
		})
	}
}
