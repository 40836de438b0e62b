package environment

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// decoder fills Go values from a document, strictly: it notes every unknown key, missing field and wrong type with its place.
type decoder struct {
	doc *document
	c   *collector
}

// input is a value of the document in both readings, and its path.
type input struct {
	node *yamlv3.Node
	tree any
	path string
}

// scalarForm is a struct that may also be written as a bare scalar, which then is the field of that name.
type scalarForm interface{ scalarField() string }

// freeform are the types whose content is not ours to judge: they are taken from the tree as Helm reads it.
var freeform = map[reflect.Type]bool{
	reflect.TypeFor[map[string]any](): true,
	reflect.TypeFor[[]any]():          true,
}

// decode fills out from in and reports whether it could.
func (d decoder) decode(in input, out reflect.Value) bool {
	d.doc.stated[in.path] = true
	if in.node.Kind == yamlv3.AliasNode {
		in.node = in.node.Alias
	}
	if text, ok := out.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return d.text(in, text)
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		return d.decode(in, out.Elem())
	case reflect.Struct:
		return d.structure(in, out)
	case reflect.Map:
		return d.mapping(in, out)
	case reflect.Slice:
		return d.list(in, out)
	}
	return d.scalar(in, out)
}

// wrong notes a value of another type than wanted.
func (d decoder) wrong(in input, wanted string) bool {
	origin := d.doc.origin(in.node)
	d.doc.broken[in.path] = true
	switch {
	case in.node.Kind == yamlv3.MappingNode:
		d.c.add(origin, in.path, "is a map, not %s; write %s", wanted, wanted)
	case in.node.Kind == yamlv3.SequenceNode:
		d.c.add(origin, in.path, "is a list, not %s; write %s", wanted, wanted)
	case isNull(in.node):
		d.c.add(origin, in.path, "is empty: it wants %s; state it or remove the key", wanted)
	case wanted == wantText:
		d.c.add(origin, in.path, "%s is read as %s, not as text; quote it: %q", in.node.Value, kindOf(in.tree), in.node.Value)
	default:
		d.c.add(origin, in.path, "%q is %s, not %s; write %s", in.node.Value, kindOf(in.tree), wanted, wanted)
	}
	return false
}

// wantText is how messages call a string.
const wantText = "text"

// kindOf names the type of a scalar for people.
func kindOf(tree any) string {
	switch tree.(type) {
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case string:
		return wantText
	}
	return "another type"
}

