package component

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// splitter joins what the model declares of one component with its definition's parts, and divides the result between NAME
// and NAME-config. Patches, removals and ignored differences of the model whose target is an object of NAME-config follow it there.
type splitter struct {
	env      *environment.Environment
	declared environment.Component
	def      Definition
	parts    Parts
}

// main returns the component itself, without settled needs.
func (s splitter) main() Component {
	c := s.common(s.declared.Name)
	if s.declared.Chart != nil {
		chart := *s.declared.Chart
		chart.Name = cmp.Or(chart.Name, s.def.Chart, s.declared.Name)
		c.Source.Chart = &chart
	}
	c.Release = cmp.Or(s.declared.Release, s.declared.Name)
	c.Source.Kustomization, c.Source.Manifests = s.declared.Kustomization, s.declared.Manifests
	if len(s.parts.Values) > 0 {
		c.Values = append(c.Values, environment.Values{Origin: s.origin(), Tree: s.parts.Values, Positions: s.decisions()})
	}
	c.Values = append(c.Values, s.declared.Values...)
	c.Merged = Merge(c.Values)
	c.Own = slices.Clone(s.parts.Objects)
	for _, added := range s.declared.Objects {
		c.Objects = append(c.Objects, manifest.New(added.Object))
	}
	c.AllowEmpty = s.declared.AllowEmpty
	c.Application = s.declared.Application
	c.Wave = s.declared.Wave
	c.Provides = sortedSet(s.parts.APIVersions)
	c.Patches, c.Remove = s.patches(false), s.removals(false)
	c.IgnoreDiffs = append(slices.Clone(s.parts.IgnoreDiffs), s.ignored(false)...)
	return c
}

// config returns what is split off.
func (s splitter) config() Component {
	c := s.common(s.declared.Name + ConfigSuffix)
	c.Own = slices.Clone(s.parts.Config)
	if s.parts.Together {
		c.With = s.declared.Name
	}
	c.Merged = map[string]any{}
	c.Patches, c.Remove, c.IgnoreDiffs = s.patches(true), s.removals(true), s.ignored(true)
	return c
}

// common returns what both halves share.
func (s splitter) common(name string) Component {
	scopes := maps.Clone(s.parts.Scopes)
	if scopes == nil {
		scopes = map[string]string{}
	}
	maps.Copy(scopes, s.declared.Scopes)
	return Component{
		Environment:  s.env.Name,
		Name:         name,
		Namespace:    cmp.Or(s.declared.Namespace, s.def.Namespace, s.declared.Name),
		Release:      name,
		KeepHooks:    s.declared.Hooks != "drop",
		Removal:      s.declared.Removal,
		Whole:        s.declared.Split == "never",
		AllowSecrets: s.declared.AllowSecrets,
		Scopes:       scopes,
		KubeVersion:  s.env.Versions.Kubernetes,
		APIVersions:  sortedSet(s.declared.APIVersions),
		Origin:       s.declared.Origin,
	}
}

// origin is the layer of the definition's own values.
func (s splitter) origin() environment.Origin {
	return environment.Origin{Layer: "component " + s.declared.Name}
}

// decisions says of each value that a fact decides where that fact is stated. A fact that nobody stated decides too: by being
// absent.
func (s splitter) decisions() map[string]environment.Origin {
	places := make(map[string]environment.Origin, len(s.parts.DecidedBy))
	for value, fact := range s.parts.DecidedBy { // order does not matter: each key is written once
		at := s.env.Positions[fact]
		at.Layer = s.origin().Layer + ", by " + fact
		if at.File == "" {
			at.Layer += " (not stated)"
		}
		places[value] = at
	}
	return places
}

func (s splitter) patches(config bool) []environment.Patch {
	return filter(s.declared.Patches, func(p environment.Patch) bool { return s.meansConfig(p.Target) == config })
}

func (s splitter) removals(config bool) []environment.Selector {
	return filter(s.declared.Remove, func(target environment.Selector) bool { return s.meansConfig(target) == config })
}

func (s splitter) ignored(config bool) []argocd.IgnoreDifference {
	var out []argocd.IgnoreDifference
	for _, d := range s.declared.IgnoreDiffs {
		target := environment.Selector{Group: d.Group, Kind: d.Kind, Name: d.Name, Namespace: d.Namespace}
		if s.meansConfig(target) != config {
			continue
		}
		out = append(out, argocd.IgnoreDifference{
			Group: d.Group, Kind: d.Kind, Name: d.Name, Namespace: d.Namespace,
			JSONPointers: d.JSONPointers, JQPathExpressions: d.JQPathExpressions, ManagedFieldsManagers: d.ManagedFieldsManagers,
		})
	}
	return out
}

// meansConfig reports whether the selector names the kind of an object of NAME-config and matches one. A selector without
// a kind stays with NAME: it was written for the chart's many objects.
func (s splitter) meansConfig(target environment.Selector) bool {
	return target.Kind != "" && slices.ContainsFunc(s.parts.Config, func(o manifest.Object) bool { return matches(target, o.ID()) })
}

// matches reports whether the selector matches the identity; empty fields match all.
func matches(target environment.Selector, id manifest.ID) bool {
	return (target.Group == "" || target.Group == id.Group) &&
		(target.Version == "" || target.Version == id.Version) &&
		(target.Kind == "" || target.Kind == id.Kind) &&
		glob(target.Name, id.Name) && glob(target.Namespace, id.Namespace)
}

// glob reports whether name fits the pattern; a broken pattern fits nothing, and is reported by who loads it.
func glob(pattern, name string) bool {
	fits, err := path.Match(pattern, name)
	return pattern == "" || (err == nil && fits)
}

// filter returns the items that keep says yes to, in their order.
func filter[T any](items []T, keep func(T) bool) []T {
	var out []T
	for _, item := range items {
		if keep(item) {
			out = append(out, item)
		}
	}
	return out
}

// sortedSet returns the items sorted and each once.
func sortedSet(items []string) []string { return slices.Compact(slices.Sorted(slices.Values(items))) }
