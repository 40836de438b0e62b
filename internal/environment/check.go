package environment

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// label is a DNS label, which names of environments and components become parts of (RFC 1123).
var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

const labelForm = "lower-case letters, digits and dashes, at most 63, not beginning or ending with a dash"

// checkFileName holds that a file is named after what it holds.
func (m *model) checkFileName(doc *document, name string) {
	want := stem(doc.file)
	if name != "" && name != want {
		m.c.add(doc.find("name"), "name", "%q stands in %s: a file is named after what it holds, so that one can be found; write %s, or rename the file", name, path.Base(doc.file), want)
	}
	if !label.MatchString(want) {
		m.c.add(doc.top(), "", "the file's name %q cannot be a name: it becomes part of DNS names and folders; rename the file (%s)", want, labelForm)
	}
}

// checkPlain holds that facts hold no references: a fact made from another one is none.
func (m *model) checkPlain(doc *document) {
	var visit func(tree any, path string)
	visit = func(tree any, path string) {
		switch t := tree.(type) {
		case string:
			if strings.Contains(t, "${facts") || strings.Contains(t, "${environment") {
				doc.broken[path] = true
				m.c.add(doc.find(path), path, "%q holds a reference: facts are stated, and not made from others; write the fact out", t)
			}
		case []any:
			for i, item := range t {
				visit(item, itemPath(path, i))
			}
		case map[string]any:
			for name, value := range t {
				visit(value, keyPath(path, name))
			}
		}
	}
	visit(treeMap(doc.tree)["facts"], "facts")
}

// checkNames checks the names of components in every layer, used or not.
func (m *model) checkNames() {
	m.sourced = map[string]bool{}
	layers := m.allLayers()
	for _, l := range layers {
		for name, spec := range l.components {
			if spec.Chart != nil || spec.Kustomization != "" || spec.Manifests != "" || len(spec.Objects) > 0 {
				m.sourced[name] = true
			}
		}
	}
	known := m.knownNames()
	for _, l := range layers {
		for _, name := range keys(l.components) {
			at := PathString("components", name)
			switch {
			case !label.MatchString(name):
				m.c.add(l.doc.find(at), at, "%q cannot be a component's name: it becomes part of names and folders; rename it (%s)", name, labelForm)
			case !slices.Contains(known, name):
				m.c.add(l.doc.find(at), at, "unknown component: it is not built in, and no layer gives it a chart, a kustomization, manifests or objects%s; rename it, or say where it comes from", didYouMean(name, known))
			}
			m.checkNeeds(l, name, known)
		}
	}
}

// checkNeeds checks that what a component needs exists in the fleet.
func (m *model) checkNeeds(l *layer, name string, known []string) {
	for i, need := range l.components[name].Needs {
		at := itemPath(PathString("components", name, "needs"), i)
		switch {
		case need == "":
		case need == name:
			m.c.add(l.doc.find(at), at, "%s needs itself: it would wait for ever; take it out", name)
		case !slices.Contains(known, strings.TrimSuffix(need, "-config")) && !slices.Contains(known, need):
			m.c.add(l.doc.find(at), at, "there is no component %q%s; name one of the fleet", need, didYouMean(need, known))
		}
	}
}

// allLayers lists fleet, groups and environments that could be read.
func (m *model) allLayers() []*layer {
	var layers []*layer
	if m.fleet != nil {
		layers = append(layers, m.fleet)
	}
	for _, name := range keys(m.groups) {
		if m.groups[name] != nil {
			layers = append(layers, m.groups[name])
		}
	}
	for _, e := range m.environments {
		layers = append(layers, &e.layer)
	}
	return layers
}

