package render

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
)

// modelInput is the input for a component whose source is in the model's folder.
func modelInput(source component.Source, pairs ...string) Input {
	return Input{
		Files: files(pairs...),
		Component: component.Component{
			Environment: "lab", Name: "demo", Namespace: "demo-system", KeepHooks: true, Source: source,
			Origin: environment.Origin{Layer: "fleet", File: "fleet.yaml", Line: 3, Column: 5},
		},
	}
}

func kustomized(pairs ...string) Input {
	return modelInput(component.Source{Kustomization: "k/overlay"}, pairs...)
}

const deploymentYAML = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: app, image: 'app:1'}, {name: side, image: 'side:1'}]}}}\n"

// localBuild is a kustomization with a base in each spelling, a component, a generator and a patch.
func localBuild() []string {
	return []string{
		"k/overlay/kustomization.yaml", "resources: [../base]\ncomponents: [../part]\nnamespace: ns\nconfigMapGenerator: [{name: conf, files: [a.txt], literals: ['url=https://example.com']}]\n" +
			"commonAnnotations: {link: 'https://example.com'}\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: web}\n    spec: {template: {spec: {containers: [{name: app, tty: true}]}}}\n",
		"k/overlay/a.txt", "hello",
		"k/base/kustomization.yml", "resources: [web.yaml, deep]\n",
		"k/base/web.yaml", deploymentYAML,
		"k/base/deep/Kustomization", "resources: [on.yaml]\n",
		"k/base/deep/on.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big}\ndata: {n: \"9007199254740993\", on: \"on\"}\n",
		"k/part/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nlabels: [{pairs: {part: a}}]\n",
	}
}

func TestKustomization(t *testing.T) {
	got, err := New().Render(t.Context(), kustomized(localBuild()...))
	if err != nil {
		t.Fatal(err)
	}
	want := `---
apiVersion: v1
data:
  "n": "9007199254740993"
  "on": "on"
kind: ConfigMap
metadata:
  annotations:
    link: https://example.com
  labels:
    part: a
  name: big
  namespace: ns
---
apiVersion: v1
data:
  a.txt: hello
  url: https://example.com
kind: ConfigMap
metadata:
  annotations:
    link: https://example.com
  labels:
    part: a
  name: conf-`
	text := emit(t, got.Bundle)
	if !strings.HasPrefix(text, want) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, text))
	}
	if !strings.Contains(text, "- image: app:1\n        name: app\n        tty: true\n      - image: side:1") {
		t.Errorf("the patch is missing:\n%s", text)
	}
}

