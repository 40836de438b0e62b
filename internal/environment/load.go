package environment

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
)

// Options says how a model is loaded. The zero value loads every environment and knows no built-in component.
type Options struct {
	Known       map[string]bool // names of the built-in components
	ToolVersion string          // this tool's version, checked against the fleet's gen.version; "" checks nothing (a build from source)
	Folder      string          // put before the names of files in messages: the model's folder as a person names it; "" puts nothing
	Select      []string        // names of environments, with * and ? as in path.Match; none selects all
}

// Load reads the model whose folder is the root of fsys and returns the selected environments, sorted by name. Every file is
// checked, whatever is selected. All mistakes are returned at once, as Mistakes.
func Load(fsys fs.FS, options Options) ([]*Environment, error) {
	m := model{fsys: fsys, options: options, groups: map[string]*layer{}, sites: map[string]*site{}, values: map[string]*document{}}
	m.read()
	if m.outdated() || len(m.c.found) > 0 && m.fleet == nil {
		return nil, m.c.err()
	}
	m.checkNames()
	m.checkWays()
	m.checkImageFields()
	var all []*Environment
	for _, e := range m.environments {
		if resolved := m.resolve(e); resolved != nil {
			all = append(all, resolved)
		}
	}
	m.checkFleet(all)
	if err := m.c.err(); err != nil {
		return nil, err
	}
	return choose(all, options.Select)
}

// model is what the files of one folder hold.
type model struct {
	fsys         fs.FS
	options      Options
	c            collector
	fleet        *layer
	git          Git
	gen          toolFile
	imageFields  []ImageFields
	groups       map[string]*layer // nil for a file that could not be read
	sites        map[string]*site  // nil for a file that could not be read
	environments []*environmentLayer
	sourced      map[string]bool      // components to which some layer gives a source
	values       map[string]*document // values files by path, each read once
}

// layer is what fleet, groups and environments have in common.
type layer struct {
	doc        *document
	name       string
	versions   Versions
	argocd     ArgoCD
	rollout    string
	rebuilt    string
	components map[string]componentFile
	positions  map[string]map[string]Origin // per component, where its values stand
}

// site is a place and its facts.
type site struct {
	doc   *document
	facts Facts
}

// environmentLayer is an environment's own file.
type environmentLayer struct {
	layer
	file environmentFile
}

// read parses and decodes every file.
func (m *model) read() {
	m.readFleet()
	for _, name := range m.list(".") {
		if name != "fleet.yaml" {
			m.readEnvironment(name)
		}
	}
	for _, name := range m.list("groups") {
		m.readGroup(path.Join("groups", name))
	}
	for _, name := range m.list("sites") {
		m.readSite(path.Join("sites", name))
	}
}

// list gives the names of the model's files in a folder. A file that looks like one and would be passed over is a mistake.
func (m *model) list(folder string) []string {
	entries, err := fs.ReadDir(m.fsys, folder)
	if errors.Is(err, fs.ErrNotExist) && folder != "." {
		return nil
	}
	if err != nil {
		m.c.add(Origin{File: m.shown(folder), Line: 1, Column: 1}, "", "cannot be listed: %v; check the folder and its permissions", reason(err))
		return nil
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case strings.HasPrefix(name, ".") || entry.IsDir() && !strings.HasSuffix(name, ".yaml"):
		case strings.HasSuffix(name, ".yml"):
			m.c.add(Origin{File: m.shown(path.Join(folder, name)), Line: 1, Column: 1}, "", "would not be read: files of the model end in .yaml; rename it to %s.yaml", strings.TrimSuffix(name, ".yml"))
		case strings.HasSuffix(name, ".yaml"):
			names = append(names, name)
		}
	}
	return names
}

// reason is an error of the file system without the path, which the place already tells.
func reason(err error) error {
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		return inPath.Err
	}
	return err
}

// open reads and parses one file; nil where that cannot be done.
func (m *model) open(file, layer string) *document {
	data, err := fs.ReadFile(m.fsys, file)
	if errors.Is(err, fs.ErrNotExist) && file == "fleet.yaml" {
		m.c.add(Origin{layer, m.shown(file), 1, 1}, "", "is not there: it says what every cluster is made of; run gen init in an empty folder, or name the folder of the model")
		return nil
	}
	if err != nil {
		m.c.add(Origin{layer, m.shown(file), 1, 1}, "", "cannot be read: %v; check the file and its permissions", reason(err))
		return nil
	}
	return parse(m.shown(file), layer, data, &m.c)
}

// shown is how messages name a file of the model.
func (m *model) shown(file string) string { return path.Join(m.options.Folder, file) }

// decodeFile reads a file into out, whose kind it must be. It returns nil where nothing of it can be looked at.
func (m *model) decodeFile(file, layer, kind string, out any) *document {
	doc := m.open(file, layer)
	if doc == nil {
		return nil
	}
	if treeMap(doc.tree) == nil {
		m.c.add(doc.top(), "", "is no map: a file of the model begins with apiVersion: gen/v1 and kind: %s", kind)
		return nil
	}
	if m.foreign(doc, kind) {
		return nil
	}
	if stated, ok := treeMap(doc.tree)["kind"].(string); ok && stated != kind && slices.Contains(kinds, stated) {
		m.c.add(doc.find("kind"), "kind", "%s stands in a file of kind %s; write %s, or move the file to %s", stated, kind, kind, placeOf(stated))
		return nil
	}
	decoder{doc, &m.c}.decode(input{doc.root, doc.tree, ""}, reflect.ValueOf(out).Elem())
	return doc
}

