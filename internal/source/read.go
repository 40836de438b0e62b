package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// read fills in the objects of one Application from all its sources.
func (l *loader) read(a *Application) error {
	if len(argocd.Mistakes(a.Object)) > 0 || argocd.Invalid(a.Object) != "" {
		return nil // nobody can apply it, or sync it
	}
	if a.Object.Map("spec", "sourceHydrator") != nil {
		a.Unknown = append(a.Unknown, "its manifests are hydrated by Argo CD")
		return nil
	}
	sources := a.Object.List("spec", "sources")
	if len(sources) == 0 {
		spec := manifest.New(a.Object.Map("spec", "source"))
		sources = []any{normalSource(spec).Fields()}
	}
	for _, fields := range sources {
		spec, _ := fields.(map[string]any)
		if err := l.readSource(a, manifest.New(spec)); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) readSource(a *Application, spec manifest.Object) error {
	if spec.String("ref") != "" && spec.String("path") == "" && spec.String("chart") == "" {
		return nil // brings values files for other sources
	}
	dir, why := l.locate(spec)
	if why != "" {
		a.Unknown = append(a.Unknown, why)
		return nil
	}
	spec = l.override(a, spec, dir)
	if len(a.Broken) > 0 {
		return nil
	}
	before := len(a.Objects)
	switch tool := l.tool(spec, dir); tool {
	case severalTools:
		a.Broken = append(a.Broken, "a source of it states "+strings.Join(statedTools(spec), " and ")+": leave all but one of them out")
	case "Helm":
		l.helm(a, spec, dir)
	case "kustomize":
		l.kustomize(a, spec, dir)
	case "a plugin":
		a.Unknown = append(a.Unknown, "its source "+dir+" is rendered by a plugin")
	default:
		return l.directory(a, plain{dir, newDirectory(spec)})
	}
	for _, o := range a.Objects[before:] {
		for _, m := range argocd.Untracked(o) {
			a.Broken = append(a.Broken, l.mistake(dir, o, m))
		}
	}
	return nil
}

// markers name the files that make a folder something else than plain manifests (argo-cd util/app/discovery).
var markers = []struct{ file, tool string }{
	{"Chart.yaml", "Helm"}, {"kustomization.yaml", "kustomize"}, {"kustomization.yml", "kustomize"}, {"Kustomization", "kustomize"},
}

// directory reads plain manifests. One that cannot be read keeps Argo CD from generating any (repository.go, findManifests).
func (l *loader) directory(a *Application, in plain) error {
	l.plain = append(l.plain, in)
	objects, unknown, err := in.objects(l.fsys, in.dir)
	a.Objects, a.Unknown = append(a.Objects, objects...), append(a.Unknown, unknown...)
	for _, o := range objects {
		for _, m := range argocd.Untracked(o) {
			a.Broken = append(a.Broken, l.mistake(l.holder(in, o), o, m))
		}
	}
	if content := (unreadable{}); errors.As(err, &content) {
		a.Broken = append(a.Broken, manifest.Visible(err.Error()))
		return nil
	}
	return err
}

// severalTools stands for a source that Argo CD refuses, since it states more than one.
const severalTools = "several tools"

// toolFields are the fields by which a source states what renders it.
var toolFields = []struct{ field, tool string }{{"plugin", "a plugin"}, {"kustomize", "kustomize"}, {"helm", "Helm"}, {"directory", ""}}

// statedTools returns the fields by which a source states what renders it.
func statedTools(spec manifest.Object) []string {
	var fields []string
	for _, t := range toolFields {
		if spec.Map(t.field) != nil {
			fields = append(fields, t.field)
		}
	}
	return fields
}

// normalSource drops from a lone source what says nothing, as Argo CD does before it syncs: "directory: {recurse: false}" states no tool.
// Those in a list of sources it leaves as they are (util/argo/argo.go, NormalizeSource).
func normalSource(spec manifest.Object) manifest.Object {
	return spec.Edit(func(fields map[string]any) {
		for _, field := range []string{"kustomize", "helm", "directory"} {
			if empty(fields[field]) {
				delete(fields, field)
			}
		}
	})
}

// empty reports whether a value and all that it holds is nothing.
func empty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			if !empty(inner) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return value == nil || value == false || value == ""
}

