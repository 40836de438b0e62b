package transform

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Health puts the health scripts that a release line needs (argocd.EmittedHealth) into the argocd-cm that a component renders in
// Argo CD's namespace, but for kinds which have one there already. Without such a ConfigMap the bundles are returned as they
// are and placed is false: then HealthFragment has to reach Argo CD in another way.
func Health(namespace string, v argocd.Version, bundles []manifest.Bundle) (out []manifest.Bundle, placed bool) {
	out = slices.Clone(bundles)
	for i, b := range out {
		j := slices.IndexFunc(b.Objects, func(o manifest.Object) bool { return argocd.IsSettings(o, namespace) })
		if j < 0 {
			continue
		}
		out[i].Objects = slices.Clone(b.Objects)
		for key, script := range argocd.EmittedHealth(v) {
			if !hasHealth(b.Objects[j], key) {
				out[i].Objects[j] = out[i].Objects[j].Set(script, "data", key)
			}
		}
		return out, true
	}
	return out, false
}

// HealthFragment returns an argocd-cm that holds the health scripts alone. Applied on the server side under a field manager of
// its own, it adds to the settings of an Argo CD that is installed elsewhere.
func HealthFragment(namespace string, v argocd.Version) manifest.Object {
	data := map[string]any{}
	for key, script := range argocd.EmittedHealth(v) {
		data[key] = script
	}
	return manifest.New(map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata": map[string]any{
			"name":      argocd.ConfigMapName,
			"namespace": namespace,
			"labels":    map[string]any{"app.kubernetes.io/part-of": "argocd"}, // Argo CD reads no argocd-cm without it
		},
		"data": data,
	})
}

// hasHealth looks under both keys that Argo CD reads: the one a kind, and the old one that holds a map of kinds.
func hasHealth(settings manifest.Object, key string) bool {
	if settings.String("data", key) != "" {
		return true
	}
	old := settings.String("data", strings.TrimSuffix(argocd.HealthKeyPrefix, ".health."))
	objects, _, err := manifest.Decode([]byte(old))
	if err != nil || len(objects) == 0 {
		return false
	}
	pattern := strings.Replace(strings.TrimPrefix(key, argocd.HealthKeyPrefix), "_", "/", 1)
	return objects[0].String(pattern, "health.lua") != ""
}

// settingsIn returns the argocd-cm of that namespace and the component that renders it, or false.
func settingsIn(namespace string, bundles []manifest.Bundle) (settings manifest.Object, name string, ok bool) {
	for _, b := range bundles {
		for _, o := range b.Objects {
			if argocd.IsSettings(o, namespace) {
				return o, b.Name, true
			}
		}
	}
	return manifest.Object{}, "", false
}
