package component

import (
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Merge lays the layers over each other, lowest first, as Helm does with several values files: maps merge deeply, anything
// else replaces what was there, and a null stays, so that the chart's own default is removed when Helm meets it.
// The result shares nothing with the layers.
func Merge(layers []environment.Values) map[string]any {
	merged := map[string]any{}
	for _, layer := range layers {
		mergeInto(merged, layer.Tree)
	}
	return merged
}

// mergeInto lays over on top of base. Base is changed, over is copied.
func mergeInto(base, over map[string]any) {
	for key, value := range over { // order does not matter: each key is written once
		upper, isMap := value.(map[string]any)
		lower, wasMap := base[key].(map[string]any)
		if isMap && wasMap {
			mergeInto(lower, upper)
			continue
		}
		base[key] = manifest.Copy(value)
	}
}
