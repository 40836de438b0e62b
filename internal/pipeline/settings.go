package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/source"
)

// ReadSettings reads a file that holds the argocd-cm and nothing else: which of several objects would count would be a guess.
func ReadSettings(data []byte) (manifest.Object, error) {
	objects, err := source.Objects(data)
	if err != nil {
		return manifest.Object{}, err
	}
	if len(objects) != 1 {
		return manifest.Object{}, fmt.Errorf("it holds %d objects: it must hold one, the ConfigMap %s", len(objects), argocd.ConfigMapName)
	}
	id := objects[0].ID()
	if !argocd.IsSettings(objects[0], "") {
		return manifest.Object{}, fmt.Errorf("it holds %s %s: it must hold the ConfigMap %s", id.Kind, id.Name, argocd.ConfigMapName)
	}
	if data := objects[0].Get("data"); data != nil {
		entries, ok := data.(map[string]any)
		if !ok {
			return manifest.Object{}, fmt.Errorf("data: is no map of keys to texts")
		}
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			if _, ok := entries[key].(string); !ok && entries[key] != nil {
				return manifest.Object{}, fmt.Errorf("data.%s: is no text, which the API server refuses: put it in quotes", key)
			}
		}
	}
	return objects[0], nil
}
