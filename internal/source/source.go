// Package source tells which objects each Argo CD Application found in a folder would apply.
package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Application is one Application and what it would apply.
type Application struct {
	Object    manifest.Object
	File      string            // where it was found; empty where another one's source or an ApplicationSet makes it
	Generator manifest.ID       // the ApplicationSet that makes it; zero where none does
	Objects   []manifest.Object // wanted by it, in the order of file names
	Unknown   []string          // why a part of what it applies cannot be told from the folder
	Applied   bool              // one of the files that hold it is applied by no Application
	Broken    []string          // why Argo CD can generate none of its manifests
	files     []string
}

// Folder is what stands in a folder, seen with Argo CD's eyes.
type Folder struct {
	Applications []Application     // by namespace and name
	Hidden       []Application     // ApplicationSets in files of which not all that they make is known, with the reasons in Unknown
	Projects     []manifest.Object // AppProjects in files that no Application applies: whoever applies the root applies them
	Clusters     []manifest.Object // Secrets of registered clusters, as far as they are known
	Settings     []manifest.Object // every argocd-cm that a person applies: in a file that no Application applies, in values of the argo-cd chart
	Brought      []manifest.Object // those in files that an Application applies, or what a tool makes of them
	Notes        []string          // what could not be told, sorted
}

// Rendered is what a chart or a kustomization gives, and which parts of it are not there to be rendered.
type Rendered struct {
	Objects []manifest.Object
	Absent  []string
	Missing []string // files that a kustomization names and that stand nowhere
	Read    []string // the folders of kustomizations that were read
	Asks    []Question
}

// Tools render what is no plain manifest. Where one is missing, what it would render cannot be told.
type Tools struct {
	Clusters  []manifest.Object       // Secrets of all registered clusters; none: those in the folder
	Functions func() template.FuncMap // stand in for functions of ApplicationSets' templates that make much out of a number
	Helm      func(Chart) (Rendered, error)
	Kustomize func(Kustomization) (Rendered, error)
}

const argoGroup = "argoproj.io"

// Load reads a folder: every Application and ApplicationSet in any of its files (with root: in that file, or in what that folder
// renders to), those that their sources bring, and for each what its source gives. Whatever a repoURL says, a path that exists in the folder is the folder's. A
// path counts from the folder; where no path does, from a folder above it, whose name the path then begins with: the folder may
// be a part of the repository. Plain manifests that cannot be read are errors only where an Application applies them.
func Load(ctx context.Context, fsys fs.FS, root string, tools Tools) (Folder, error) {
	l := &loader{ctx: ctx, fsys: fsys, tools: tools, found: map[manifest.ID]*Application{}, notes: map[string]bool{}, repeated: map[repeated][]string{}, handed: map[manifest.ID]string{}}
	if err := l.walk(root); err != nil {
		return Folder{}, fmt.Errorf("reading the folder: %w", err)
	}
	l.inside = l.isPart()
	err := l.readAll()
	if l.stopped() {
		return Folder{}, context.Cause(ctx)
	}
	l.dropBases()
	return l.folder(), errors.Join(append(l.refused(), err)...)
}

// loader is one call of Load.
type loader struct {
	ctx      context.Context
	fsys     fs.FS
	tools    Tools
	inside   bool // the folder is a part of the repository
	found    map[manifest.ID]*Application
	queue    []*Application
	projects []foundSet // AppProjects that stand in files
	clusters []foundSet // Secrets of registered clusters; file is empty where an Application applies it
	plain    []plain    // folders of plain manifests that Applications apply
	settings []foundSet // argocd-cm, of values without a file
	sets     []foundSet
	made     map[manifest.ID]bool // Applications that another one's source or an ApplicationSet makes
	charts   []string             // folders that Helm has rendered
	bases    []string             // folders that kustomize has read
	notes    map[string]bool
	repeated map[repeated][]string  // who it is said of
	handed   map[manifest.ID]string // files of ApplicationSets that a person applies
	broken   []unread
	hidden   []Application

	questions     []Question // of charts, for APIs
	askedClusters bool       // a generator asked which clusters are registered
}

// stopped reports whether nobody waits for the folder any more.
func (l *loader) stopped() bool { return l.ctx.Err() != nil }

// foundSet is an ApplicationSet or an AppProject that stands in a file.
type foundSet struct {
	object manifest.Object
	file   string
}

func (l *loader) note(format string, args ...any) {
	l.notes[manifest.Visible(fmt.Sprintf(format, args...))] = true
}

// walk collects what speaks of Argo CD in any file; with a root, what that holds, and of the other files what is there before it.
func (l *loader) walk(root string) error {
	if root != "" {
		if err := l.rooted(root); err != nil {
			return err
		}
		return l.beside(root)
	}
	err := l.everyFile()
	if err == nil && len(l.found)+len(l.sets)+len(l.broken) == 0 {
		err = l.chartsOfApplications()
	}
	return err
}

// rooted collects what a person applies.
func (l *loader) rooted(root string) error {
	if info, err := fs.Stat(l.fsys, root); err == nil && info.IsDir() {
		return l.person(root)
	}
	objects, err := file(l.fsys, root)
	l.collect(root, objects)
	return err
}

