package source

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"text/template"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// params is what one element of a generator gives to the template.
type params map[string]any

// set is one ApplicationSet that is being expanded (docs/operator-manual/applicationset).
type set struct {
	loader *loader
	object manifest.Object
	goText bool
	notes  []string

	bounded template.FuncMap // laid over the functions of its templates
	parsed  map[string]*template.Template
	left    int // elements that may still be made

	unlisted bool // clusters were asked for of which the folder knows none
}

// maxElements is how many elements the generators of one ApplicationSet may make, those that are joined into others too.
const maxElements = 20_000

// many notes that there are too many elements, once.
func (s *set) many() bool {
	s.left--
	if s.loader.stopped() {
		return true
	}
	if s.left == 0 {
		s.notes = append(s.notes, "its generators make more than 20000 elements, the limit: what is beyond is not looked at")
	}
	return s.left <= 0
}

// generate enters the Applications that an ApplicationSet makes; by is the Application that applies it, nil where a person does. What
// a generator needs that the folder does not say is a note, and then not all that the set makes is known.
func (l *loader) generate(by *Application, object manifest.Object) {
	id := object.ID()
	s := &set{loader: l, object: object, goText: object.Get("spec", "goTemplate") == true, left: maxElements, parsed: map[string]*template.Template{}}
	if l.tools.Functions != nil {
		s.bounded = l.tools.Functions()
	}
	made := 0
	for _, item := range object.List("spec", "generators") {
		generator := mapOf(item)
		for _, p := range s.expand(generator, params{}) {
			if l.stopped() {
				return
			}
			app, err := s.application(generator, p)
			if err != nil {
				s.notes = append(s.notes, err.Error())
				continue
			}
			made++
			l.replace(&Application{Object: app, Generator: named(object)})
		}
	}
	if made == 0 && s.unlisted {
		s.notes = append(s.notes, unlisted)
	}
	for _, note := range s.notes {
		if by != nil { // else it is why not all of the set is known
			l.said(setNote, note, id.Name)
		}
	}
	if made == 0 && len(s.notes) == 0 {
		l.said(setNote, "generates no Application from this folder", id.Name)
	}
	l.hide(by, object, s.notes)
}

// hide keeps in mind that not all that an ApplicationSet makes is known.
func (l *loader) hide(by *Application, object manifest.Object, why []string) {
	why = slices.Compact(slices.Sorted(slices.Values(why)))
	switch {
	case len(why) == 0:
	case by == nil:
		l.hidden = append(l.hidden, Application{Object: object, Unknown: why})
	default:
		for _, reason := range why {
			by.Unknown = append(by.Unknown, "its ApplicationSet "+object.ID().Name+": "+reason)
		}
	}
}

// expand returns the parameters of every element of a generator; given are those of the generators around it.
func (s *set) expand(generator map[string]any, given params) []params {
	var list []params
	for _, kind := range slices.Sorted(maps.Keys(generator)) {
		spec := mapOf(generator[kind])
		switch kind {
		case "selector", "template":
			continue
		case "list":
			list = append(list, s.list(spec)...)
		case "git":
			list = append(list, s.git(spec)...)
		case "clusters":
			list = append(list, s.clusters(spec)...)
		case "matrix":
			list = append(list, s.matrix(spec, given)...)
		case "merge":
			list = append(list, s.merge(spec, given)...)
		default:
			s.notes = append(s.notes, "its generator "+kind+" asks outside of the folder: what it generates is not looked at")
		}
	}
	return slices.DeleteFunc(list, func(p params) bool { return !s.selected(mapOf(generator["selector"]), p) })
}

// list returns the elements as they stand.
func (s *set) list(spec map[string]any) []params {
	elements, _ := spec["elements"].([]any)
	if yaml := text(spec["elementsYaml"]); yaml != "" {
		objects, _, err := manifest.Decode([]byte("elements:\n  " + indent(yaml)))
		if err == nil && len(objects) == 1 {
			elements = append(elements, objects[0].List("elements")...)
		}
	}
	var out []params
	for _, item := range elements {
		if s.many() {
			return out
		}
		p := params{}
		for key, value := range mapOf(item) {
			p.enter(key, value, s.goText)
		}
		out = append(out, p)
	}
	return out
}

// enter sets one parameter: whole for Go templates, else as strings whose nested keys are joined by dots.
func (p params) enter(key string, value any, whole bool) {
	if whole {
		p[key] = value
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for inner, item := range v {
			p.enter(key+"."+inner, item, false)
		}
	case []any:
		for i, item := range v {
			p.enter(key+"."+strconv.Itoa(i), item, false)
		}
	default:
		p[key] = scalar(v)
	}
}

// scalar writes a value as a template prints it.
func scalar(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// values adds a generator's own values, which may name its other parameters.
func (s *set) values(spec map[string]any, p params) {
	own := map[string]any{}
	for key, value := range mapOf(spec["values"]) {
		filled, err := s.fill(value, p)
		if err != nil {
			s.notes = append(s.notes, err.Error())
			continue
		}
		own[key] = filled
	}
	if len(own) > 0 {
		p.enter("values", own, s.goText)
	}
}

// matrix joins every element of its first generator with every one of its second, which may name parameters of the first.
func (s *set) matrix(spec map[string]any, given params) []params {
	generators, _ := spec["generators"].([]any)
	if len(generators) != 2 {
		return nil
	}
	var out []params
	for _, first := range s.expand(mapOf(generators[0]), given) {
		filled, err := s.fill(generators[1], first)
		if err != nil {
			s.notes = append(s.notes, err.Error())
			continue
		}
		for _, second := range s.expand(mapOf(filled), first) {
			if s.many() {
				return out
			}
			joined := maps.Clone(first)
			maps.Copy(joined, second)
			out = append(out, joined)
		}
	}
	return out
}

// merge lays later generators over the elements of the first that have the same keys.
func (s *set) merge(spec map[string]any, given params) []params {
	generators, _ := spec["generators"].([]any)
	if len(generators) == 0 {
		return nil
	}
	keys, _ := spec["mergeKeys"].([]any)
	out := s.expand(mapOf(generators[0]), given)
	for _, item := range generators[1:] {
		for _, over := range s.expand(mapOf(item), given) {
			for _, p := range out {
				if !slices.ContainsFunc(keys, func(key any) bool { return scalar(p[text(key)]) != scalar(over[text(key)]) }) {
					maps.Copy(p, over)
				}
			}
		}
	}
	return out
}

// selected reports whether a generator's selector takes an element: parameters count as labels.
func (s *set) selected(selector map[string]any, p params) bool {
	flat := params{}
	for key, value := range p {
		flat.enter(key, value, false)
	}
	for key, want := range mapOf(selector["matchLabels"]) {
		if flat[key] != want {
			return false
		}
	}
	expressions, _ := selector["matchExpressions"].([]any)
	for _, item := range expressions {
		e := mapOf(item)
		value, there := flat[text(e["key"])]
		values, _ := e["values"].([]any)
		in := there && slices.Contains(values, value)
		if !map[string]bool{"In": in, "NotIn": !in, "Exists": there, "DoesNotExist": !there}[text(e["operator"])] {
			return false
		}
	}
	return true
}