// knownNames lists the components that are built in or have a source, sorted.
func (m *model) knownNames() []string {
	known := keys(m.options.Known)
	for _, name := range keys(m.sourced) {
		if !m.options.Known[name] {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	return known
}

// checkComponent checks what the layers of a component make together.
func (r *resolver) checkComponent(c Component) {
	r.checkSource(c)
	if c.Chart != nil {
		r.checkChart(c)
	}
	if at, ok := r.winner(PathString("components", c.Name, "namespace")); ok && c.Namespace != "" && !label.MatchString(c.Namespace) {
		r.c.add(at, PathString("components", c.Name, "namespace"), "%q cannot be a namespace; write %s", c.Namespace, labelForm)
	}
	if at, ok := r.winner(PathString("components", c.Name, "release")); ok && c.Release != "" && (!label.MatchString(c.Release) || len(c.Release) > 53) {
		r.c.add(at, PathString("components", c.Name, "release"), "%q cannot be a release's name: Helm allows 53 characters; write %s", c.Release, labelForm)
	}
}

// checkSource holds that a component comes from one source, which is there.
func (r *resolver) checkSource(c Component) {
	sources := []string{}
	for _, s := range []struct {
		name   string
		stated bool
	}{{"chart", c.Chart != nil}, {"kustomization", c.Kustomization != ""}, {"manifests", c.Manifests != ""}} {
		if s.stated {
			sources = append(sources, s.name)
		}
	}
	if len(sources) > 1 {
		at, _ := r.winner(PathString("components", c.Name, sources[len(sources)-1]))
		r.c.add(at, PathString("components", c.Name), "has a source already: %s are stated, and objects come from one; keep one", strings.Join(sources, " and "))
	}
	if c.Kustomization != "" {
		r.checkKustomization(c)
	}
	if c.Manifests != "" {
		field := PathString("components", c.Name, "manifests")
		at, _ := r.winner(field)
		r.checkPath(at, field, c.Manifests)
	}
}

// checkKustomization holds that a folder is a kustomization.
func (r *resolver) checkKustomization(c Component) {
	field := PathString("components", c.Name, "kustomization")
	at, _ := r.winner(field)
	if !r.checkPath(at, field, c.Kustomization) {
		return
	}
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if _, err := fs.Stat(r.fsys, path.Join(c.Kustomization, name)); err == nil {
			return
		}
	}
	r.c.add(at, field, "%q holds no kustomization.yaml; name the folder that holds it, or use manifests", c.Kustomization)
}

// checkPath holds that a file or folder stands in the model's folder, and reports whether it does.
func (m *model) checkPath(at Origin, field, name string) bool {
	if !fs.ValidPath(name) {
		m.c.add(at, field, "%q is no path inside of the model's folder: what is outside of it would not be the same elsewhere; write it relative to the folder, without ./ and ..", name)
		return false
	}
	if _, err := fs.Stat(m.fsys, name); err != nil {
		m.c.add(at, field, "%q cannot be read: %v; paths are relative to the model's folder", name, reason(err))
		return false
	}
	return true
}

// checkChart holds that a chart is named in one way, exactly.
func (r *resolver) checkChart(c Component) {
	path := PathString("components", c.Name, "chart")
	at, _ := r.winner(path)
	ways := 0
	for _, stated := range []bool{c.Chart.Repo != "", c.Chart.Path != "", c.Chart.Git != nil} {
		if stated {
			ways++
		}
	}
	switch {
	case ways == 0 && r.partial:
	case ways == 0:
		r.c.add(at, path, "names no source: where the chart comes from decides what is installed; state repo, path or git")
	case ways > 1:
		r.c.add(at, path, "names more than one of repo, path and git: a chart has one source; keep one")
	case c.Chart.Path != "":
		at, _ = r.winner(keyPath(path, "path"))
		r.checkPath(at, keyPath(path, "path"), c.Chart.Path)
	case c.Chart.Repo != "":
		r.checkRepo(*c.Chart, path)
	}
}

// exactVersion is a complete version, which nothing has to be chosen for.
func exactVersion(version string) bool {
	_, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v"))
	return err == nil
}

// checkRepo checks a chart of a repository.
func (r *resolver) checkRepo(c Chart, path string) {
	if scheme, _, _ := strings.Cut(c.Repo, "://"); !slices.Contains([]string{"https", "http", "oci"}, scheme) || !strings.Contains(c.Repo, "://") {
		at, _ := r.winner(keyPath(path, "repo"))
		r.c.add(at, keyPath(path, "repo"), "%q is no chart repository; write https://… or oci://…, or use path or git", c.Repo)
	}
	at, _ := r.winner(keyPath(path, "version"))
	switch {
	case !r.stated(keyPath(path, "version")):
		at, _ = r.winner(path)
		r.c.add(at, keyPath(path, "version"), "missing: without an exact version, another chart is installed tomorrow; state it")
	case c.Version != "" && !exactVersion(c.Version):
		r.c.add(at, keyPath(path, "version"), "%q is not exact: another chart would be installed tomorrow; write a complete version such as 1.19.4", c.Version)
	}
}

// valuesFile reads a file of values once for the whole model.
func (r *resolver) valuesFile(name, field string, l *layer) *document {
	if name == "" {
		return nil
	}
	if doc, read := r.values[name]; read {
		return doc
	}
	r.values[name] = nil
	if !r.checkPath(l.doc.find(field), field, name) {
		delete(r.values, name) // each place that names it is a mistake
		return nil
	}
	doc := r.open(name, l.name)
	if doc != nil && treeMap(doc.tree) == nil {
		r.c.add(doc.top(), "", "is no map: values are a map; write key: value")
		doc = nil
	}
	r.values[name] = doc
	return doc
}
