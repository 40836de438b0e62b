package environment

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// resolver joins the layers of one environment.
type resolver struct {
	*model
	own    *environmentLayer
	layers []*layer // lowest first
	// partial says that a layer is missing from layers: what they do not say is unknown.
	partial bool
	env     *Environment
	refs    references
}

// resolve joins the layers of an environment, or returns nil without a fleet. Where another layer could not be read or is not
// there, what is stated is checked, and nothing is said of what is missing.
func (m *model) resolve(own *environmentLayer) *Environment {
	if m.fleet == nil {
		return nil
	}
	r := resolver{model: m, own: own, layers: []*layer{m.fleet}, partial: own.doc.broken["groups"]}
	for i, name := range own.file.Groups {
		if group := r.group(name, i); group != nil {
			r.layers = append(r.layers, group)
		} else {
			r.partial = true
		}
	}
	r.layers = append(r.layers, &own.layer)
	r.environment(r.site())
	return r.env
}

// group finds group i of the environment; nil where there is none that could be read.
func (r *resolver) group(name string, i int) *layer {
	at, field := r.own.doc.find(itemPath("groups", i)), itemPath("groups", i)
	group, there := r.groups[name]
	switch {
	case name == "":
	case !there:
		r.c.add(at, field, "there is no group %q%s; write groups/%s.yaml, or take the name out", name, didYouMean(name, keys(r.groups)), name)
	case slices.Contains(r.own.file.Groups[:i], name):
		r.c.add(at, field, "group %q stands there twice: which place it has among the layers would be a guess; keep one", name)
	}
	return group
}

// site finds the site that the environment names; nil where there is none that could be read.
func (r *resolver) site() *site {
	name := r.own.file.Site
	if name == "" {
		return nil
	}
	place, there := r.sites[name]
	if !there {
		r.c.add(r.own.doc.find("site"), "site", "there is no site %q%s; write sites/%s.yaml, or take the name out", name, didYouMean(name, keys(r.sites)), name)
	}
	return place
}

// environment fills r.env.
func (r *resolver) environment(place *site) {
	own := r.own
	e := &Environment{Name: own.file.Name, Groups: own.file.Groups, Site: own.file.Site, Given: own.file.Given, File: own.doc.file, Positions: maps.Clone(own.doc.at)}
	r.env = e
	for _, l := range r.layers {
		overlay(&e.Versions, l.versions)
		overlay(&e.ArgoCD, l.argocd)
		e.Rollout = cmp.Or(l.rollout, e.Rollout)
		e.Rebuilt = cmp.Or(l.rebuilt, e.Rebuilt)
	}
	e.Rollout, e.Rebuilt = cmp.Or(e.Rollout, "tracked"), cmp.Or(e.Rebuilt, "seldom")
	e.ArgoCD.Namespace = cmp.Or(e.ArgoCD.Namespace, "argocd")
	e.ArgoCD.Cluster = forEnvironment(e.ArgoCD.Cluster, e.Name)
	e.Git = r.git
	e.Git.Mode = cmp.Or(e.Git.Mode, "same-branch")
	e.Git.Path = forEnvironment(cmp.Or(e.Git.Path, "output/{env}"), e.Name)
	e.Git.Branch = forEnvironment(e.Git.Branch, e.Name)
	e.Git.ReleaseBranch = forEnvironment(cmp.Or(e.Git.ReleaseBranch, "release/{env}"), e.Name)
	r.checkTopology()
	r.imageFieldsOf()
	r.facts(place)
	r.refs = references{tree: map[string]any{"facts": e.Tree, "environment": map[string]any{"name": e.Name}}, stated: r.statedFact(place), file: e.File, c: &r.c}
	r.components()
}

// forEnvironment fills {env} in.
func forEnvironment(text, name string) string {
	return strings.ReplaceAll(text, "{env}", name)
}

// overlay sets the text fields of a struct that a higher layer states.
func overlay[T any](low *T, high T) {
	from, to := reflect.ValueOf(high), reflect.ValueOf(low).Elem()
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}

// winner is where the highest layer states a path, and whether any does.
func (r *resolver) winner(path string) (Origin, bool) {
	for _, l := range slices.Backward(r.layers) {
		if l.doc.stated[path] {
			return l.doc.find(path), true
		}
	}
	return r.own.doc.top(), false
}

// keys lists the keys of a map, sorted.
func keys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
