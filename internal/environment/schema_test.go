package environment

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write files that are made from code")

// compiled is the schema of all kinds, ready to validate.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return compile(t, "")
}

// compile makes the schema of a kind ready to validate.
func compile(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	raw, err := Schema(kind)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("gen.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("gen.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate holds YAML against the schema.
func validate(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	raw, err := yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(doc)
}

func TestSchemaOfStarterIsCurrent(t *testing.T) {
	want, err := Schema("")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("starter/schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := fs.ReadFile(Starter(), "schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("starter/schema.json is not what the types say; run go test ./internal/environment -update (-want +got):\n%s", diff)
	}
}

// TestSchemaOfOneKind holds that a schema of one kind accepts that kind alone.
func TestSchemaOfOneKind(t *testing.T) {
	for _, kind := range kinds {
		schema := compile(t, kind)
		for _, file := range []struct{ kind, name string }{{"Fleet", "fleet.yaml"}, {"Group", "groups/test.yaml"}, {"Site", "sites/dc1.yaml"}, {"Environment", "lab.yaml"}} {
			err := validate(t, schema, folder(sample)[file.name].Data)
			if accepted := err == nil; accepted != (file.kind == kind) {
				t.Errorf("the schema of %s accepts %s: %t (%v)", kind, file.name, accepted, err)
			}
		}
	}
	if _, err := Schema("Flete"); errorText(err) != `making a schema: there is no kind "Flete"; did you mean "Fleet"?; write Fleet, Group, Site or Environment` {
		t.Errorf("an unknown kind gives %v", err)
	}
}

// TestEveryFieldIsDescribed holds that schema and messages can say what a key is, and that listed words are texts.
func TestEveryFieldIsDescribed(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var visit func(typ reflect.Type)
	visit = func(typ reflect.Type) {
		switch {
		case typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map:
			visit(typ.Elem())
			return
		case typ.Kind() != reflect.Struct || seen[typ] || !strings.Contains(typ.PkgPath(), "internal/environment"):
			return
		}
		seen[typ] = true
		for _, f := range fieldsOf(typ) {
			if !strings.HasSuffix(f.doc, ".") {
				t.Errorf("%s.%s has no description that is a sentence: %q", typ.Name(), f.name, f.doc)
			}
			if f.typ.Kind() != reflect.String && f.typ.Kind() != reflect.Map && len(f.enum) > 0 {
				t.Errorf("%s.%s lists words and is no text", typ.Name(), f.name)
			}
			visit(f.typ)
		}
	}
	for _, kind := range kinds {
		visit(fileTypes[kind])
	}
	if len(seen) < 25 {
		t.Errorf("visited %d types only", len(seen))
	}
}

// modelFiles lists the YAML files of a model.
func modelFiles(t *testing.T, fsys fs.FS) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, pattern := range []string{"*.yaml", "groups/*.yaml", "sites/*.yaml"} {
		names, err := fs.Glob(fsys, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := fs.ReadFile(fsys, name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = data
		}
	}
	return files
}

func TestSchemaAcceptsModels(t *testing.T) {
	schema := compiled(t)
	for name, fsys := range map[string]fs.FS{
		"starter":     Starter(),
		"environment": os.DirFS("../../environments"),
		"sample":      folder(sample),
	} {
		files := modelFiles(t, fsys)
		if len(files) < 4 {
			t.Errorf("%s has %d files, want at least one of each kind", name, len(files))
		}
		for _, file := range keys(files) {
			if err := validate(t, schema, files[file]); err != nil {
				t.Errorf("%s of %s: %v", file, name, err)
			}
		}
	}
}

func TestStarterLoads(t *testing.T) {
	builtIn := map[string]bool{"cilium": true, "cert-manager": true, "external-secrets": true, "sealed-secrets": true, "argo-cd": true, "metrics-server": true}
	for name, fsys := range map[string]fs.FS{"starter": Starter(), "environments": os.DirFS("../../environments")} {
		envs, err := Load(fsys, Options{Known: builtIn})
		if err != nil {
			t.Fatalf("%s:\n%v", name, err)
		}
		for _, env := range envs {
			if len(env.Components) < 6 {
				t.Errorf("%s %s has %d components, want the built-in ones at least", name, env.Name, len(env.Components))
			}
		}
	}
	for file, data := range modelFiles(t, Starter()) {
		if !strings.HasPrefix(string(data), "# yaml-language-server: $schema=") {
			t.Errorf("%s does not name its schema", file)
		}
	}
}

// ofOneFile are the messages about what a schema can see: keys, words and types of one file.
var ofOneFile = regexp.MustCompile(`^([a-zA-Z0-9/_-]+\.yaml):.*(unknown key|is not known|not (as text|text|a map|a list|true or false|a whole number);|is not an address|is empty: it wants)`)

// TestSchemaRefusesMistakes holds that an editor shows those of testdata/mistakes.txt that stand in one file.
func TestSchemaRefusesMistakes(t *testing.T) {
	text, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	schema, seen := compiled(t), 0
	for _, c := range parseMistakes(t, string(text)) {
		for _, message := range c.wanted {
			found := ofOneFile.FindStringSubmatch(message)
			if found == nil {
				continue
			}
			seen++
			if err := validate(t, schema, c.model(t)[found[1]].Data); err == nil {
				t.Errorf("%s: the schema accepts %s, of which Load says\n%s", c.title, found[1], message)
			}
		}
	}
	if seen < 20 {
		t.Errorf("looked at %d messages only", seen)
	}
}

// TestSchemaRefusesWhatLoadRefuses holds that an editor shows what a run would.
func TestSchemaRefusesWhatLoadRefuses(t *testing.T) {
	schema := compiled(t)
	for name, c := range map[string]struct{ file, old, new string }{
		"unknown key":             {"fleet.yaml", "branch: main", "branhc: main"},
		"unknown key deep inside": {"lab.yaml", "gateway:", "gatewy:"},
		"missing key":             {"fleet.yaml", ", branch: main", ""},
		"wrong type":              {"lab.yaml", "groups: [test]", "groups: test"},
		"number for text":         {"groups/test.yaml", "kubernetes: 1.36.2", "kubernetes: 1.36"},
		"unknown word":            {"fleet.yaml", "in: cluster", "in: clutser"},
		"no subnet":               {"lab.yaml", "nodes: 10.10.0.0/24", "nodes: here"},
		"facts in a group":        {"groups/test.yaml", "kind: Group", "kind: Group\nfacts: {domain: x}"},
		"unknown kind":            {"lab.yaml", "kind: Environment", "kind: Env"},
		"other version":           {"lab.yaml", "gen/v1", "gen/v2"},
		"unknown proxy":           {"lab.yaml", "frontProxy: none", "frontProxy: proxy"},
		"empty text":              {"lab.yaml", "domain: lab.example.com", "domain: \"\""},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := folder(sample)
			changed := strings.Replace(string(fsys[c.file].Data), c.old, c.new, 1)
			if changed == string(fsys[c.file].Data) {
				t.Fatalf("%q is not in %s", c.old, c.file)
			}
			fsys[c.file].Data = []byte(changed)
			if err := validate(t, schema, fsys[c.file].Data); err == nil {
				t.Error("the schema accepts it")
			}
			if _, err := Load(fsys, Options{Known: known}); err == nil {
				t.Error("Load accepts it")
			}
		})
	}
}