// beside collects the argocd-cm and the AppProjects of all files but the root: whoever applies that has Argo CD set up before.
func (l *loader) beside(root string) error {
	return l.files(func(name string) error {
		if name == root {
			return nil
		}
		objects, _, err := l.candidates(name)
		if err != nil {
			return nil // nobody asked for this file
		}
		l.collect(name, slices.DeleteFunc(objects, func(o manifest.Object) bool {
			kind := o.ID().Kind
			return kind != "ConfigMap" && kind != "AppProject" && kind != "Secret"
		}))
		return nil
	})
}

// everyFile collects from every file.
func (l *loader) everyFile() error {
	return l.files(func(name string) error {
		objects, data, err := l.candidates(name)
		if err != nil && data == nil {
			return err
		}
		if err != nil {
			l.blame(name, data, err)
		}
		l.collect(name, objects)
		return nil
	})
}

// files visits every file that may hold manifests.
func (l *loader) files(visit func(name string) error) error {
	return fs.WalkDir(l.fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if l.stopped() {
			return context.Cause(l.ctx)
		}
		if err != nil || entry.IsDir() || !isManifest(name) {
			return skipHidden(name, entry, err)
		}
		return visit(name)
	})
}

// skipHidden keeps the walk out of .git and the like, and out of what links lead to nowhere.
func skipHidden(name string, entry fs.DirEntry, err error) error {
	if err == nil && entry.IsDir() && name != "." && strings.HasPrefix(path.Base(name), ".") {
		return fs.SkipDir
	}
	return err
}

// collect enters the objects of one file.
func (l *loader) collect(name string, objects []manifest.Object) {
	for _, o := range objects {
		id := named(o)
		switch {
		case argocd.IsSettings(o, ""):
			l.settings = append(l.settings, foundSet{o, name})
		case id.Kind == "Secret" && id.Group == "":
			l.clusters = append(l.clusters, foundSet{o, name})
		case id.Group != argoGroup:
		case l.isPatch(name, o):
			l.note("%s: %s %s is no whole object and stands beside a kustomization: it is taken for a patch", name, id.Kind, id.Name)
		case id.Kind == "Application" && (id.Name == "" || o.Get("spec") == nil):
			l.broken = append(l.broken, unread{name, l.mistake(name, o, argocd.Mistake{Path: []string{"metadata", "name"}, Text: "is missing or no string (quote it), or there is no spec: the API server refuses the Application"})})
		case id.Kind == "Application":
			if old := l.found[id]; old != nil {
				old.files = append(old.files, name)
				l.note("Application %s stands in more than one file: that of %s was taken; --root names another", id.Name, old.File)
				continue
			}
			l.add(&Application{Object: o, File: name, files: []string{name}})
		case id.Kind == "AppProject":
			l.projects = append(l.projects, foundSet{o, name})
		case id.Kind == "ApplicationSet" && o.Map("spec") != nil:
			l.sets = append(l.sets, foundSet{o, name})
		}
	}
}

// named identifies one of Argo CD's objects; one without namespace is in that of Argo CD.
func named(o manifest.Object) manifest.ID {
	id := o.ID()
	id.Version, id.Namespace = "", or(id.Namespace, "argocd")
	return id
}

func (l *loader) add(a *Application) {
	l.found[named(a.Object)] = a
	l.queue = append(l.queue, a)
}

// consumed reports whether a file is part of a chart or a kustomization that was rendered.
func (l *loader) consumed(file string) bool {
	return slices.Contains(l.bases, path.Dir(file)) || slices.ContainsFunc(l.charts, func(dir string) bool {
		return dir == "." || strings.HasPrefix(file, dir+"/")
	})
}

// byHand reports whether no Application applies a file, nor what a tool makes of it.
func (l *loader) byHand(file string) bool {
	return !l.consumed(file) && !slices.ContainsFunc(l.plain, func(in plain) bool { return in.holds(file) })
}

// folder returns all that was found, sorted.
func (l *loader) folder() Folder {
	var f Folder
	for _, a := range l.sorted() {
		a.Applied = slices.ContainsFunc(a.files, l.byHand)
		f.Applications = append(f.Applications, *a)
	}
	for _, p := range l.projects {
		if l.byHand(p.file) {
			f.Projects = append(f.Projects, p.object)
		}
	}
	f.Clusters = l.registered()
	l.clusterNotes()
	l.askedNotes()
	for note := range l.notes {
		f.Notes = append(f.Notes, note)
	}
	f.Notes = append(f.Notes, l.repeatedNotes()...)
	for _, cm := range l.settings {
		if cm.file == "" || l.byHand(cm.file) {
			f.Settings = append(f.Settings, cm.object)
		} else {
			f.Brought = append(f.Brought, cm.object)
		}
	}
	f.Hidden = l.hidden
	slices.Sort(f.Notes)
	manifest.Sort(f.Projects)
	return f
}

// sorted returns the Applications by namespace and name.
func (l *loader) sorted() []*Application {
	return slices.SortedFunc(maps.Values(l.found), func(a, b *Application) int { return a.Object.ID().Compare(b.Object.ID()) })
}

// Name is what reports call the Application.
func (a Application) Name() string { return a.Object.ID().Name }

// Wave is the wave of the Application inside its parent.
func (a Application) Wave() int { return argocd.Wave(a.Object) }
