// Package source tells which objects each Argo CD Application found in a folder would apply.
package source

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Application is one Application and what it would apply.
type Application struct {
	Object  manifest.Object
	File    string            // where it was found; of several, the first
	Objects []manifest.Object // wanted by it, in the order of file names
	Unknown []string          // why a part of what it applies cannot be told from the folder
}

// Folder is what stands in a folder, seen with Argo CD's eyes.
type Folder struct {
	Applications []Application     // by namespace and name
	Projects     []manifest.Object // AppProjects that stand in a file, wherever
	Sets         []manifest.ID     // ApplicationSets, which are not expanded
}

const argoGroup = "argoproj.io"

// Load reads a folder: every Application in any of its files, and for each what lies under its source path. A path counts from
// the folder or from a folder above it, whose name the path then begins with: the folder may be a part of the repository. Files
// that cannot be read as objects are errors only where an Application applies them.
func Load(fsys fs.FS) (Folder, error) {
	found := map[manifest.ID]Application{}
	projects := map[manifest.ID]manifest.Object{}
	var folder Folder
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isManifest(name) {
			return skipHidden(name, entry, err)
		}
		objects, err := candidates(fsys, name)
		for _, o := range objects {
			id := o.ID()
			id.Version = ""
			switch {
			case id.Group != argoGroup:
			case id.Kind == "Application":
				if _, twice := found[id]; !twice {
					found[id] = Application{Object: o, File: name}
				}
			case id.Kind == "AppProject":
				projects[id] = o
			case id.Kind == "ApplicationSet":
				folder.Sets = append(folder.Sets, o.ID())
			}
		}
		return err
	})
	if err != nil {
		return Folder{}, fmt.Errorf("reading the folder: %w", err)
	}
	return folder, folder.fill(fsys, found, projects)
}

// skipHidden keeps the walk out of .git and the like.
func skipHidden(name string, entry fs.DirEntry, err error) error {
	if err == nil && entry.IsDir() && name != "." && strings.HasPrefix(path.Base(name), ".") {
		return fs.SkipDir
	}
	return err
}

// candidates returns the objects of a file that speaks of Argo CD; of a file that is no list of objects, none.
func candidates(fsys fs.FS, name string) ([]manifest.Object, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if !strings.Contains(string(data), argoGroup) {
		return nil, nil
	}
	objects, err := decode(data)
	if err != nil {
		return nil, nil // a template, a values file: whoever applies it gets the error
	}
	return objects, nil
}

// fill finds what each Application applies and sorts everything.
func (f *Folder) fill(fsys fs.FS, found map[manifest.ID]Application, projects map[manifest.ID]manifest.Object) error {
	var errs []error
	for _, app := range found {
		if err := app.read(fsys); err != nil {
			errs = append(errs, fmt.Errorf("Application %s: %w", app.Object.ID().Name, err))
		}
		f.Applications = append(f.Applications, app)
	}
	for _, p := range projects {
		f.Projects = append(f.Projects, p)
	}
	manifest.Sort(f.Projects)
	slices.SortFunc(f.Sets, manifest.ID.Compare)
	slices.SortFunc(f.Applications, func(a, b Application) int { return a.Object.ID().Compare(b.Object.ID()) })
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// read fills in the objects of one Application from all its sources.
func (a *Application) read(fsys fs.FS) error {
	sources := a.Object.List("spec", "sources")
	if len(sources) == 0 {
		sources = []any{a.Object.Get("spec", "source")}
	}
	if dry := a.Object.Map("spec", "sourceHydrator"); dry != nil {
		a.Unknown = append(a.Unknown, "its manifests are hydrated by Argo CD")
		return nil
	}
	for _, fields := range sources {
		spec, _ := fields.(map[string]any)
		if err := a.readSource(fsys, manifest.New(spec)); err != nil {
			return err
		}
	}
	return nil
}

func (a *Application) readSource(fsys fs.FS, spec manifest.Object) error {
	if spec.String("ref") != "" && spec.String("path") == "" && spec.String("chart") == "" {
		return nil // brings values files for other sources
	}
	dir, why := locate(fsys, spec)
	if why != "" {
		a.Unknown = append(a.Unknown, why)
		return nil
	}
	d := newDirectory(spec)
	objects, unknown, err := d.objects(fsys, dir)
	a.Objects = append(a.Objects, objects...)
	a.Unknown = append(a.Unknown, unknown...)
	return err
}

// renderers names the files that make a folder something else than plain manifests (argo-cd util/app/discovery).
var renderers = []struct{ file, name string }{
	{"Chart.yaml", "Helm"}, {"kustomization.yaml", "kustomize"}, {"kustomization.yml", "kustomize"}, {"Kustomization", "kustomize"},
}

// locate returns the folder of a source, or why it cannot be read as one.
func locate(fsys fs.FS, spec manifest.Object) (dir, why string) {
	if chart := spec.String("chart"); chart != "" {
		return "", "its source is the Helm chart " + chart + ", which is not rendered here"
	}
	stated := path.Clean(strings.TrimPrefix(spec.String("path"), "/"))
	dir, ok := below(fsys, stated)
	if !ok {
		return "", "its source path " + stated + " is not in the folder"
	}
	for _, tool := range renderers {
		if _, err := fs.Stat(fsys, path.Join(dir, tool.file)); err == nil {
			return "", "its source " + stated + " is rendered by " + tool.name
		}
	}
	if spec.Map("plugin") != nil {
		return "", "its source " + stated + " is rendered by a plugin"
	}
	return dir, ""
}

// below finds a path of the repository in a folder that may be the repository or a part of it.
func below(fsys fs.FS, stated string) (string, bool) {
	for at := stated; ; {
		if info, err := fs.Stat(fsys, at); err == nil && info.IsDir() {
			return at, true
		}
		_, rest, more := strings.Cut(at, "/")
		if !more {
			return "", false
		}
		at = rest
	}
}

// Name is what reports call the Application.
func (a Application) Name() string { return a.Object.ID().Name }

// Wave is the wave of the Application inside its parent.
func (a Application) Wave() int { return argocd.Wave(a.Object) }
