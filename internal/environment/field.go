package environment

import (
	"net/netip"
	"reflect"
	"strings"
)

// field is one key of a model type, as its tags describe it. The decoder and the schema read the same fields.
//
//	json       the key; without omitempty or omitzero it is required where the struct stands
//	doc        what it is, for the schema and for the message when it is missing
//	decides    a fact: what it decides; required once site and environment are joined
//	enum       the values that it may have, separated by |
type field struct {
	name     string
	index    []int
	required bool
	doc      string
	decides  string
	enum     []string
	typ      reflect.Type
}

// fieldsOf lists the keys of a struct type in their order; embedded structs give theirs.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		made := field{name: name, index: []int{i}, doc: f.Tag.Get("doc"), decides: f.Tag.Get("decides"), typ: f.Type}
		made.required = options == "" && made.decides == ""
		if enum := f.Tag.Get("enum"); enum != "" {
			made.enum = strings.Split(enum, "|")
		}
		fields = append(fields, made)
	}
	return fields
}

// named finds the field of a key.
func named(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// wantedForm says for people what a type wants.
func wantedForm(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[netip.Prefix]():
		return "an address with its prefix length, like 10.10.0.0/24"
	case reflect.TypeFor[netip.Addr]():
		return "an address, like 10.10.0.1"
	}
	switch t.Kind() {
	case reflect.String:
		return wantText
	case reflect.Bool:
		return "true or false"
	}
	return "a whole number"
}
