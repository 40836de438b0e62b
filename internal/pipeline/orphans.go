package pipeline

import (
	"cmp"
	"errors"
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
	return fmt.Sprintf("%s/%s: %d objects would stay in the cluster with nobody to look after them (%s): the Application goes without them: "+
		"put the component back, and `gen remove %s %s` says how they are taken along",
		o.Environment, o.Component, len(o.Objects), first(o.Objects), o.Environment, o.Component)
}

// Moved is an object that one component gives up and another takes over in the same change.
type Moved struct {
	Environment string
	Object      manifest.ID
	From, To    string
	Safe        bool // the Application that it leaves does not delete it
}

// changedObject is one changed file of a component.
type changedObject struct {
	env, component string
	object         manifest.Object
}

// Leavings looks for objects whose component changes or goes, sorted by environment and component.
func Leavings(changes []tree.Change) ([]Orphans, []Moved) {
	var gone, come []changedObject
	left := map[[2]string]bool{} // environment and component whose Application goes without its objects
	for _, c := range changes {
		switch before, after := inComponent(c.Path, c.Before), inComponent(c.Path, c.After); {
		case c.IsRecord() || c.Kind == tree.Foreign:
		case c.Kind == tree.Removed && isApplication(c):
			if app := decoded(c.Before); !slices.Contains(app.List("metadata", "finalizers"), any(argocd.ResourcesFinalizer)) {
				env, _, _ := strings.Cut(c.Path, "/")
				left[[2]string{env, path.Base(app.String("spec", "source", "path"))}] = true
			}
		case c.Kind == tree.Removed && before.component != "":
			gone = append(gone, before)
		case c.Kind == tree.Added && after.component != "":
			come = append(come, after)
		}
	}
	for _, c := range changes {
		if env, name, _ := strings.Cut(c.Path, "/"); name == "root.yaml" && c.Kind == tree.Removed {
			// The whole environment goes: its root finds no folder any more, and deletes nothing.
			maps.DeleteFunc(left, func(key [2]string, _ bool) bool { return key[0] == env })
		}
	}
	moved := moves(gone, come, left)
	return orphans(gone, moved, left), moved
}

func isApplication(c tree.Change) bool {
	parts := strings.Split(c.Path, "/")
	return len(parts) == 3 && parts[1] == appsDir && strings.HasPrefix(parts[2], "application.")
}

// inComponent decodes a file of a component's folder; the zero value is any other file.
func inComponent(name string, data []byte) changedObject {
	parts := strings.Split(name, "/")
	if len(parts) != 4 || parts[1] != componentsDir || len(data) == 0 {
		return changedObject{}
	}
	o := decoded(data)
	if o.IsZero() {
		return changedObject{}
	}
	return changedObject{parts[0], parts[2], o}
}

func decoded(data []byte) manifest.Object {
	objects, _, err := manifest.Decode(data)
	if err != nil || len(objects) != 1 {
		return manifest.Object{}
	}
	return objects[0]
}

// moves pairs what goes with what comes, by identity: an API version is no part of one.
func moves(gone, come []changedObject, left map[[2]string]bool) []Moved {
	taken := map[string]string{}
	for _, c := range come {
		taken[c.env+"\x00"+identity(c.object)] = c.component
	}
	var out []Moved
	for _, g := range gone {
		if to, ok := taken[g.env+"\x00"+identity(g.object)]; ok && to != g.component {
			safe := left[[2]string{g.env, g.component}] || slices.Contains(argocd.SyncOptions(g.object), argocd.PruneFalse)
			out = append(out, Moved{g.env, g.object.ID(), g.component, to, safe})
		}
	}
	slices.SortFunc(out, func(a, b Moved) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), cmp.Compare(a.From, b.From), cmp.Compare(a.Object.String(), b.Object.String()))
	})
	return out
}

func identity(o manifest.Object) string {
	id := o.ID()
	return strings.Join([]string{id.Group, id.Kind, id.Namespace, id.Name}, "\x00")
}

// orphans groups what goes with an Application that leaves it behind. What is kept on removal is meant to stay.
func orphans(gone []changedObject, moved []Moved, left map[[2]string]bool) []Orphans {
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
func leavesNothing(run Run) error {
	left, _ := Leavings(run.Changes)
	var problems []error
	for _, o := range left {
		problems = append(problems, fmt.Errorf("%s; if they are to stay: gen push --leave-objects", o))
	}
	if err := errors.Join(problems...); err != nil {
		return Refusal{err}
	}
	return nil
}

// first names a few objects.
func first(ids []manifest.ID) string {
	var names []string
	for _, id := range ids[:min(3, len(ids))] {
		names = append(names, id.String())
	}
	if len(ids) > 3 {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
