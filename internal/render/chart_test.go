package render

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/environment"
)

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
		"no name":          {template: "kind: ConfigMap\n", want: []string{"demo/templates/all.yaml, document 1: apiVersion: missing: every object states it\ndemo/templates/all.yaml, document 1: metadata.name: missing"}},
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

func TestCancelledRender(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().Render(ctx, chartInput("", "")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
