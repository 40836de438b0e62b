package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// What a definition adds is patched and removed like what the chart renders; what the model adds is not.
func TestOwnObjects(t *testing.T) {
	configMap := func(name string) manifest.Object {
		return manifest.New(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}})
	}
	in := chartInput("", "")
	in.Chart, in.Component.Source.Chart = nil, nil
	in.Component.Own = []manifest.Object{configMap("kept"), configMap("gone")}
	in.Component.Objects = []manifest.Object{configMap("added")}
	in.Component.Remove = []environment.Selector{{Kind: "ConfigMap", Name: "gone"}}
	in.Component.Patches = []environment.Patch{{Target: environment.Selector{Kind: "ConfigMap"}, Merge: map[string]any{"data": map[string]any{"a": "b"}}}}
	got, err := New().Render(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	want := `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: added
---
apiVersion: v1
data:
  a: b
kind: ConfigMap
metadata:
  name: kept
`
	if diff := cmp.Diff(want, emit(t, got.Bundle)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if in.Component.Own[0].Get("data") != nil {
		t.Error("the definition's object was changed")
	}

	in.Component.Remove = []environment.Selector{{Name: "added"}}
	if _, err := New().Render(t.Context(), in); err == nil || !strings.Contains(err.Error(), "no object of component demo matches {name: added}") {
		t.Errorf("the model removes what it adds itself: %v", err)
	}
}
