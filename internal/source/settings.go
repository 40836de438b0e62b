package source

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// settingsInValues finds the argocd-cm that values of the argo-cd chart ask for (argo-helm charts/argo-cd, configs.cm), at the top or
// below the name that an umbrella chart gives it.
func settingsInValues(values map[string]any) (manifest.Object, bool) {
	places := []any{values}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		places = append(places, values[key])
	}
	for _, at := range places {
		data := mapOf(mapOf(mapOf(at)["configs"])["cm"])
		if len(data) == 0 {
			continue
		}
		return manifest.New(map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": argocd.ConfigMapName}, "data": data,
		}), true
	}
	return manifest.Object{}, false
}

// settingsIn finds an argocd-cm in a file that is no list of objects: a values file.
func settingsIn(data []byte) []manifest.Object {
	objects, _, err := manifest.Decode(data)
	if err != nil || len(objects) != 1 || objects[0].ID().Kind != "" {
		return nil
	}
	if settings, ok := settingsInValues(objects[0].Fields()); ok {
		return []manifest.Object{settings}
	}
	return nil
}

// person enters what a person applies who renders a folder: a chart, a kustomization or manifests.
func (l *loader) person(dir string) error {
	by := Application{Object: manifest.New(map[string]any{"metadata": map[string]any{"name": path.Base(dir)}})}
	if err := l.readSource(&by, manifest.New(map[string]any{"path": dir})); err != nil {
		return err
	}
	if len(by.Broken) > 0 {
		return errors.New(by.Broken[0])
	}
	for _, why := range by.Unknown {
		l.note("what a person applies is not all known: %s", why)
	}
	l.collect(dir, by.Objects)
	return nil
}

// chartsOfApplications finds the charts whose templates make Applications, where no file holds one: a person renders those first.
func (l *loader) chartsOfApplications() error {
	var dirs []string
	err := fs.WalkDir(l.fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isManifest(name) {
			return skipHidden(name, entry, err)
		}
		dir, _, ok := strings.Cut(name, "/templates/")
		data, err := readFile(l.fsys, name)
		if ok && strings.Contains(string(data), "kind: Application") && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return err
	})
	for _, dir := range dirs {
		if err := l.person(dir); err != nil {
			return err
		}
	}
	return err
}