// tool says what renders a source: what it states itself, else what its folder looks like (argo-cd ApplicationSource.ExplicitType
// and util/app/discovery).
func (l *loader) tool(spec manifest.Object, dir string) string {
	switch stated := statedTools(spec); len(stated) {
	case 0:
	case 1:
		for _, t := range toolFields {
			if t.field == stated[0] {
				return t.tool
			}
		}
	default:
		return severalTools
	}
	for _, m := range markers {
		if _, err := fs.Stat(l.fsys, path.Join(dir, m.file)); err == nil {
			return m.tool
		}
	}
	return ""
}

// locate returns the folder of a source, or why it cannot be read as one.
func (l *loader) locate(spec manifest.Object) (dir, why string) {
	if chart := spec.String("chart"); chart != "" {
		l.chartSettings(spec)
		return "", "its source is the Helm chart " + chart + " of " + spec.String("repoURL") + ", which is not in the folder"
	}
	stated := clean(spec.String("path"))
	dir, ok := l.below(stated)
	if !ok {
		why = "its source path " + stated
		if argocd.IsPlaceholder(stated) {
			return "", why + " is a placeholder: fill it in"
		}
		if repo := spec.String("repoURL"); repo != "" {
			why += " of " + repo
		}
		return "", why + " is not in the folder"
	}
	return dir, ""
}

// chartSettings keeps what an Application sets in a chart that is not here, where that is argocd-cm.
func (l *loader) chartSettings(spec manifest.Object) {
	values := spec.Map("helm", "valuesObject")
	if objects, _, err := manifest.Decode([]byte(spec.String("helm", "values"))); values == nil && err == nil && len(objects) == 1 {
		values = objects[0].Fields()
	}
	if settings, ok := settingsInValues(values); ok {
		l.settings = append(l.settings, foundSet{object: settings})
	}
}

func clean(stated string) string { return path.Clean(strings.TrimLeft(stated, "/")) }

// below finds a path of the repository in the folder.
func (l *loader) below(stated string) (string, bool) {
	for at := stated; ; {
		if info, err := fs.Stat(l.fsys, at); err == nil && info.IsDir() {
			return at, true
		}
		_, rest, more := strings.Cut(at, "/")
		if !more || !l.inside {
			return "", false
		}
		at = rest
	}
}

// isPart reports whether the folder is a part of the repository: none of the paths which were found in it exists as it is stated.
func (l *loader) isPart() bool {
	for _, a := range l.found {
		for _, fields := range append(a.Object.List("spec", "sources"), a.Object.Get("spec", "source")) {
			spec, _ := fields.(map[string]any)
			stated, _ := spec["path"].(string)
			if info, err := fs.Stat(l.fsys, clean(stated)); stated != "" && clean(stated) != "." && err == nil && info.IsDir() {
				return false
			}
		}
	}
	return true
}

func sameSpec(a, b manifest.Object) bool {
	x, errX := json.Marshal(a.Get("spec"))
	y, errY := json.Marshal(b.Get("spec"))
	return errX == nil && errY == nil && string(x) == string(y)
}

// absent says which parts of a source are not there.
func (a *Application) absent(dir, tool string, parts []string, err error) {
	for _, part := range parts {
		a.Unknown = append(a.Unknown, "its source "+dir+" needs "+part+", which is not in the folder")
	}
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n")
		a.Unknown = append(a.Unknown, fmt.Sprintf("its source %s cannot be rendered here by %s: %s", dir, tool, text))
	}
}
