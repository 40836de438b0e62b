package argoapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/diff"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/stored"
)

// holder is a place in a CRD: a Kubernetes type, its path, and a CRD whose field at that path is given.
type holder struct {
	kind  any
	path  string
	given func(fields map[string]any) map[string]any
}

func crdOf(spec map[string]any) map[string]any {
	return map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "a"}, "spec": spec}
}

func crdOfVersion(version map[string]any) map[string]any {
	return crdOf(map[string]any{"group": "g", "versions": []any{version}})
}

func crdOfSchema(schema map[string]any) map[string]any {
	return crdOfVersion(map[string]any{"name": "v1", "schema": map[string]any{"openAPIV3Schema": schema}})
}

func holders() []holder {
	const schema = "spec.versions[0].schema.openAPIV3Schema"
	return []holder{
		{apiextensions.CustomResourceDefinitionSpec{}, "spec", crdOf},
		{apiextensions.CustomResourceDefinitionNames{}, "spec.names", func(f map[string]any) map[string]any { return crdOf(map[string]any{"names": f}) }},
		{apiextensions.CustomResourceDefinitionVersion{}, "spec.versions[0]", crdOfVersion},
		{apiextensions.CustomResourceColumnDefinition{}, "spec.versions[0].additionalPrinterColumns[0]", func(f map[string]any) map[string]any {
			return crdOfVersion(map[string]any{"additionalPrinterColumns": []any{f}})
		}},
		{apiextensions.JSONSchemaProps{}, schema, crdOfSchema},
		{apiextensions.JSONSchemaProps{}, schema + ".properties.p", func(f map[string]any) map[string]any {
			return crdOfSchema(map[string]any{"properties": map[string]any{"p": f}})
		}},
		{apiextensions.JSONSchemaProps{}, schema + ".items", func(f map[string]any) map[string]any { return crdOfSchema(map[string]any{"items": f}) }},
		{apiextensions.JSONSchemaProps{}, schema + ".anyOf[0]", func(f map[string]any) map[string]any { return crdOfSchema(map[string]any{"anyOf": []any{f}}) }},
		{apiextensions.ValidationRule{}, schema + ".x-kubernetes-validations[0]", func(f map[string]any) map[string]any {
			return crdOfSchema(map[string]any{"x-kubernetes-validations": []any{f}})
		}},
	}
}

// TestDroppedByTheAPIServer holds stored.Dropped beside the API server's own types and Argo CD's own comparison: every field of them,
// stated empty in every way that they take, is among what is dropped exactly if it is gone once it was read and written, and exactly then
// Argo CD calls the CRD modified.
func TestDroppedByTheAPIServer(t *testing.T) {
	dropped := 0
	for _, h := range holders() {
		for i := range reflect.TypeOf(h.kind).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(h.kind).Field(i).Tag.Get("json"), ",")
			for _, value := range []any{map[string]any{}, []any{}, "", false, int64(0)} {
				dropped += h.compare(t, name, value)
			}
		}
	}
	if dropped < 100 {
		t.Errorf("only %d fields were dropped", dropped)
	}
}

// compare returns 1 where the field is dropped.
func (h holder) compare(t *testing.T, name string, value any) int {
	t.Helper()
	config := h.given(map[string]any{name: value})
	live, ok := kept(t, config)
	if _, isSchema := value.(map[string]any); name == "items" && !isSchema {
		return 0 // as the types take it, and the API server's validation does not
	}
	if !ok {
		return 0 // the API server does not take it
	}
	var paths []string
	for _, p := range stored.Dropped(manifest.New(config)) {
		paths = append(paths, p.String())
	}
	at := h.path + "." + name
	gone := !reaches(live, config, name)
	if slices.Contains(paths, at) != gone {
		t.Errorf("%s: %#v: dropped by the API server: %v; said to be dropped: %v", at, value, gone, paths)
	}
	result, err := diff.Diff(&unstructured.Unstructured{Object: config}, &unstructured.Unstructured{Object: live})
	if err != nil {
		t.Fatal(err)
	}
	if result.Modified != gone {
		t.Errorf("%s: %#v: Argo CD calls it modified: %v, dropped: %v", at, value, result.Modified, gone)
	}
	if gone {
		return 1
	}
	return 0
}

// kept is a CRD as the API server gives it back, without the defaults that it adds.
func kept(t *testing.T, config map[string]any) (map[string]any, bool) {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	var typed apiextensions.CustomResourceDefinition
	if json.Unmarshal(text, &typed) != nil {
		return nil, false
	}
	if text, err = json.Marshal(typed); err != nil {
		return nil, false
	}
	live := map[string]any{}
	if err := json.Unmarshal(text, &live); err != nil {
		t.Fatal(err)
	}
	return live, true
}

// reaches reports whether everything that leads to a field in one object is in the other too, and the field.
func reaches(live, config any, name string) bool {
	switch config := config.(type) {
	case map[string]any:
		there, _ := live.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(config)) {
			if _, ok := there[key]; !ok || !reaches(there[key], config[key], name) {
				return false
			}
		}
	case []any:
		there, _ := live.([]any)
		for i := range config {
			if i >= len(there) || !reaches(there[i], config[i], name) {
				return false
			}
		}
	}
	return fmt.Sprint(live) != "<nil>"
}