func TestKustomizationsThatLeaveTheirFolder(t *testing.T) {
	const base = "k/overlay/kustomization.yaml"
	plugin := "apiVersion: example.com/v1\nkind: Maker\nmetadata: {name: m, annotations: {config.kubernetes.io/function: 'exec: {path: ./run}'}}\n"
	for name, test := range map[string]struct {
		files []string
		want  string
	}{
		"no folder":        {want: "fleet.yaml:3:5: kustomization: the folder k/overlay holds no kustomization.yaml"},
		"two spellings":    {files: []string{base, "", "k/overlay/Kustomization", ""}, want: "fleet.yaml:3:5: kustomization: the folder k/overlay holds more than one kustomization file: k/overlay/kustomization.yaml, k/overlay/Kustomization"},
		"remote file":      {files: []string{base, "resources: ['https://example.com/a.yaml']"}, want: base + ": resources: https://example.com/a.yaml is remote"},
		"remote base":      {files: []string{base, "bases: ['git@github.com:org/repo']"}, want: base + ": resources: git@github.com:org/repo is remote"},
		"base with ref":    {files: []string{base, "resources: ['github.com/org/repo//dir?ref=v1']"}, want: base + ": resources: github.com/org/repo//dir?ref=v1 is remote"},
		"base by host":     {files: []string{base, "components: [github.com/org/repo]"}, want: base + ": components: github.com/org/repo is neither a file nor a folder here; a remote base is not fetched"},
		"remote crds":      {files: []string{base, "crds: ['http://example.com/a']"}, want: base + ": crds: http://example.com/a is remote"},
		"remote patch":     {files: []string{base, "patches: [{path: 'https://example.com/p.yaml'}]"}, want: base + ": patches: https://example.com/p.yaml is remote"},
		"remote data":      {files: []string{base, "configMapGenerator: [{name: a, files: ['k=https://example.com/f?x=1', 'l=HTTPS://example.com/f']}]"}, want: base + ": configMapGenerator: l=HTTPS://example.com/f is remote"},
		"remote secret":    {files: []string{base, "secretGenerator: [{name: a, env: 'https://example.com/f'}]"}, want: base + ": secretGenerator: https://example.com/f is remote"},
		"remote schema":    {files: []string{base, "openapi: {path: 'https://example.com/f'}"}, want: base + ": openapi.path: https://example.com/f is remote"},
		"in a base":        {files: []string{base, "resources: [../base]", "k/base/kustomization.yml", "resources: [deep]", "k/base/deep/Kustomization", "helmCharts: [{name: x}]"}, want: "k/base/deep/Kustomization: helmCharts: kustomize would run the helm program"},
		"helm globals":     {files: []string{base, "helmGlobals: {chartHome: x}"}, want: "helmCharts: kustomize would run the helm program"},
		"old helm":         {files: []string{base, "helmChartInflationGenerator: [{chartName: x}]"}, want: "helmCharts: kustomize would run the helm program"},
		"helm plugin":      {files: []string{base, "generators: [h.yaml]", "k/overlay/h.yaml", "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: x}\n"}, want: base + ": generators: HelmChartInflationGenerator x runs a program"},
		"exec plugin":      {files: []string{base, "transformers: [h.yaml]", "k/overlay/h.yaml", "a: b\n---\n" + plugin}, want: base + ": transformers: Maker.example.com m runs a program"},
		"plugin in place":  {files: []string{base, "validators:\n- |-\n  " + strings.ReplaceAll(plugin, "\n", "\n  ")}, want: base + ": validators: Maker.example.com m runs a program"},
		"plugin in folder": {files: []string{base, "generators: [gen]", "k/overlay/gen/kustomization.yaml", "resources: [p.yaml]", "k/overlay/gen/p.yaml", plugin}, want: "k/overlay/gen/kustomization.yaml: resources: Maker.example.com m runs a program"},
		"plugin's file":    {files: []string{base, "transformers:\n- |-\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: x}\n  path: https://example.com/f"}, want: "PatchTransformer x runs a program or reads a remote file"},
		"out of the model": {files: []string{base, "resources: [../../../x]"}, want: base + ": resources: ../../../x leaves the model's folder"},
		"absolute":         {files: []string{base, "resources: [/etc]"}, want: base + ": resources: /etc leaves the model's folder"},
		"unknown field":    {files: []string{base, "resource: [a]"}, want: base + `: invalid Kustomization: json: unknown field "resource"`},
		"no YAML":          {files: []string{base, "resources: ["}, want: base + ": invalid Kustomization"},
		"file elsewhere":   {files: []string{base, "resources: [../a.yaml]", "k/a.yaml", deploymentYAML}, want: "kustomization k/overlay: building: "},
		"cycle":            {files: []string{base, "resources: [../base]", "k/base/kustomization.yaml", "resources: [../overlay]"}, want: "kustomization k/overlay: building: "},
		"bad object":       {files: []string{base, "resources: [a.yaml]", "k/overlay/a.yaml", "a: b"}, want: "kustomization k/overlay: building: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New().Render(t.Context(), kustomized(test.files...))
			if !strings.Contains(errorText(err), test.want) {
				t.Errorf("error %v\nlacks %s", err, test.want)
			}
		})
	}
}