// foreign reports a file that says nothing of what files of the model say: values, say, that lie where each file is an environment.
// Every mistake that a model's file could have would be told of it, and none would help.
func (m *model) foreign(doc *document, kind string) bool {
	if kind == "Fleet" {
		return false
	}
	for _, key := range []string{"apiVersion", "kind", "name", "versions", "facts", "components"} {
		if _, ok := treeMap(doc.tree)[key]; ok {
			return false
		}
	}
	m.c.add(doc.top(), "", "is no file of the model: it has neither apiVersion nor kind, and every YAML file in %s is of kind %s; move it into a folder of its own, such as values/, or write apiVersion: gen/v1 and kind: %s", placeOf(kind), kind, kind)
	return true
}

// kinds are the kinds of files, in the order of their layers.
var kinds = []string{"Fleet", "Group", "Site", "Environment"}

// placeOf says where files of a kind stand.
func placeOf(kind string) string {
	return map[string]string{
		"Fleet": "fleet.yaml", "Group": "groups/", "Site": "sites/", "Environment": "the model's folder",
	}[kind]
}

// readFleet reads fleet.yaml.
func (m *model) readFleet() {
	var file fleetFile
	doc := m.decodeFile("fleet.yaml", "fleet", "Fleet", &file)
	if doc == nil {
		return
	}
	m.git, m.gen, m.imageFields = file.Git, file.Gen, file.ImageFields
	m.fleet = newLayer(doc, "fleet", file.Components)
	m.fleet.argocd, m.fleet.rollout = file.ArgoCD, file.Rollout
}

// readGroup reads a file of groups/.
func (m *model) readGroup(file string) {
	var group groupFile
	name := stem(file)
	doc := m.decodeFile(file, "group "+name, "Group", &group)
	m.groups[name] = nil
	if doc == nil {
		return
	}
	m.checkFileName(doc, group.Name)
	l := newLayer(doc, "group "+name, group.Components)
	l.versions, l.argocd, l.rollout, l.rebuilt = group.Versions, group.ArgoCD, group.Rollout, group.Rebuilt
	m.groups[name] = l
}

// readSite reads a file of sites/.
func (m *model) readSite(file string) {
	var place siteFile
	name := stem(file)
	doc := m.decodeFile(file, "site "+name, "Site", &place)
	m.sites[name] = nil
	if doc == nil {
		return
	}
	m.checkFileName(doc, place.Name)
	m.checkPlain(doc)
	m.sites[name] = &site{doc, place.Facts}
}

// readEnvironment reads a file at the root.
func (m *model) readEnvironment(file string) {
	var env environmentFile
	name := stem(file)
	doc := m.decodeFile(file, "environment "+name, "Environment", &env)
	if doc == nil {
		return
	}
	m.checkFileName(doc, env.Name)
	m.checkPlain(doc)
	m.c.checkDays(doc, env.Given)
	l := newLayer(doc, "environment "+name, env.Components)
	l.versions, l.argocd, l.rollout, l.rebuilt = env.Versions, env.ArgoCD, env.Rollout, env.Rebuilt
	env.Name = name
	m.environments = append(m.environments, &environmentLayer{*l, env})
}

// newLayer makes a layer of a document.
func newLayer(doc *document, name string, components map[string]componentFile) *layer {
	l := &layer{doc: doc, name: name, components: components, positions: map[string]map[string]Origin{}}
	for component := range components {
		l.positions[component] = doc.below(PathString("components", component, "values"))
	}
	return l
}

// stem is a file's name without folder and ending.
func stem(file string) string {
	return strings.TrimSuffix(path.Base(file), ".yaml")
}

// choose returns the environments that a pattern selects. A pattern that selects none is an error: a run that does nothing
// would look like success.
func choose(all []*Environment, patterns []string) ([]*Environment, error) {
	if len(patterns) == 0 {
		return all, nil
	}
	var chosen []*Environment
	used := make([]bool, len(patterns))
	var names []string
	for _, env := range all {
		names = append(names, env.Name)
		selected := false
		for i, pattern := range patterns {
			matched, err := path.Match(pattern, env.Name)
			if err != nil {
				return nil, fmt.Errorf("selecting environments by %q: %w; write a name with * and ?", pattern, err)
			}
			used[i] = used[i] || matched
			selected = selected || matched
		}
		if selected {
			chosen = append(chosen, env)
		}
	}
	for i, pattern := range patterns {
		if !used[i] {
			return nil, fmt.Errorf("selecting environments by %q: none has such a name%s; there are %s", pattern, didYouMean(pattern, names), strings.Join(names, ", "))
		}
	}
	return chosen, nil
}
