package transform

import (
	"fmt"
	"testing"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// BenchmarkEnvironment takes 50 components of 100 objects each through all filters.
func BenchmarkEnvironment(b *testing.B) {
	var components []component.Component
	var bundles []manifest.Bundle
	for i := range 50 {
		c := comp(fmt.Sprintf("c%02d", i))
		if i > 0 {
			c.Needs = []string{fmt.Sprintf("c%02d", i/2)}
		}
		bundle := manifest.Bundle{Name: c.Name}
		for j := range 100 {
			bundle.Objects = append(bundle.Objects, manifest.New(map[string]any{
				"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": fmt.Sprintf("d%d", j)},
				"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
					"serviceAccountName": "sa",
					"containers":         []any{map[string]any{"name": "c", "env": []any{map[string]any{"name": "A", "value": "b"}}}},
				}}},
			}))
		}
		components, bundles = append(components, c), append(bundles, bundle)
	}
	b.ReportAllocs()
	for b.Loop() {
		all, _, err := Namespaces(components, bundles)
		if err != nil {
			b.Fatal(err)
		}
		order, err := Waves(lab, components, all)
		if err != nil {
			b.Fatal(err)
		}
		all = SkipDryRuns(components, order, NamespaceObjects(order, all))
		if _, err := BuildApplications(lab, components, order, all); err != nil {
			b.Fatal(err)
		}
	}
}
