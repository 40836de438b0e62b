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
	env    *Environment
	refs   references
}

// resolve joins the layers of an environment, or returns nil where one of them could not be read: what is missing then says
// nothing.
func (m *model) resolve(own *environmentLayer) *Environment {
	r := resolver{model: m, own: own, layers: []*layer{m.fleet}}
	complete := m.fleet != nil
	for i, name := range own.file.Groups {
		group, there := m.groups[name]
		at, field := own.doc.find(itemPath("groups", i)), itemPath("groups", i)
		switch {
		case name == "":
		case !there:
			m.c.add(at, field, "there is no group %q%s; write groups/%s.yaml, or take the name out", name, didYouMean(name, keys(m.groups)), name)
		case slices.Contains(own.file.Groups[:i], name):
			m.c.add(at, field, "group %q stands there twice: which place it has among the layers would be a guess; keep one", name)
		case group == nil:
			complete = false
		default:
			r.layers = append(r.layers, group)
		}
	}
	r.layers = append(r.layers, &own.layer)
	place := r.site(&complete)
	if !complete {
		return nil
	}
	r.environment(place)
	return r.env
}

// site finds the site that the environment names.
func (r *resolver) site(complete *bool) *site {
	name := r.own.file.Site
	if name == "" {
		return nil
	}
	place, there := r.sites[name]
	switch {
	case !there:
		r.c.add(r.own.doc.find("site"), "site", "there is no site %q%s; write sites/%s.yaml, or take the name out", name, didYouMean(name, keys(r.sites)), name)
	case place == nil:
		*complete = false
	}
	return place
}

// environment fills r.env.
func (r *resolver) environment(place *site) {
	own := r.own
	e := &Environment{Name: own.file.Name, Groups: own.file.Groups, Site: own.file.Site, File: own.doc.file, Positions: maps.Clone(own.doc.at)}
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
	r.checkTopology()
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

// winner is the highest layer that states a path, and where.
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
