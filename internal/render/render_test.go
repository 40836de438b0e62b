package render

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// files makes a file system of names and contents, in pairs.
func files(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

const chartYAML = "apiVersion: v2\nname: demo\nversion: 1.2.3\n"

// chartInput is the input for a chart of one template.
func chartInput(template, values string, more ...string) Input {
	pairs := append([]string{"Chart.yaml", chartYAML, "templates/all.yaml", template, "values.yaml", values}, more...)
	return Input{
		Chart: files(pairs...),
		Component: component.Component{
			Environment: "lab", Name: "demo", Namespace: "demo-system", Release: "demo", KubeVersion: "1.32.0", KeepHooks: true,
			Source: component.Source{Chart: &environment.Chart{Name: "demo", Version: "1.2.3"}},
			Origin: environment.Origin{Layer: "fleet", File: "fleet.yaml", Line: 3, Column: 5},
		},
	}
}

// emit returns the bundle as one stream of canonical documents.
func emit(t *testing.T, bundle manifest.Bundle) string {
	t.Helper()
	var out strings.Builder
	for _, object := range bundle.Objects {
		document, err := manifest.Emit(object)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n" + string(document))
	}
	return out.String()
}

func TestRenderChart(t *testing.T) {
	in := chartInput(`
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-b, namespace: {{ .Release.Namespace }}}
data:
  kube: {{ .Capabilities.KubeVersion.Version }}
  size: {{ .Values.size | quote }}
---# the second
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {{- toYaml .Values.data | nindent 2 }}
`, "size: 3\ndata: {own: x, gone: y, none: ~}\n", "crds/crd.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n")
	in.Component.Merged = map[string]any{"size": int64(12345678), "data": map[string]any{"gone": nil}}
	got, err := New().Render(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	want := `---
apiVersion: v1
data:
  none: null
  own: x
kind: ConfigMap
metadata:
  name: a
---
apiVersion: v1
data:
  kube: v1.32.0
  size: "1.2345678e+07"
kind: ConfigMap
metadata:
  name: demo-b
  namespace: demo-system
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
`
	if diff := cmp.Diff(want, emit(t, got.Bundle)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}
