package environment

import (
	"cmp"
	"maps"
)

// components joins what the layers say of each component and keeps the enabled ones, sorted by name.
func (r *resolver) components() {
	names := map[string]bool{}
	for _, l := range r.layers {
		for name := range l.components {
			names[name] = true
		}
	}
	for _, name := range keys(names) {
		if c, enabled := r.component(name); enabled {
			r.checkComponent(c)
			r.env.Components = append(r.env.Components, c)
		}
	}
}

// component joins the layers of one component and reports whether it is enabled.
func (r *resolver) component(name string) (Component, bool) {
	c := Component{Name: name}
	var stating []*layer
	enabled := true
	for _, l := range r.layers {
		spec, ok := l.components[name]
		if !ok {
			continue
		}
		if c.Origin.File == "" {
			c.Origin = l.doc.find(PathString("components", name))
		}
		if spec.Enabled != nil {
			enabled = *spec.Enabled
		}
		stating = append(stating, l)
	}
	if !enabled {
		return c, false
	}
	for _, l := range stating {
		r.addLayer(&c, l, l.components[name])
	}
	return c, true
}

// addLayer puts one layer on top of a component.
func (r *resolver) addLayer(c *Component, l *layer, spec componentFile) {
	c.Chart = overlayChart(c.Chart, spec.Chart)
	c.Kustomization = cmp.Or(spec.Kustomization, c.Kustomization)
	c.Manifests = cmp.Or(spec.Manifests, c.Manifests)
	if spec.Namespace != "" {
		path := PathString("components", c.Name, "namespace")
		filled, _ := r.refs.text(spec.Namespace, path, l.doc.find).(string)
		c.Namespace = filled
	}
	c.Release = cmp.Or(spec.Release, c.Release)
	c.Hooks = cmp.Or(spec.Hooks, c.Hooks)
	c.Removal = cmp.Or(spec.Removal, c.Removal)
	c.Split = cmp.Or(spec.Split, c.Split)
	if spec.Needs != nil {
		c.Needs = spec.Needs
	}
	if spec.APIVersions != nil {
		c.APIVersions = spec.APIVersions
	}
	if spec.AllowEmpty != nil {
		c.AllowEmpty = *spec.AllowEmpty
	}
	if spec.Wave != nil {
		c.Wave = spec.Wave
	}
	if len(spec.Scopes) > 0 {
		c.Scopes = maps.Clone(c.Scopes)
		if c.Scopes == nil {
			c.Scopes = map[string]string{}
		}
		maps.Copy(c.Scopes, spec.Scopes)
	}
	r.addValues(c, l, spec)
	r.addWaysOut(c, l, spec)
}

// overlayChart sets what a higher layer says of a chart. A layer that names another kind of source takes the lower one's away.
func overlayChart(low, high *Chart) *Chart {
	if high == nil {
		return low
	}
	merged := Chart{}
	if low != nil {
		merged = *low
	}
	if other := sourceKind(*high); other != "" && other != sourceKind(merged) {
		merged = Chart{Name: merged.Name}
	}
	overlay(&merged, *high)
	return &merged
}

// sourceKind says which of its ways a chart uses; "" where it names none, as a layer does that only changes the version.
func sourceKind(c Chart) string {
	switch {
	case c.Repo != "":
		return "repo"
	case c.Path != "":
		return "path"
	case c.Git != nil:
		return "git"
	}
	return ""
}

// addValues appends a layer's values: first its files, in their order, then what it says itself.
func (r *resolver) addValues(c *Component, l *layer, spec componentFile) {
	base := PathString("components", c.Name, "valuesFiles")
	for i, file := range spec.ValuesFiles {
		path := itemPath(base, i)
		filled, _ := r.refs.text(file, path, l.doc.find).(string)
		if doc := r.valuesFile(filled, path, l); doc != nil {
			tree := r.refs.fill(doc.tree, "", doc.find)
			origin := doc.top()
			origin.Layer = l.name
			c.Values = append(c.Values, Values{origin, treeMap(tree), inLayer(doc.at, l.name)})
		}
	}
	if spec.Values != nil {
		path := PathString("components", c.Name, "values")
		tree := r.refs.fill(spec.Values, path, l.doc.find)
		c.Values = append(c.Values, Values{l.doc.find(path), treeMap(tree), l.positions[c.Name]})
	}
}

// inLayer gives the places of a values file the name of the layer that names the file.
func inLayer(places map[string]Origin, layer string) map[string]Origin {
	named := make(map[string]Origin, len(places))
	for path, origin := range places {
		origin.Layer = layer
		named[path] = origin
	}
	return named
}

// addWaysOut appends a layer's patches, objects, removals and allowances, and merges its Application.
func (r *resolver) addWaysOut(c *Component, l *layer, spec componentFile) {
	base := PathString("components", c.Name)
	find := l.doc.find
	for i, p := range spec.Patches {
		at := itemPath(keyPath(base, "patches"), i)
		merge := treeMap(r.refs.fill(p.Merge, keyPath(at, "merge"), find))
		operations, _ := r.refs.fill(p.JSON, keyPath(at, "json"), find).([]any)
		c.Patches = append(c.Patches, Patch{r.selector(p.Target, keyPath(at, "target"), l), merge, operations, find(at)})
	}
	for i, object := range spec.Objects {
		at := itemPath(keyPath(base, "objects"), i)
		c.Objects = append(c.Objects, Added{treeMap(r.refs.fill(object, at, find)), find(at)})
	}
	for i, s := range spec.Remove {
		c.Remove = append(c.Remove, r.selector(s, itemPath(keyPath(base, "remove"), i), l))
	}
	for i, d := range spec.IgnoreDifferences {
		c.IgnoreDiffs = append(c.IgnoreDiffs, IgnoreDifference{
			Group: d.Group, Kind: d.Kind, Name: d.Name, Namespace: d.Namespace,
			JSONPointers: d.JSONPointers, JQPathExpressions: d.JQPathExpressions, ManagedFieldsManagers: d.ManagedFieldsManagers,
			Origin: find(itemPath(keyPath(base, "ignoreDifferences"), i)),
		})
	}
	for i, s := range spec.AllowSecrets {
		c.AllowSecrets = append(c.AllowSecrets, AllowedSecret{s.Namespace, s.Name, s.Reason, find(itemPath(keyPath(base, "allowSecrets"), i))})
	}
	if len(spec.Application) > 0 {
		filled := r.refs.fill(spec.Application, keyPath(base, "application"), find)
		c.Application = merge(c.Application, treeMap(filled))
	}
}

// selector gives a selector with its place; its texts may hold references.
func (r *resolver) selector(s selectorFile, path string, l *layer) Selector {
	text := func(field, value string) string {
		filled, _ := r.refs.text(value, keyPath(path, field), l.doc.find).(string)
		return filled
	}
	return Selector{
		Group: s.Group, Version: s.Version, Kind: s.Kind,
		Name: text("name", s.Name), Namespace: text("namespace", s.Namespace),
		Origin: l.doc.find(path),
	}
}

// merge lays high over low as Helm merges values: maps merge, anything else replaces. Neither is changed; the result shares
// parts with them.
func merge(low, high map[string]any) map[string]any {
	merged := maps.Clone(low)
	if merged == nil {
		merged = make(map[string]any, len(high))
	}
	for name, value := range high {
		upper, isMap := value.(map[string]any)
		lower, wasMap := merged[name].(map[string]any)
		if isMap && wasMap {
			value = merge(lower, upper)
		}
		merged[name] = value
	}
	return merged
}
