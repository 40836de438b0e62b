package source

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"
)

// TestAsks states which templates are named that make something only where an API is served.
func TestAsks(t *testing.T) {
	const crd = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: w}, spec: {group: example.com, names: {kind: Widget}, versions: [{name: v1, served: true}, {name: v0, served: false}]}}"
	later := fmt.Sprintf(laterNote, "example.com/v1", "c/templates/a.yaml, c/templates/b.yaml")
	for name, tt := range map[string]struct {
		api, crd, want string
	}{
		"nobody brings it":     {api: "example.com/v1", want: fmt.Sprintf(neverNote, "example.com/v1", "c/templates/a.yaml, c/templates/b.yaml")},
		"another brings it":    {api: "example.com/v1", crd: crd, want: later},
		"the kind":             {api: "example.com/v1/Widget", crd: crd, want: fmt.Sprintf(laterNote, "example.com/v1/Widget", "c/templates/a.yaml, c/templates/b.yaml")},
		"another kind":         {api: "example.com/v1/Gadget", crd: crd, want: fmt.Sprintf(neverNote, "example.com/v1/Gadget", "c/templates/a.yaml, c/templates/b.yaml")},
		"a version not served": {api: "example.com/v0", crd: crd, want: fmt.Sprintf(neverNote, "example.com/v0", "c/templates/a.yaml, c/templates/b.yaml")},
		"nothing asks for any": {crd: crd},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{"apps.yaml": {Data: []byte(application("a", "{path: c}") + "---\n" + application("b", "{path: m}"))}, "c/Chart.yaml": {}, "m/crd.yaml": {Data: []byte(tt.crd)}}
			folder, err := Load(t.Context(), files, "", Tools{Helm: func(Chart) (Rendered, error) {
				if tt.api == "" {
					return Rendered{}, nil
				}
				return Rendered{Asks: []Question{{"templates/b.yaml", tt.api}, {"templates/a.yaml", tt.api}}}, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Contains(folder.Notes, tt.want); tt.want != "" && !got || tt.want == "" && len(folder.Notes) > 0 {
				t.Errorf("notes %q, want %q", folder.Notes, tt.want)
			}
		})
	}
}
