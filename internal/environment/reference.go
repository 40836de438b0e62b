package environment

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strings"
)

// references fills ${facts.…} and ${environment.name} into text. What has the shape ${a.b} is a reference and must be known;
// other ${…}, such as a shell's ${HOME}, stays; $${ stands for ${.
type references struct {
	tree   map[string]any
	stated func(path string) bool // a fact that is stated wrongly is a mistake already
	file   string                 // the environment's own
	c      *collector
}

// dotted is the shape of a reference.
var dotted = regexp.MustCompile(`^[A-Za-z][\w-]*(\.[\w-]+|\[\d+\]|\["[^"]*"\])+$`)

// fill returns tree with its references filled in; it copies only what changes. Paths are those of tree in its file, where
// find knows the places.
func (r references) fill(tree any, path string, find func(string) Origin) any {
	switch t := tree.(type) {
	case string:
		return r.text(t, path, find)
	case []any:
		return r.fillList(t, path, find)
	case map[string]any:
		return r.fillMap(t, path, find)
	}
	return tree
}

// fillList fills the items of a list.
func (r references) fillList(list []any, path string, find func(string) Origin) any {
	filled := list
	for i, item := range list {
		value := r.fill(item, itemPath(path, i), find)
		if !holdsReference(item) {
			continue
		}
		if &filled[0] == &list[0] {
			filled = append([]any(nil), list...)
		}
		filled[i] = value
	}
	return filled
}

// fillMap fills the values of a map. Keys stay as they are: a key that held a reference could meet another one.
func (r references) fillMap(entries map[string]any, path string, find func(string) Origin) any {
	filled, copied := entries, false
	for _, name := range keys(entries) {
		below := keyPath(path, name)
		if strings.Contains(name, "${facts") || strings.Contains(name, "${environment") {
			r.c.add(find(below), below, "the key holds a reference: references are filled into values only; write the key out")
		}
		if !holdsReference(entries[name]) {
			continue
		}
		value := r.fill(entries[name], below, find)
		if !copied {
			filled, copied = maps.Clone(entries), true
		}
		filled[name] = value
	}
	return filled
}

// holdsReference reports whether a tree holds text that filling may change.
func holdsReference(tree any) bool {
	switch t := tree.(type) {
	case string:
		return strings.Contains(t, "${")
	case []any:
		for _, item := range t {
			if holdsReference(item) {
				return true
			}
		}
	case map[string]any:
		for name, value := range t {
			if strings.Contains(name, "${") || holdsReference(value) {
				return true
			}
		}
	}
	return false
}

// text fills the references of one text. A text that is one reference and nothing else becomes what it names, be it a number
// or a list.
func (r references) text(text, path string, find func(string) Origin) any {
	var out strings.Builder
	for rest := text; ; {
		start := strings.Index(rest, "${")
		if start < 0 {
			out.WriteString(rest)
			return out.String()
		}
		if start > 0 && rest[start-1] == '$' {
			out.WriteString(rest[:start-1] + "${")
			rest = rest[start+2:]
			continue
		}
		out.WriteString(rest[:start])
		name, after, closed := strings.Cut(rest[start+2:], "}")
		if !isReference(name) {
			out.WriteString("${")
			rest = rest[start+2:]
			continue
		}
		value, err := r.lookup(name, closed)
		if err == nil && len(name)+len("${}") == len(text) {
			return value
		}
		if err == nil && !isScalar(value) {
			err = fmt.Errorf("is a list or a map, which cannot stand inside of text; let the value be the reference alone, or name an item of it")
		}
		if err != nil {
			r.c.add(find(path), path, "${%s}: %v", name, err)
		}
		fmt.Fprint(&out, value)
		rest = after
	}
}

// ours is the beginning of a reference, well formed or not.
var ours = regexp.MustCompile(`^(facts|environment)($|[.\[ ])`)

// isReference reports whether what stands between ${ and } is meant as a reference: it has its shape, or begins as one of ours.
func isReference(name string) bool {
	return dotted.MatchString(name) || ours.MatchString(name)
}

// lookup finds what a reference names.
func (r references) lookup(name string, closed bool) (any, error) {
	root, _, _ := strings.Cut(name, ".")
	switch {
	case !closed:
		return nil, fmt.Errorf("the reference has no closing brace; write it, or $${ where the text itself is meant")
	case root != "facts" && root != "environment" && dotted.MatchString(name):
		return nil, fmt.Errorf("there is no such reference%s; references are ${facts.…} and ${environment.name}; write $${%s} where the text itself is meant",
			didYouMean(root, []string{"facts", "environment"}), name)
	case name == "facts.name" || name == "facts.environment":
		return nil, fmt.Errorf("the name is no fact; write ${environment.name}")
	case !dotted.MatchString(name):
		return nil, fmt.Errorf("is no reference: it names no value; write ${facts.domain}, or $${ where the text itself is meant")
	}
	elements, err := ParsePath(name)
	if err != nil {
		return nil, err
	}
	if value, ok := at(r.tree, elements); ok {
		return value, nil
	}
	if root == "environment" {
		return nil, fmt.Errorf("an environment gives its name only; write ${environment.name}, or a fact")
	}
	if err := r.unknown(elements); err != nil || r.stated(PathString(elements...)) {
		return "", err // what is stated and still not there is noted where it is stated
	}
	return "", fmt.Errorf("nobody stated this fact, and it decides the value here; state it in %s, or in a site that this file names", r.file)
}

// unknown is the error for a path that no facts can have; nil where only nobody stated it.
func (r references) unknown(elements []any) error {
	t := reflect.TypeFor[Facts]()
	for i, element := range elements[1:] {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Slice {
			if _, isItem := element.(int); isItem {
				t = t.Elem()
				continue
			}
		}
		if t.Kind() != reflect.Struct || freeform[t] {
			break
		}
		var names []string
		for _, f := range fieldsOf(t) {
			names = append(names, f.name)
		}
		f, ok := named(fieldsOf(t), fmt.Sprint(element))
		if !ok {
			return fmt.Errorf("there is no fact %s%s; %s has %s", PathString(elements[:i+2]...), didYouMean(fmt.Sprint(element), names), PathString(elements[:i+1]...), strings.Join(names, ", "))
		}
		t = f.typ
	}
	return nil
}

// isScalar reports whether a value can stand inside of text.
func isScalar(value any) bool {
	switch value.(type) {
	case string, bool, int64, float64:
		return true
	}
	return false
}
