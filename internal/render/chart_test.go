package render

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/environment"
)

// subchart returns the files of a small chart below prefix, in pairs; it renders a ConfigMap that shows its values.
func subchart(prefix, name, version, values string) []string {
	return []string{
		prefix + "Chart.yaml", "apiVersion: v2\nname: " + name + "\nversion: " + version + "\n",
		prefix + "values.yaml", values,
		prefix + "templates/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.Name }}}\ndata: {values: {{ toJson .Values | quote }}}\n",
	}
}

// archiveOf packs files, in pairs, as a chart's archive.
func archiveOf(t *testing.T, pairs []string) string {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	for i := 0; i < len(pairs); i += 2 {
		if err := packed.WriteHeader(&tar.Header{Name: "chart/" + pairs[i], Mode: 0o644, Size: int64(len(pairs[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := packed.Write([]byte(pairs[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// shown renders and returns what the ConfigMaps say, by name.
func shown(t *testing.T, in Input) (map[string]string, []Notice, error) {
	t.Helper()
	got, err := New().Render(t.Context(), in)
	said := map[string]string{}
	for _, object := range got.Bundle.Objects {
		said[object.ID().Name] = object.String("data", "values")
	}
	return said, got.Notices, err
}

func TestDependencies(t *testing.T) {
	declared := func(more string) string { return chartYAML + "dependencies:\n" + more }
	folder := subchart("charts/db/", "db", "1.0.0", "own: x\nnone: ~\nexports: {data: {imported: from-db}}\n")
	for name, test := range map[string]struct {
		chart   string
		files   []string
		values  map[string]any
		want    map[string]string
		notices []string
		err     string
	}{
		"folder, undeclared": {chart: chartYAML, files: folder, want: map[string]string{"db": `{"exports":{"data":{"imported":"from-db"}},"global":{},"none":null,"own":"x"}`}},
		"values and globals for it": {
			chart: declared("- {name: db, version: ^1.0.0}\n"), files: subchart("charts/db/", "db", "1.0.0", "own: x\n"),
			values: map[string]any{"db": map[string]any{"own": "y"}, "global": map[string]any{"a": "b"}},
			want:   map[string]string{"db": `{"global":{"a":"b"},"own":"y"}`},
		},
		"archive": {
			chart: declared("- {name: db, version: 1.x}\n"), files: []string{"charts/db-1.0.0.tgz", archiveOf(t, subchart("", "db", "1.0.0", "own: x\n"))},
			want: map[string]string{"db": `{"global":{},"own":"x"}`},
		},
		"aliases": {
			chart: declared("- {name: db, version: 1.0.0, alias: one}\n- {name: db, version: 1.0.0, alias: two, condition: two.enabled}\n"), files: subchart("charts/db/", "db", "1.0.0", "own: x\n"),
			values: map[string]any{"one": map[string]any{"own": "first"}, "two": map[string]any{"enabled": false}},
			want:   map[string]string{"one": `{"global":{},"own":"first"}`},
		},
		"tags": {
			chart: declared("- {name: db, version: 1.0.0, tags: [storage]}\n"), files: folder, values: map[string]any{"tags": map[string]any{"storage": false}},
			want: map[string]string{},
		},
		"imported values": {
			chart: declared("- {name: db, version: 1.0.0, import-values: [data]}\n"), files: append(slices.Clone(folder),
				"templates/all.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: parent}\ndata: {values: {{ .Values.imported }}}\n"),
			want: map[string]string{"parent": "from-db", "db": `{"exports":{"data":{"imported":"from-db"}},"global":{},"own":"x"}`},
		},
		"absent and switched off": {
			chart: declared("- {name: db, version: 1.0.0, condition: db.enabled}\n"), values: map[string]any{"db": map[string]any{"enabled": false}},
			want:    map[string]string{},
			notices: []string{`chart demo: dependency db 1.0.0 is absent from charts/, and switched off by its condition "db.enabled"`},
		},
		"absent and switched on": {
			chart: declared("- {name: db, version: 1.0.0, condition: db.enabled}\n"), values: map[string]any{"db": map[string]any{"enabled": true}},
			err: `chart demo 1.2.3: dependency db 1.0.0 of demo is declared in Chart.yaml and absent from charts/: vendor the chart with its dependencies, or switch this one off by its condition "db.enabled"`,
		},
		"of a wrong version": {
			chart: declared("- {name: db, version: 2.0.0}\n"), files: subchart("charts/db/", "db", "1.0.0", ""),
			want:    map[string]string{"db": `{"global":{}}`},
			notices: []string{"chart demo: charts/ holds another version of dependency db than 2.0.0: it is rendered whatever conditions and tags say"},
		},
		"absent from a dependency": {
			chart: declared("- {name: db, version: 1.0.0}\n"), files: []string{"charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\ndependencies: [{name: disk, version: 1.0.0}]\n"},
			err: "chart demo 1.2.3: dependency disk 1.0.0 of demo.db is declared in Chart.yaml and absent from charts/: vendor the chart with its dependencies, or switch this one off",
		},
		"values that are no map": {
			chart: declared("- {name: db, version: 1.0.0}\n"), files: folder, values: map[string]any{"db": "x"},
			err: "chart demo 1.2.3: processing dependencies: type mismatch on db: %!t(string=x)",
		},
		"library": {
			chart: declared("- {name: lib, version: 1.0.0}\n"), files: []string{
				"charts/lib/Chart.yaml", "apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n",
				"charts/lib/templates/_map.tpl", "{{ define \"lib.map\" }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.Name }}}\ndata: {values: from-lib}\n{{ end }}",
				"charts/lib/templates/no.yaml", "never: rendered",
				"templates/all.yaml", "{{ include \"lib.map\" . }}",
			},
			want: map[string]string{"demo": "from-lib"},
		},
		"crds of dependencies": {
			chart: declared("- {name: on, version: 1.0.0}\n- {name: off, version: 1.0.0, condition: off.enabled}\n"), files: []string{
				"charts/on/Chart.yaml", "apiVersion: v2\nname: on\nversion: 1.0.0\n", "charts/on/crds/a.yaml", "apiVersion: v1\nkind: CRD\nmetadata: {name: '{{ a }}'}\n---\napiVersion: v1\nkind: CRD\nmetadata: {name: b}\n",
				"charts/on/crds/README.md", "no manifest",
				"charts/off/Chart.yaml", "apiVersion: v2\nname: off\nversion: 1.0.0\n", "charts/off/crds/a.yaml", "apiVersion: v1\nkind: CRD\nmetadata: {name: off}\n",
			},
			values: map[string]any{"off": map[string]any{"enabled": false}}, want: map[string]string{"{{ a }}": "", "b": ""},
		},
		"requirements.yaml": {
			chart: strings.Replace(chartYAML, "v2", "v1", 1), files: append(slices.Clone(folder), "requirements.yaml", "dependencies: [{name: db, version: 1.0.0, condition: db.enabled}]"),
			values: map[string]any{"db": map[string]any{"enabled": false}}, want: map[string]string{},
		},
		"null dependency": {chart: declared("- ~\n"), err: "reading the chart: validation: dependencies must not contain empty or null nodes"},
		"broken archive": {
			chart: chartYAML, files: []string{"charts/db.tgz", "no archive"},
			err: "reading the chart: error unpacking subchart db.tgz in demo: gzip: invalid header",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := chartInput("", "", test.files...)
			in.Chart.(fstest.MapFS)["Chart.yaml"].Data = []byte(test.chart)
			in.Component.Merged, in.Component.AllowEmpty = test.values, true
			got, notices, err := shown(t, in)
			if text := errorText(err); text != test.err {
				t.Fatalf("error %s\nwant  %s", text, test.err)
			}
			if test.err != "" {
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("ConfigMaps (-want +got):\n%s", diff)
			}
			var said []string
			for _, n := range notices {
				said = append(said, n.String())
			}
			if diff := cmp.Diff(test.notices, said); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestRendersDoNotTouchEachOther renders A, then B without a dependency, then A again, many at once (run it with -race): Helm
// changes the chart that it is given, and then the third render lacked files.
func TestRendersDoNotTouchEachOther(t *testing.T) {
	in := chartInput("", "", subchart("charts/db/", "db", "1.0.0", "own: {a: 1}\nlist: [1]\n")...)
	in.Chart.(fstest.MapFS)["Chart.yaml"].Data = []byte(chartYAML + "annotations: {a: b}\ndependencies: [{name: db, version: 1.0.0, alias: store, condition: store.enabled, import-values: [{child: own, parent: got}]}]\n")
	in.Chart.(fstest.MapFS)["templates/all.yaml"].Data = []byte("{{ $_ := set .Values \"x\" 1 }}{{ $_ = set .Chart \"c\" \"d\" }}apiVersion: v1\nkind: ConfigMap\nmetadata: {name: parent}\ndata: {values: {{ toJson (list .Values .Chart.Annotations) | quote }}}\n")
	off := in
	off.Component.Merged = map[string]any{"store": map[string]any{"enabled": false}}
	renderer := New()
	render := func(in Input) string {
		got, err := renderer.Render(t.Context(), in)
		if err != nil {
			t.Error(err)
		}
		return emit(t, got.Bundle)
	}
	wantA, wantB := render(in), render(off)
	if strings.Count(wantA, "kind:") != 2 || strings.Count(wantB, "kind:") != 1 {
		t.Fatalf("A:\n%s\nB:\n%s", wantA, wantB)
	}
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			one, want := in, wantA
			if i%2 == 1 {
				one, want = off, wantB
			}
			if diff := cmp.Diff(want, render(one)); diff != "" {
				t.Errorf("render %d (-first +now):\n%s", i, diff)
			}
		})
	}
	group.Wait()
}

func TestChartErrors(t *testing.T) {
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	layers := []environment.Values{
		{Origin: environment.Origin{Layer: "component demo"}},
		{Origin: environment.Origin{Layer: "fleet", File: "fleet.yaml", Line: 9, Column: 7}},
	}
	for name, test := range map[string]struct {
		chart, template, values string
		more                    []string
		kubernetes              string
		want                    []string
	}{
		"template fails":   {template: "a: 1\nb: {{ fail \"no luck\" }}\n", want: []string{"chart demo 1.2.3", "demo/templates/all.yaml:2:6", "no luck", "values from component demo, fleet.yaml:9:7"}},
		"template unread":  {template: "a: {{ if }}\n", want: []string{"chart demo 1.2.3", "demo/templates/all.yaml:1", "missing value for if"}},
		"unknown function": {template: "{{ env \"HOME\" }}", want: []string{`function "env" not defined`}},
		"panic":            {template: "{{ index (list 1) 4 }}", want: []string{"demo/templates/all.yaml:1:3"}},
		"bad document":     {template: object + "---\na: b: c\n", want: []string{"demo/templates/all.yaml, document 2: reading YAML"}},
		"no name":          {template: "kind: ConfigMap\n", want: []string{"demo/templates/all.yaml, document 1: apiVersion: missing: every object states it\nmetadata.name: missing"}},
		"generateName":     {template: "apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n", want: []string{"metadata.generateName: a new object at every sync"}},
		"two bad ones":     {template: "[]\n---\n\"x\"\n", want: []string{"document 1: ", "document 2: "}},
		"twice":            {template: object, more: []string{"templates/z.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: demo-system}\n"}, want: []string{"demo/templates/z.yaml, document 1: ConfigMap demo-system/a is rendered twice, here and by demo/templates/all.yaml, document 1"}},
		"empty":            {template: "{{ if false }}x{{ end }}", want: []string{"fleet.yaml:3:5: component demo renders no object: check its values, or set allowEmpty"}},
		"kubeVersion":      {chart: "kubeVersion: '>=1.40'\n", template: object, want: []string{`chart demo 1.2.3: it wants Kubernetes ">=1.40" and the environment has v1.32.0`}},
		"no kubeVersion":   {template: object, kubernetes: "new", want: []string{`reading the Kubernetes version "new"`}},
		"library":          {chart: "type: library\n", template: object, want: []string{"it is a library chart, which renders nothing by itself"}},
		"schema": {
			template: object, values: "size: big\nport: 99999\n", more: []string{"values.schema.json", `{"properties": {"size": {"type": "integer"}, "port": {"maximum": 65535}}, "required": ["host"]}`},
			want: []string{"demo: values: (all): missing property 'host' (the chart's values.schema.json)\ndemo: values: port: maximum: got 99,999, want 65,535 (the chart's values.schema.json)\ndemo: values: size: got string, want integer"},
		},
		"schema unread":  {template: object, more: []string{"values.schema.json", `{`}, want: []string{"demo: reading values.schema.json"}},
		"values unread":  {template: object, values: "a: [", want: []string{"reading the chart: cannot load values.yaml"}},
		"Chart.yaml":     {chart: "version: 7.x\n", template: object, want: []string{"reading the chart"}},
		"huge templates": {template: "{{ define \"a\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}", want: []string{"nested reference name"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := chartInput(test.template, test.values, test.more...)
			in.Chart.(fstest.MapFS)["Chart.yaml"].Data = []byte(chartYAML + test.chart)
			in.Component.Values = layers
			if test.kubernetes != "" {
				in.Component.KubeVersion = test.kubernetes
			}
			_, err := New().Render(t.Context(), in)
			for _, want := range test.want {
				if !strings.Contains(errorText(err), want) {
					t.Errorf("error %v\nlacks %s", err, want)
				}
			}
		})
	}
}

func TestChartWithoutChartYAML(t *testing.T) {
	in := chartInput("", "")
	in.Chart = fstest.MapFS{"templates/a.yaml": {}}
	if _, err := New().Render(t.Context(), in); errorText(err) != "reading the chart: Chart.yaml file is missing" {
		t.Errorf("error %v", err)
	}
	in.Chart = nil
	if _, err := New().Render(t.Context(), in); errorText(err) != "rendering a chart: its content was not given" {
		t.Errorf("error %v", err)
	}
}

func TestSchemaOpensNoConnection(t *testing.T) {
	const schema = `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {
		"a": {"$ref": "https://schemas.invalid/a.json#/definitions/x"}, "b": {"$ref": "file:///etc/hostname"}, "c": {"$ref": "#/definitions/c"}}, "definitions": {"c": {"type": "string"}}}`
	in := chartInput("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "a: 1\nb: 2\nc: x\n", "values.schema.json", schema)
	got, err := New().Render(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, n := range got.Notices {
		said = append(said, n.String())
	}
	want := []string{
		"chart demo: values.schema.json refers to file:///etc/hostname, which is not fetched: what it describes is not checked",
		"chart demo: values.schema.json refers to https://schemas.invalid/a.json#/definitions/x, which is not fetched: what it describes is not checked",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	in.Component.Merged = map[string]any{"c": 7}
	if _, err := New().Render(t.Context(), in); !strings.Contains(errorText(err), "values: c: got number, want string") {
		t.Errorf("error %v", err)
	}
}

func TestCapabilities(t *testing.T) {
	in := chartInput(`apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  version: {{ .Capabilities.KubeVersion.Major }}.{{ .Capabilities.KubeVersion.Minor }} {{ .Capabilities.KubeVersion }} {{ .Capabilities.KubeVersion.GitVersion }} {{ .Capabilities.HelmVersion.Version }}
  has: {{ .Capabilities.APIVersions.Has "apps/v1" }} {{ .Capabilities.APIVersions.Has "example.com/v1/Thing" }} {{ .Capabilities.APIVersions.Has "route.openshift.io/v1" }} {{ has "apps/v1" .Capabilities.APIVersions }}
  count: "{{ range .Capabilities.APIVersions }}{{ if contains "example.com" . }}{{ . }} {{ end }}{{ end }}{{ gt (len .Capabilities.APIVersions) 20 }}"
  release: {{ .Release.Name }} {{ .Release.Namespace }} {{ .Release.IsInstall }} {{ .Release.IsUpgrade }} {{ .Release.Revision }} {{ .Release.Service }}
`, "")
	in.APIVersions = []string{"example.com/v1/Thing", "example.com/v1", "apps/v1"}
	got, err := New().Render(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"version": "1.32 v1.32.0 v1.32.0 v3.18.4", "has": "true true false true",
		"count": "example.com/v1 example.com/v1/Thing true", "release": "demo demo-system true false 1 Helm",
	}
	if diff := cmp.Diff(want, got.Bundle.Objects[0].Map("data")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"route.openshift.io/v1"}, got.AbsentAPIs); diff != "" {
		t.Errorf("absent APIs (-want +got):\n%s", diff)
	}
	if len(got.Notices) != 1 || got.Notices[0].Topic != TopicAPI || !strings.Contains(got.Notices[0].Message, "route.openshift.io/v1") {
		t.Errorf("notices: %v", got.Notices)
	}
}

func TestCoalesceWarns(t *testing.T) {
	in := chartInput("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {values: {{ toJson .Values | quote }}}\n", "table: {a: 1, b: {c: d}}\nplain: x\nnone: ~\n")
	in.Component.Merged = map[string]any{"table": map[string]any{"b": "text", "a": nil}, "plain": map[string]any{"k": "v"}, "none": map[string]any{}, "own": nil}
	before := maps.Clone(in.Component.Merged)
	got, notices, err := shown(t, in)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"none":{},"own":null,"plain":{"k":"v"},"table":{"b":"text"}}`; got["a"] != want {
		t.Errorf("values %s\nwant   %s", got["a"], want)
	}
	want := []Notice{
		{Topic: TopicValues, Source: "chart demo", Message: "values: demo.plain: the chart has no map here, so that its x is dropped"},
		{Topic: TopicValues, Source: "chart demo", Message: "values: demo.table.b: the chart has a map here, which text replaces"},
	}
	if diff := cmp.Diff(want, notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, in.Component.Merged); diff != "" {
		t.Errorf("the component's values were changed:\n%s", diff)
	}
}

func TestChartKeySparesReading(t *testing.T) {
	in := chartInput("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "")
	counted := &countingFS{FS: in.Chart}
	in.Chart = counted
	renderer := New()
	for i, key := range []string{"one", "one", "two", "", ""} {
		in.ChartKey = key
		before := counted.opened
		if _, err := renderer.Render(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if read := counted.opened > before; read != (i != 1) {
			t.Errorf("render %d with key %q: read %t", i, key, read)
		}
	}
}

// countingFS counts what is opened.
type countingFS struct {
	fs.FS
	opened int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.opened++
	return c.FS.Open(name)
}

// TestDocumentsAreDecodedOnce: what is equal between environments, such as CRDs, is decoded once and shared.
func TestDocumentsAreDecodedOnce(t *testing.T) {
	renderer := New()
	in := chartInput("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.name }}}\n", "", "crds/a.yaml", "apiVersion: v1\nkind: CRD\nmetadata: {name: crd}\n")
	at := map[string]map[uintptr]bool{}
	for _, name := range []string{"a", "b", "a"} {
		in.Component.Merged = map[string]any{"name": name}
		got, err := renderer.Render(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range got.Bundle.Objects {
			name := object.ID().Name
			if at[name] == nil {
				at[name] = map[uintptr]bool{}
			}
			at[name][reflect.ValueOf(object.Fields()).Pointer()] = true
		}
	}
	for _, name := range []string{"a", "b", "crd"} {
		if len(at[name]) != 1 {
			t.Errorf("%s: decoded %d times", name, len(at[name]))
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache[int](10)
	made := 0
	get := func(key byte, size int) {
		if _, err := c.get(content{key}, size, func() (int, error) { made++; return int(key), nil }); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		get(1, 6)
		get(2, 6) // no room: made each time
		get(3, 4)
	}
	if made != 4 {
		t.Errorf("made %d values, want 4", made)
	}
	if _, err := c.get(content{9}, 1, func() (int, error) { return 0, fs.ErrNotExist }); err == nil {
		t.Error("an error was lost")
	}
}

func TestCancelledRender(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().Render(ctx, chartInput("", "")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
