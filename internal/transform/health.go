package transform

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Health puts the health script for Applications into the argocd-cm that a component renders in Argo CD's namespace, unless
// one stands there already. Without such a ConfigMap the bundles are returned as they are and placed is false: then
// HealthFragment has to reach Argo CD in another way.
func Health(namespace string, bundles []manifest.Bundle) (out []manifest.Bundle, placed bool) {
	out = slices.Clone(bundles)
	for i, b := range out {
		j := slices.IndexFunc(b.Objects, func(o manifest.Object) bool { return isSettings(o, namespace) })
		if j < 0 {
			continue
		}
		if hasApplicationHealth(b.Objects[j]) {
			return out, true
		}
		out[i].Objects = slices.Clone(b.Objects)
		out[i].Objects[j] = b.Objects[j].Set(argocd.ApplicationHealth(), "data", argocd.ApplicationHealthKey)
		return out, true
	}
	return out, false
}

// HealthFragment returns an argocd-cm that holds the health script alone. Applied on the server side under a field manager of
// its own, it adds to the settings of an Argo CD that is installed elsewhere.
func HealthFragment(namespace string) manifest.Object {
	return manifest.New(map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata": map[string]any{
			"name":      argocd.ConfigMapName,
			"namespace": namespace,
			"labels":    map[string]any{"app.kubernetes.io/part-of": "argocd"}, // Argo CD reads no argocd-cm without it
		},
		"data": map[string]any{argocd.ApplicationHealthKey: argocd.ApplicationHealth()},
	})
}

// isSettings reports whether the object is the ConfigMap that the Argo CD of that namespace reads.
func isSettings(o manifest.Object, namespace string) bool {
	id := o.ID()
	return id.Group == "" && id.Kind == "ConfigMap" && id.Name == argocd.ConfigMapName && id.Namespace == namespace
}

// hasApplicationHealth looks under both keys that Argo CD reads: the one a kind, and the old one that holds a map of kinds.
func hasApplicationHealth(settings manifest.Object) bool {
	if settings.String("data", argocd.ApplicationHealthKey) != "" {
		return true
	}
	old := settings.String("data", strings.TrimSuffix(argocd.HealthKeyPrefix, ".health."))
	objects, _, err := manifest.Decode([]byte(old))
	if err != nil || len(objects) == 0 {
		return false
	}
	return objects[0].String("argoproj.io/Application", "health.lua") != ""
}

// settingsIn returns the argocd-cm of that namespace and the component that renders it, or false.
func settingsIn(namespace string, bundles []manifest.Bundle) (settings manifest.Object, name string, ok bool) {
	for _, b := range bundles {
		for _, o := range b.Objects {
			if isSettings(o, namespace) {
				return o, b.Name, true
			}
		}
	}
	return manifest.Object{}, "", false
}
