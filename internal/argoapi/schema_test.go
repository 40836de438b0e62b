package argoapi

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/transform"
)

// TestValidAgainstCRDs checks what is emitted for a release line against the CRDs that the line installs, without tolerance
// for fields that they do not know: the API server would drop those, and Argo CD would show a difference for ever.
func TestValidAgainstCRDs(t *testing.T) {
	releases := map[string]string{"2.14": "github.com/argoproj/argo-cd/v2", "3.2": "github.com/argoproj/argo-cd/v3"}
	targets := map[string]transform.Target{
		"cluster": {Environment: "lab", In: "cluster", Namespace: "argocd", RepoURL: "https://git.example.internal/fleet.git", Revision: "main", Path: "output/lab"},
		"hub":     {Environment: "lab", In: "hub", Cluster: "lab", Namespace: "argocd", RepoURL: "https://git.example.internal/fleet.git", Revision: "main", Path: "output/lab"},
	}
	for version, module := range releases {
		schemas := map[string]*jsonschema.Schema{
			"Application": crdSchema(t, module, "application-crd.yaml"),
			"AppProject":  crdSchema(t, module, "appproject-crd.yaml"),
		}
		for name, target := range targets {
			target.Version = version
			for _, object := range encodeAll(t, target) {
				t.Run(version+" "+name+" "+object.ID().String(), func(t *testing.T) {
					if err := schemas[object.ID().Kind].Validate(object.Fields()); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// TestSchemaRefuses makes sure that the schemas would notice.
func TestSchemaRefuses(t *testing.T) {
	schema := crdSchema(t, "github.com/argoproj/argo-cd/v2", "application-crd.yaml")
	object, err := Encode(full()) // with retry.refresh, which 2.14 does not know
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(object.Fields()); err == nil || !strings.Contains(err.Error(), "refresh") {
		t.Errorf("got %v, want a complaint about refresh", err)
	}
	if err := schema.Validate(object.Set("many", "spec", "syncPolicy", "retry", "limit").Fields()); err == nil {
		t.Error("a limit that is no number passes")
	}
}

func encodeAll(t *testing.T, target transform.Target) []manifest.Object {
	t.Helper()
	components := []component.Component{{Name: "cilium", Namespace: "kube-system", IgnoreDiffs: []argocd.IgnoreDifference{
		{Kind: "Secret", Name: "s", Namespace: "kube-system", JSONPointers: []string{"/data"}, ManagedFieldsManagers: []string{"cilium"}},
	}}}
	apps, err := transform.BuildApplications(target, components, transform.Order{Waves: map[string]int{"cilium": 0}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	project, err := EncodeProject(apps.Project)
	if err != nil {
		t.Fatal(err)
	}
	objects := []manifest.Object{project}
	for _, app := range append([]argocd.Application{apps.Root}, apps.Children...) {
		object, err := Encode(app)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

// crdSchema compiles the schema of a CRD that lies in the module of an Argo CD release.
func crdSchema(t *testing.T, module, file string) *jsonschema.Schema {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(moduleDir(t, module), "manifests", "crds", file))
	if err != nil {
		t.Fatal(err)
	}
	versions := decode(t, string(raw)).List("spec", "versions")
	schema := manifest.New(versions[0].(map[string]any)).Map("schema", "openAPIV3Schema")
	strict := manifest.Copy(schema).(map[string]any)
	closeObjects(strict)
	// The API server checks metadata by itself.
	strict["properties"].(map[string]any)["metadata"] = map[string]any{"type": "object"}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(file, strict); err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile(file)
}

// moduleDir returns the folder of a module in the module cache.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("finding module %s: %v", module, err)
	}
	return strings.TrimSpace(string(dir))
}

// closeObjects forbids, in place, what a structural schema prunes: properties that it does not name.
func closeObjects(schema map[string]any) {
	for _, key := range []string{"format", "nullable"} { // Kubernetes' meaning of both is another one
		delete(schema, key)
	}
	properties, _ := schema["properties"].(map[string]any)
	if properties != nil && schema["x-kubernetes-preserve-unknown-fields"] != true {
		schema["additionalProperties"] = false
	}
	for _, inner := range properties {
		closeObjects(inner.(map[string]any))
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := schema[key].(map[string]any); ok {
			closeObjects(inner)
		}
	}
}
