package gen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gen "github.com/coldstart-gitops/gen"
	"github.com/coldstart-gitops/gen/generators"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestOutputConforms runs `kubeconform -strict` over output/: native kinds against the schemas of each environment's own version
// of Kubernetes, custom ones against the CRDs that the same environment brings. .ci/conform gives it the program.
func TestOutputConforms(t *testing.T) {
	program := os.Getenv("GEN_KUBECONFORM")
	if program == "" {
		t.Skip("skipped: GEN_KUBECONFORM names no kubeconform program; .ci/conform builds it and runs this test")
	}
	for _, env := range sampleEnvironments(t) {
		t.Run(env.Name, func(t *testing.T) {
			checked := conformance{program: program, schemas: t.TempDir(), native: nativeSchemas(t, env.Versions.Kubernetes)}
			objects := outputObjects(t, filepath.Join("output", env.Name))
			left := checked.write(t, objects)
			result := checked.run(t, objects)
			t.Logf("Kubernetes %s: %d objects, %d valid, %d invalid; no schema for %v", env.Versions.Kubernetes, len(objects), result.Valid, result.Invalid, left)
			if len(objects) == 0 || result.Valid != len(objects)-result.Skipped || result.Skipped > len(objects)/2 {
				t.Errorf("%+v", result)
			}
			checked.findsMistakes(t, objects)
		})
	}
}

func sampleEnvironments(t *testing.T) []*environment.Environment {
	t.Helper()
	model, err := fs.Sub(gen.Samples, "environments")
	if err != nil {
		t.Fatal(err)
	}
	environments, err := environment.Load(model, environment.Options{Known: component.Known(generators.All())})
	if err != nil {
		t.Fatal(err)
	}
	return environments
}

// outputObjects reads every manifest below a folder.
func outputObjects(t *testing.T, folder string) []manifest.Object {
	t.Helper()
	var all []manifest.Object
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		objects, _, err := manifest.Decode(data)
		all = append(all, objects...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// conformance is kubeconform with schemas of one environment.
type conformance struct {
	program string
	schemas string // a folder
	native  map[string]any
}

// summary is what kubeconform counts.
type summary struct {
	Valid, Invalid, Errors, Skipped int
	Messages                        []string `json:"-"`
}

// write writes a schema for every kind that has one, and returns those which have none.
func (c conformance) write(t *testing.T, objects []manifest.Object) []string {
	t.Helper()
	custom := customSchemas(objects)
	missing := map[string]bool{}
	for _, object := range objects {
		id := object.ID()
		schema, ok := custom[gvk(id)]
		if !ok {
			schema, ok = nativeSchema(c.native, id)
		}
		if !ok {
			missing[gvk(id)] = true
			continue
		}
		data, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.schemas, schemaFile(id)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return slices.Sorted(maps.Keys(missing))
}

func gvk(id manifest.ID) string { return id.APIVersion() + "/" + id.Kind }

// schemaFile is the name that the schema location below gives a kind: to kubeconform, the core group is called after its version.
func schemaFile(id manifest.ID) string {
	group := id.Group
	if group == "" {
		group = id.Version
	}
	return fmt.Sprintf("%s_%s_%s.json", group, id.Version, strings.ToLower(id.Kind))
}

// run has the objects judged.
func (c conformance) run(t *testing.T, objects []manifest.Object) summary {
	t.Helper()
	var stream bytes.Buffer
	for _, object := range objects {
		text, err := manifest.Emit(object)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&stream, "---\n%s", text)
	}
	location := filepath.Join(c.schemas, "{{.Group}}_{{.ResourceAPIVersion}}_{{.ResourceKind}}.json")
	command := exec.CommandContext(t.Context(), c.program, "-strict", "-summary", "-output", "json", "-ignore-missing-schemas", "-schema-location", location)
	command.Stdin = &stream
	out, runErr := command.Output()
	var answer struct {
		Resources []struct{ Name, Kind, Status, Msg string }
		Summary   summary
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("kubeconform: %v, %v: %s", runErr, err, out)
	}
	for _, r := range answer.Resources {
		if r.Status == "statusInvalid" || r.Status == "statusError" {
			answer.Summary.Messages = append(answer.Summary.Messages, fmt.Sprintf("%s %s: %s", r.Kind, r.Name, r.Msg))
		}
	}
	return answer.Summary
}

// findsMistakes misspells a field of one object of each native kind that has a spec, and wants each to be found.
func (c conformance) findsMistakes(t *testing.T, objects []manifest.Object) {
	t.Helper()
	seen := map[string]bool{}
	var wrong []manifest.Object
	for _, object := range objects {
		_, native := nativeSchema(c.native, object.ID())
		if !native || len(object.Map("spec")) == 0 || seen[object.ID().Kind] {
			continue
		}
		seen[object.ID().Kind] = true
		wrong = append(wrong, misspelt(t, object))
	}
	result := c.run(t, wrong)
	if len(wrong) == 0 || result.Invalid != len(wrong) {
		t.Errorf("of %d objects with a misspelt field %d were called invalid", len(wrong), result.Invalid)
	}
	t.Logf("with a misspelt field: %d of %d kinds invalid, as in: %s", result.Invalid, len(wrong), strings.Join(result.Messages[:1], ""))
}

// misspelt returns the object with a field in its spec that no schema knows.
func misspelt(t *testing.T, object manifest.Object) manifest.Object {
	t.Helper()
	text, err := manifest.Emit(object)
	if err != nil {
		t.Fatal(err)
	}
	found := bytes.Replace(text, []byte("\nspec:\n"), []byte("\nspec:\n  tolerationz: []\n"), 1)
	objects, _, err := manifest.Decode(found)
	if err != nil || bytes.Equal(found, text) {
		t.Fatalf("misspelling %s: %v", object.ID(), err)
	}
	return objects[0]
}
