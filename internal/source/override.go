package source

import (
	"io/fs"
	"path"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// overrideNote says where a part of what is proven stands: no file that people look at shows it.
const overrideNote = "%[1]s beside the manifests lie over the source of %[2]s, as Argo CD has it"

// override lays over a source what files beside its manifests state: that of all Applications, then that of this one (argo-cd
// reposerver/repository/repository.go, mergeSourceParameters; docs/user-guide/parameters.md). Where one is no such file, Argo CD
// generates no manifests.
func (l *loader) override(a *Application, spec manifest.Object, dir string) manifest.Object {
	var merged any
	for _, name := range overrides(a.Object.ID()) {
		at := path.Join(dir, name)
		if info, err := fs.Stat(l.fsys, at); err != nil || info.IsDir() {
			continue
		}
		patch, why := l.patch(at)
		if why != "" {
			a.Broken = append(a.Broken, why)
			return spec
		}
		if merged == nil {
			merged = spec.Fields()
		}
		merged = lay(merged, patch, false)
		l.said(overrideNote, ".argocd-source files", a.Object.ID().Name)
	}
	if merged == nil {
		return spec
	}
	fields := mapOf(merged) // lay makes a map of its own
	for _, own := range []string{"chart", "path", "repoURL", "targetRevision"} {
		delete(fields, own)
		if value, ok := spec.Fields()[own]; ok {
			fields[own] = value
		}
	}
	return manifest.New(fields)
}

// overrides names the files that may lie over a source, the later over the former. Argo CD calls an Application outside of its own
// namespace by both names (application_types.go, InstanceName).
func overrides(id manifest.ID) []string {
	names := []string{".argocd-source.yaml"}
	if id.Namespace != "" && id.Namespace != "argocd" {
		names = append(names, ".argocd-source-"+id.Namespace+"_"+id.Name+".yaml")
	}
	return append(names, ".argocd-source-"+id.Name+".yaml")
}

// patch reads such a file, or says why Argo CD cannot.
func (l *loader) patch(at string) (fields map[string]any, why string) {
	data, err := readFile(l.fsys, at)
	if err != nil {
		return nil, manifest.Visible(err.Error())
	}
	objects, _, err := manifest.Decode(cut(data)[0].text)
	if err == nil && len(objects) == 0 && len(cut(data)) > 1 {
		objects, _, err = manifest.Decode(cut(data)[1].text)
	}
	switch {
	case err != nil:
		return nil, manifest.Visible(at + ": it is laid over the source and cannot be read: " + err.Error())
	case len(objects) != 1:
		return nil, manifest.Visible(at + ": it is laid over the source and holds no map: state helm: or kustomize: in it, or remove it")
	}
	fields = objects[0].Fields()
	if mistakes := argocd.SourceMistakes(fields); len(mistakes) > 0 {
		return nil, manifest.Visible(at + ": " + mistakes[0].String() + "; it is laid over the source")
	}
	return fields, ""
}

// lay lays a patch over a value as Argo CD ends up with it: a JSON merge patch, read into the source that was there. So a null takes
// nothing away, and what an item of a list states stays in the item that takes its place, unless that states it, too. Only
// valuesObject is one value to Argo CD, where a null does take away.
func lay(old, patch any, whole bool) any {
	switch p := patch.(type) {
	case map[string]any:
		return layMap(mapOf(old), p, whole)
	case []any:
		before, _ := old.([]any)
		list := slices.Clone(p)
		for i, item := range list {
			if fields, ok := item.(map[string]any); ok && !whole && i < len(before) {
				list[i] = lay(before[i], fields, false)
			}
		}
		return list
	}
	return patch
}

// layMap lays one map over another.
func layMap(old, patch map[string]any, whole bool) map[string]any {
	merged := map[string]any{}
	for key, value := range old {
		merged[key] = value
	}
	for key, value := range patch {
		switch {
		case value != nil:
			merged[key] = lay(old[key], value, whole || key == "valuesObject")
		case whole:
			delete(merged, key)
		}
	}
	return merged
}
