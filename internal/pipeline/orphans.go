package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// Orphans are the objects that a change leaves in the cluster with nobody to look after them: their Application goes, and does not
// take them along.
type Orphans struct {
	Environment, Component string
	Objects                []manifest.ID // sorted
}

// String says what stays, why, and what to do.
func (o Orphans) String() string {
	var names []string
	for _, id := range o.Objects {
		names = append(names, id.String())
	}
	return fmt.Sprintf("%s/%s: %d objects would stay in the cluster with nobody to look after them (%s): the Application goes without them: "+
		"put the component back, and `gen remove %s %s` says how they are taken along",
		o.Environment, o.Component, len(o.Objects), SomeOf(names), o.Environment, o.Component)
}

// Moved is an object that one component gives up and another takes over in the same change.
type Moved struct {
	Environment string
	Object      manifest.ID
	From, To    string
	Safe        bool // the Application that it leaves does not delete it, and does not wait for it to go
}

// goneObject is a file of a component that goes.
type goneObject struct {
	env, component, file string
	object               manifest.Object
}

// Leavings looks for objects whose component changes or goes, sorted by environment and component. Files are named by the identity of
// their object and by nothing else, so one that comes under the same name elsewhere is the same object; only what goes is decoded.
func Leavings(changes []tree.Change) ([]Orphans, []Moved) {
	var gone []goneObject
	come := map[[2]string]string{} // environment and file to the component that takes it over
	left := map[[2]string]bool{}   // environment and component whose Application goes without its objects
	vanished := map[string]bool{}  // environments that go as a whole: their root finds no folder any more, and deletes nothing
	for _, c := range changes {
		env, name, _ := strings.Cut(c.Path, "/")
		component, file := inComponent(name)
		switch {
		case c.IsRecord() || c.Kind == tree.Foreign || c.Kind == tree.Changed:
		case c.Kind == tree.Added:
			come[[2]string{env, file}] = component
		case name == "root.yaml":
			vanished[env] = true
		case strings.HasPrefix(name, appsDir+"/application."):
			if app := manifest.Sole(c.Before); !slices.Contains(app.List("metadata", "finalizers"), any(argocd.ResourcesFinalizer)) {
				left[[2]string{env, path.Base(app.String("spec", "source", "path"))}] = true
			}
		case component != "":
			gone = append(gone, goneObject{env, component, file, manifest.Sole(c.Before)})
		}
	}
	maps.DeleteFunc(left, func(key [2]string, _ bool) bool { return vanished[key[0]] })
	gone = slices.DeleteFunc(gone, func(g goneObject) bool { return g.object.IsZero() })
	moved := moves(gone, come, left)
	return orphans(gone, moved, left), moved
}

// inComponent returns whose folder a file lies in, and its name there: empty for any other file.
func inComponent(name string) (component, file string) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || parts[0] != componentsDir {
		return "", ""
	}
	return parts[1], parts[2]
}

// moves pairs what goes with what comes.
func moves(gone []goneObject, come map[[2]string]string, left map[[2]string]bool) []Moved {
	var out []Moved
	for _, g := range gone {
		if to := come[[2]string{g.env, g.file}]; to != "" && to != g.component {
			safe := left[[2]string{g.env, g.component}] || released(g.object)
			out = append(out, Moved{g.env, g.object.ID(), g.component, to, safe})
		}
	}
	slices.SortFunc(out, func(a, b Moved) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), cmp.Compare(a.From, b.From), cmp.Compare(a.Object.String(), b.Object.String()))
	})
	return out
}

// released reports whether the Application that the object leaves neither prunes it nor waits for it to go: OutOfSync because of
// it, that Application would hold the wave of its parent, and with it the Application that is to take the object over.
func released(o manifest.Object) bool {
	return slices.Contains(argocd.SyncOptions(o), argocd.PruneFalse) && slices.Contains(argocd.CompareOptions(o), argocd.IgnoreExtraneous)
}

// orphans groups what goes with an Application that leaves it behind. What is kept on removal is meant to stay.
func orphans(gone []goneObject, moved []Moved, left map[[2]string]bool) []Orphans {
	groups := map[[2]string][]manifest.ID{}
	for _, g := range gone {
		key := [2]string{g.env, g.component}
		id := g.object.ID()
		elsewhere := slices.ContainsFunc(moved, func(m Moved) bool { return m.Environment == g.env && m.Object == id })
		if left[key] && !elsewhere && !slices.Contains(argocd.SyncOptions(g.object), argocd.DeleteFalse) {
			groups[key] = append(groups[key], id)
		}
	}
	var out []Orphans
	for key, ids := range groups {
		slices.SortFunc(ids, func(a, b manifest.ID) int { return cmp.Compare(a.String(), b.String()) })
		out = append(out, Orphans{key[0], key[1], ids})
	}
	slices.SortFunc(out, func(a, b Orphans) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), cmp.Compare(a.Component, b.Component))
	})
	return out
}

// leavesNothing refuses a commit that leaves objects behind.
func leavesNothing(run Run) []error {
	left, _ := Leavings(run.Changes)
	var problems []error
	for _, o := range left {
		problems = append(problems, fmt.Errorf("%s; if they are to stay: gen push --leave-objects", o))
	}
	return problems
}