// TestKustomizeBuildsDoNotTouchEachOther builds A, then B with a schema of its own, then A, many at once (run it with -race).
// Without the reset, a Deployment loses the container that a patch does not name.
func TestKustomizeBuildsDoNotTouchEachOther(t *testing.T) {
	in := kustomized(localBuild()...)
	schema := kustomized(append(localBuild(),
		"k/overlay/kustomization.yaml", "openapi: {path: schema.json}\nresources: [../base]\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: web}\n    spec: {template: {spec: {containers: [{name: app, tty: true}]}}}\n",
		"k/overlay/schema.json", `{"definitions": {"v1.Deployment": {"properties": {"spec": {"type": "object"}}, "x-kubernetes-group-version-kind": [{"group": "apps", "kind": "Deployment", "version": "v1"}]}}}`)...)
	renderer := New()
	render := func(in Input) string {
		got, err := renderer.Render(t.Context(), in)
		if err != nil {
			t.Error(err)
		}
		return emit(t, got.Bundle)
	}
	wantA, wantB := render(in), render(schema)
	if strings.Contains(wantB, "side:1") {
		t.Fatalf("the schema of B does not count:\n%s", wantB)
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			one, want := in, wantA
			if i%2 == 1 {
				one, want = schema, wantB
			}
			if diff := cmp.Diff(want, render(one)); diff != "" {
				t.Errorf("build %d (-first +now):\n%s", i, diff)
			}
		})
	}
	group.Wait()
}

func TestManifests(t *testing.T) {
	folder := []string{
		"m/b.yml", "# a comment\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata:\n  x: |+\n    y\n\n\n--- # c\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
		"m/deep/a.json", `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}]}`,
		"m/README.md", "no object", "m/z.YAML", "\ufeffapiVersion: v1\nkind: ConfigMap\nmetadata: {name: z}\n",
	}
	for name, test := range map[string]struct {
		source string
		files  []string
		want   string // names and what x says
		err    string
	}{
		"folder":       {source: "m", files: folder, want: `a b="y\n\n\n" c z`},
		"with a slash": {source: "./m/", files: folder, want: `a b="y\n\n\n" c z`},
		"file":         {source: "m/z.YAML", files: folder, want: "z"},
		"other file":   {source: "m.txt", files: []string{"m.txt", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: t}\n"}, want: "t"},
		"absent":       {source: "n", files: folder, err: "fleet.yaml:3:5: manifests: n cannot be read: file does not exist"},
		"no manifest":  {source: "m", files: []string{"m/README.md", "x"}, err: "fleet.yaml:3:5: manifests: m holds no file that ends in .yaml, .yml or .json"},
		"out of it":    {source: "../m", files: folder, err: "fleet.yaml:3:5: manifests: ../m cannot be read"},
		"mistakes": {
			source: "m", files: []string{"m/a.yaml", "kind: X\n", "m/b.yaml", "a: b: c\n"},
			err: "m/a.yaml, document 1: apiVersion: missing: every object states it\nm/a.yaml, document 1: metadata.name: missing: every object states it\nm/b.yaml, document 1: reading YAML: yaml: mapping values are not allowed in this context",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := New().Render(t.Context(), modelInput(component.Source{Manifests: test.source}, test.files...))
			if text := errorText(err); !strings.HasPrefix(text, test.err) || (text == "") != (test.err == "") {
				t.Fatalf("error %s\nwant  %s", text, test.err)
			}
			var said []string
			for _, object := range got.Bundle.Objects {
				one := object.ID().Name
				if x := object.String("data", "x"); x != "" {
					one += "=" + strings.ReplaceAll(`"`+x+`"`, "\n", `\n`)
				}
				said = append(said, one)
			}
			if diff := cmp.Diff(test.want, strings.Join(said, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoSourceAndNoFolder(t *testing.T) {
	for want, source := range map[string]component.Source{
		"fleet.yaml:3:5: component demo renders no object: check its values, or set allowEmpty": {},
		"building a kustomization: the model's folder was not given":                            {Kustomization: "k"},
		"reading manifests: the model's folder was not given":                                   {Manifests: "m"},
	} {
		in := modelInput(source)
		in.Files = nil
		if _, err := Render(t.Context(), in); errorText(err) != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
	}
}
