package gen_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// nativeSchemas returns the definitions of Kubernetes' own OpenAPI document, which its Go module holds: module proxies are
// reached where schema servers are not.
func nativeSchemas(t *testing.T, version string) map[string]any {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module schemas\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "k8s.io/kubernetes@v"+version)
	command.Dir, command.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("fetching Kubernetes %s: %v: %s", version, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(module.Dir, "api", "openapi-spec", "swagger.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Definitions map[string]any }
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	return document.Definitions
}

// nativeSchema returns the schema of one native kind, with all that it refers to.
func nativeSchema(definitions map[string]any, id manifest.ID) (map[string]any, bool) {
	for name, definition := range definitions {
		kinds, _ := definition.(map[string]any)["x-kubernetes-group-version-kind"].([]any)
		for _, kind := range kinds {
			of, _ := kind.(map[string]any)
			if of["group"] == id.Group && of["version"] == id.Version && of["kind"] == id.Kind {
				used := map[string]any{}
				refer(definitions, name, used)
				return map[string]any{"$ref": "#/definitions/" + name, "definitions": used}, true
			}
		}
	}
	return nil, false
}

// refer collects the definition and all that it refers to, each made strict.
func refer(definitions map[string]any, name string, used map[string]any) {
	if used[name] != nil {
		return
	}
	strictly := strict(definitions[name], false)
	if strings.HasSuffix(name, ".Quantity") {
		strictly = map[string]any{"type": []any{"string", "number"}} // cpu: 1
	}
	used[name] = strictly
	for _, other := range references(strictly) {
		refer(definitions, other, used)
	}
}

func references(schema any) []string {
	var found []string
	switch node := schema.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			if name, ok := node[key].(string); ok && key == "$ref" {
				found = append(found, strings.TrimPrefix(name, "#/definitions/"))
			}
			found = append(found, references(node[key])...)
		}
	case []any:
		for _, item := range node {
			found = append(found, references(item)...)
		}
	}
	return found
}

// strict returns the schema with every object closed to fields that it does not name, and with what OpenAPI says otherwise than
// JSON Schema: numbers that may be texts, and null for a field that is left out.
func strict(schema any, optional bool) map[string]any {
	node, _ := schema.(map[string]any)
	out := maps.Clone(node)
	if fields, ok := node["properties"].(map[string]any); ok {
		out["properties"] = strictFields(node, fields)
		if node["additionalProperties"] == nil && node["x-kubernetes-preserve-unknown-fields"] != true {
			out["additionalProperties"] = false
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if below, ok := node[key].(map[string]any); ok {
			out[key] = strict(below, false)
		}
	}
	if node["format"] == "int-or-string" || node["x-kubernetes-int-or-string"] == true {
		out = map[string]any{"type": []any{"string", "integer"}}
	}
	if kind, ok := out["type"].(string); ok && (optional || node["nullable"] == true) {
		out["type"] = []any{kind, "null"}
	}
	return out
}

func strictFields(node, fields map[string]any) map[string]any {
	required, _ := node["required"].([]any)
	closed := map[string]any{}
	for name, field := range fields {
		closed[name] = strict(field, !slices.Contains(required, any(name)))
	}
	if node["x-kubernetes-embedded-resource"] == true {
		addIdentity(closed)
	}
	return closed
}

// addIdentity adds the fields that every object has, which a CRD's schema need not name.
func addIdentity(fields map[string]any) {
	for _, name := range []string{"apiVersion", "kind"} {
		fields[name] = map[string]any{"type": "string"}
	}
	fields["metadata"] = map[string]any{"type": "object"}
}

// customSchemas returns the schemas of the CRDs among the objects, by group, version and kind.
func customSchemas(objects []manifest.Object) map[string]map[string]any {
	found := map[string]map[string]any{}
	for _, crd := range objects {
		if crd.ID().Kind != "CustomResourceDefinition" {
			continue
		}
		for _, version := range crd.List("spec", "versions") {
			of, _ := version.(map[string]any)
			holder, _ := of["schema"].(map[string]any)
			root := strict(holder["openAPIV3Schema"], false)
			if fields, ok := root["properties"].(map[string]any); ok {
				addIdentity(fields)
			}
			name, _ := of["name"].(string)
			found[crd.String("spec", "group")+"/"+name+"/"+crd.String("spec", "names", "kind")] = root
		}
	}
	return found
}
