package pipeline

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/render"
)

// Whatever rendering depends on is in the key: what a cache forgets, it serves stale.
func TestCacheKey(t *testing.T) {
	c := &cache{dir: "x", build: "1"}
	object := manifest.New(map[string]any{"kind": "ConfigMap"})
	seen := map[string]string{}
	for name, in := range map[string]render.Input{
		"nothing":       {},
		"chart":         {ChartKey: "a"},
		"API versions":  {APIVersions: []string{"a"}},
		"own objects":   {Component: component.Component{Own: []manifest.Object{object}}},
		"added objects": {Component: component.Component{Objects: []manifest.Object{object}}},
		"values":        {Component: component.Component{Merged: map[string]any{"a": nil}}},
	} {
		key, err := c.key(in)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[key] = name
	}
}