// structure decodes a map into the fields of a struct.
func (d decoder) structure(in input, out reflect.Value) bool {
	fields := fieldsOf(out.Type())
	if form, ok := out.Addr().Interface().(scalarForm); ok && in.node.Kind == yamlv3.ScalarNode && !isNull(in.node) {
		field, _ := named(fields, form.scalarField())
		d.doc.stated[keyPath(in.path, field.name)] = true
		d.doc.at[keyPath(in.path, field.name)] = d.doc.find(in.path)
		return d.decodeField(in, out.FieldByIndex(field.index), field)
	}
	if in.node.Kind != yamlv3.MappingNode && !isNull(in.node) {
		return d.wrong(in, "a map")
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	ok, tree := true, treeMap(in.tree)
	for _, e := range entriesOf(in.node) {
		field, known := named(fields, e.name)
		if !known {
			d.c.add(d.doc.origin(e.key), keyPath(in.path, e.name), "%s", unknownKey(in.path, e.name, names))
			ok = false
			continue
		}
		child := input{e.value, tree[e.name], keyPath(in.path, e.name)}
		ok = d.decodeField(child, out.FieldByIndex(field.index), field) && ok
	}
	return d.required(in, fields) && ok
}

// unknownKey is the message for a key that a struct has not.
func unknownKey(path, name string, known []string) string {
	if path == "" && name == "facts" {
		return "facts are claims about one cluster's surroundings, and a layer that many share cannot make them; state them in the environment's own file, or in a site that this file names"
	}
	return fmt.Sprintf("unknown key%s; known here: %s", didYouMean(name, known), strings.Join(known, ", "))
}

// decodeField decodes one field and checks it against the values that its tag lists.
func (d decoder) decodeField(in input, out reflect.Value, f field) bool {
	if !d.decode(in, out) {
		return false
	}
	if len(f.enum) == 0 {
		return true
	}
	if texts, isMap := out.Interface().(map[string]string); isMap {
		ok := true
		for _, name := range keys(texts) {
			at := keyPath(in.path, name)
			ok = d.listed(d.doc.find(at), at, texts[name], f.enum) && ok
		}
		return ok
	}
	return d.listed(d.doc.origin(in.node), in.path, out.String(), f.enum)
}

// listed notes a text that is none of those that its field may have.
func (d decoder) listed(at Origin, path, text string, enum []string) bool {
	if text == "" || slices.Contains(enum, text) {
		return true
	}
	d.doc.broken[path] = true
	d.c.add(at, path, "%q is not known%s; write %s", text, didYouMean(text, enum), orList(enum))
	return false
}

// required notes the fields that must be stated where the struct is, and are not.
func (d decoder) required(in input, fields []field) bool {
	ok := true
	for _, f := range fields {
		if path := keyPath(in.path, f.name); f.required && !d.doc.stated[path] {
			at := d.doc.find(in.path)
			d.c.add(at, path, "missing: %s; state it", lowerFirst(strings.TrimSuffix(f.doc, ".")))
			ok = false
		}
	}
	return ok
}

// mapping decodes a map with keys of the model's own choice.
func (d decoder) mapping(in input, out reflect.Value) bool {
	if in.node.Kind != yamlv3.MappingNode && !isNull(in.node) {
		return d.wrong(in, "a map")
	}
	if freeform[out.Type()] {
		if entries := treeMap(in.tree); entries != nil {
			out.Set(reflect.ValueOf(entries))
		}
		return true
	}
	out.Set(reflect.MakeMap(out.Type()))
	ok, tree := true, treeMap(in.tree)
	for _, e := range entriesOf(in.node) {
		value := reflect.New(out.Type().Elem()).Elem()
		ok = d.decode(input{e.value, tree[e.name], keyPath(in.path, e.name)}, value) && ok
		out.SetMapIndex(reflect.ValueOf(e.name), value)
	}
	return ok
}

// list decodes a list.
func (d decoder) list(in input, out reflect.Value) bool {
	if in.node.Kind != yamlv3.SequenceNode {
		return d.wrong(in, "a list")
	}
	tree, _ := in.tree.([]any)
	if freeform[out.Type()] {
		out.Set(reflect.ValueOf(tree))
		return true
	}
	ok := true
	out.Set(reflect.MakeSlice(out.Type(), len(in.node.Content), len(in.node.Content)))
	for i, item := range in.node.Content {
		child := input{node: item, path: itemPath(in.path, i)}
		if i < len(tree) {
			child.tree = tree[i]
		}
		ok = d.decode(child, out.Index(i)) && ok
	}
	return ok
}

// text decodes a string into a type that reads itself.
func (d decoder) text(in input, out encoding.TextUnmarshaler) bool {
	wanted := wantedForm(reflect.TypeOf(out).Elem())
	value, ok := in.tree.(string)
	if !ok {
		return d.wrong(in, wanted)
	}
	if err := out.UnmarshalText([]byte(value)); err != nil || value == "" {
		d.doc.broken[in.path] = true
		d.c.add(d.doc.origin(in.node), in.path, "%q is not %s; write one", value, wanted)
		return false
	}
	return true
}

// scalar decodes text, a number or a truth value.
func (d decoder) scalar(in input, out reflect.Value) bool {
	switch value := in.tree.(type) {
	case string:
		if out.Kind() == reflect.String && value == "" {
			d.doc.broken[in.path] = true
			d.c.add(d.doc.origin(in.node), in.path, "is empty: state it or remove the key")
			return false
		}
		if out.Kind() == reflect.String {
			out.SetString(value)
			return true
		}
	case bool:
		if out.Kind() == reflect.Bool {
			out.SetBool(value)
			return true
		}
	case int64:
		if out.CanInt() && !out.OverflowInt(value) {
			out.SetInt(value)
			return true
		}
	}
	return d.wrong(in, wantedForm(out.Type()))
}

// treeMap is a tree as a map, nil where it is none.
func treeMap(tree any) map[string]any {
	entries, _ := tree.(map[string]any)
	return entries
}

// orList writes "a", "a or b", "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return fmt.Sprintf("%s or %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
}

// lowerFirst begins a sentence's text inside another one, unless it begins with a name in capitals.
func lowerFirst(s string) string {
	if len(s) < 2 || s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// quoteAll quotes each word.
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	return strings.Join(quoted, ", ")
}
