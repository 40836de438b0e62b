package render

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
)

func filesOf(content map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range content {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func names(seen Seen) []string {
	var out []string
	for _, o := range seen.Objects {
		out = append(out, o.ID().String())
	}
	return out
}

// TestLookAtChart renders a chart that generates a Secret and lacks a dependency: nothing refuses, and what lacks is named.
func TestLookAtChart(t *testing.T) {
	chart := filesOf(map[string]string{
		"Chart.yaml":            "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies: [{name: redis, version: 1.2.3, repository: https://charts.example.com}]\n",
		"values.yaml":           "a: {b: 1, c: 2}\n",
		"crds/crd.yaml":         "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: d}}",
		"templates/secret.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: s-{{ .Values.a.b }}-{{ .Values.a.c }}}, stringData: {p: {{ randAlphaNum 8 | quote }}}}",
	})
	values, err := Values([][]byte{[]byte("a: {b: 5}\n")}, map[string]any{"x": "y"}, []string{"a.c=7"}, []string{"t=1"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"a": map[string]any{"b": int64(5), "c": int64(7)}, "x": "y", "t": "1"}, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, skip := range []bool{false, true} {
		seen, err := New().Look(t.Context(), Foreign{SkipCRDs: skip, Input: Input{Chart: chart, Component: component.Component{Name: "c", Release: "c", Merged: values, KubeVersion: "1.34.0"}}})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"CustomResourceDefinition.apiextensions.k8s.io d", "Secret s-5-7"}
		if skip {
			want = want[1:]
		}
		if diff := cmp.Diff(want, names(seen)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"the chart redis 1.2.3 of https://charts.example.com"}, seen.Absent); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestLookAtKustomization builds what is there of a kustomization that names charts, remote bases and plugins.
func TestLookAtKustomization(t *testing.T) {
	files := filesOf(map[string]string{
		"k/kustomization.yaml":    "resources: [c.yaml, 'https://example.com/base?ref=v1', ../only]\nhelmCharts: [{name: redis, version: 1.0.0, repo: https://charts.example.com}]\ngenerators: [ksops.yaml]\n",
		"k/c.yaml":                "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}",
		"k/ksops.yaml":            "{apiVersion: viaduct.ai/v1, kind: ksops, metadata: {name: g, annotations: {config.kubernetes.io/function: x}}}",
		"only/kustomization.yaml": "helmCharts: [{name: other, version: 2.0.0, repo: https://charts.example.com}]\n",
	})
	seen, err := New().Look(t.Context(), Foreign{
		Changes: map[string]any{"nameSuffix": "-x", "namespace": "n", "images": []any{"a=b"}},
		Input:   Input{Files: files, Component: component.Component{Source: component.Source{Kustomization: "k"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ConfigMap n/c-x"}, names(seen)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{"https://example.com/base?ref=v1", "the chart other 2.0.0 of https://charts.example.com", "the chart redis 1.0.0 of https://charts.example.com", "the plugin ksops.viaduct.ai g"}
	if diff := cmp.Diff(want, seen.Absent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"k", "only"}, seen.Folders); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLookForMissing tells what stands nowhere, so that nobody can build the kustomization, from what stands elsewhere.
func TestLookForMissing(t *testing.T) {
	files := filesOf(map[string]string{
		"k/kustomization.yaml": "resources: [c.yaml, ../base, github.com/org/repo/base]\ncomponents: [more]\n", "k/c.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}",
		"h/kustomization.yaml": "resources: [github.com/org/repo/base]\n",
	})
	for folder, want := range map[string][]string{"k": {"k/kustomization.yaml: resources: there is no ../base", "k/kustomization.yaml: components: there is no more"}, "h": nil} {
		seen, err := New().Look(t.Context(), Foreign{Input: Input{Files: files, Component: component.Component{Source: component.Source{Kustomization: folder}}}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, seen.Missing); diff != "" || !slices.Equal(seen.Absent, []string{"github.com/org/repo/base"}) {
			t.Errorf("%s: absent %v (-want +got):\n%s", folder, seen.Absent, diff)
		}
	}
}
