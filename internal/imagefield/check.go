package imagefield

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Wrong is what is wrong with one entry of a fleet's own kinds.
type Wrong struct {
	Kind    int    // which entry
	Field   string // of it: "paths[0]", "splits[1].tag"
	Message string // what, why, and what to do
}

// CheckKinds holds entries against the table and the kinds that are never touched.
func CheckKinds(kinds []Kind) []Wrong {
	var out []Wrong
	for i, kind := range kinds {
		if untouched(kind.Group, kind.Kind) {
			out = append(out, Wrong{i, "kind", fmt.Sprintf("objects of the kind %s only speak about images, and are never changed: what they say would mean something else; take the entry out", kind.name())})
			continue
		}
		for _, place := range kind.places() {
			if !place.split && slices.ContainsFunc(table, func(own Kind) bool { return own.covers(kind, place.pattern) }) {
				out = append(out, Wrong{i, place.field, fmt.Sprintf("%s of %s is known already: gen's own table names it; take it out", strings.Join(place.pattern, "."), kind.name())})
			}
		}
	}
	return out
}

// CheckObjects holds entries against the objects of their kind, and against the schemas of CRDs: a path that the schema has not, and a value
// that is no text where a reference should stand, are mistakes. Nothing is said of a kind that does not occur.
func CheckObjects(kinds []Kind, objects []manifest.Object) []Wrong {
	var out []Wrong
	for i, kind := range kinds {
		for _, place := range kind.places() {
			if message := place.wrong(kind, objects); message != "" {
				out = append(out, Wrong{i, place.field, message})
			}
		}
	}
	return out
}

// Occurs reports whether objects hold one of the kind, or its CRD.
func (k Kind) Occurs(objects []manifest.Object) bool {
	return slices.ContainsFunc(objects, func(o manifest.Object) bool { return k.is(o) || k.definedBy(o) })
}

func (k Kind) is(o manifest.Object) bool {
	id := o.ID()
	return id.Group == k.Group && id.Kind == k.Kind
}

func (k Kind) definedBy(o manifest.Object) bool {
	return o.String("kind") == "CustomResourceDefinition" && o.String("spec", "group") == k.Group && o.String("spec", "names", "kind") == k.Kind
}

// name is how people name a kind: Thing.example.com.
func (k Kind) name() string { return strings.TrimSuffix(k.Kind+"."+k.Group, ".") }

// covers reports whether k, an entry of the table, names what a pattern of another names.
func (k Kind) covers(other Kind, pattern []string) bool {
	if k.Group != other.Group || k.Kind != other.Kind {
		return false
	}
	return slices.ContainsFunc(k.places(), func(own place) bool {
		return !own.split && slices.EqualFunc(own.pattern, pattern, func(a, b string) bool { return a == b || a == "*" })
	})
}

// place is one field that an entry names.
type place struct {
	field   string // in the entry
	pattern []string
	split   bool // it is the map that holds the parts, not a text
}

func (k Kind) places() []place {
	var out []place
	for i, p := range k.Paths {
		out = append(out, place{fmt.Sprintf("paths[%d]", i), strings.Split(p, "."), false})
	}
	for i, s := range k.Splits {
		at := strings.Split(s.At, ".")
		out = append(out, place{fmt.Sprintf("splits[%d].at", i), at, true})
		for _, part := range []struct{ name, field string }{{"registry", s.Registry}, {"repository", s.Repository}, {"tag", s.Tag}, {"digest", s.Digest}} {
			if part.field != "" {
				out = append(out, place{fmt.Sprintf("splits[%d].%s", i, part.name), append(at[:len(at):len(at)], part.field), false})
			}
		}
	}
	return out
}

// wrong says what the objects and the CRD say against a place, or nothing.
func (p place) wrong(kind Kind, objects []manifest.Object) string {
	for _, o := range objects {
		var message string
		if kind.definedBy(o) {
			message = p.against(o)
		} else if kind.is(o) {
			message = p.in(o)
		}
		if message != "" {
			return message
		}
	}
	return ""
}

// in says where an object holds something else than what the place should hold.
func (p place) in(o manifest.Object) string {
	message := ""
	follow(nil, o.Fields(), p.pattern, func(at path, value any) {
		_, isText := value.(string)
		_, isMap := value.(map[string]any)
		switch {
		case message != "" || value == nil || p.split && isMap || !p.split && isText:
		case p.split:
			message = fmt.Sprintf("%s of %s is %s, and the parts of a reference stand in a map: name the map that holds them", at, o.ID(), typeOf(value))
		default:
			message = fmt.Sprintf("%s of %s is %s, and a reference is text: name the field that holds the text, or write splits", at, o.ID(), typeOf(value))
		}
	})
	return message
}

func typeOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return "text"
	case bool:
		return "true or false"
	}
	return "a number"
}

// against says what a CRD's schema has instead of the place, or nothing: a version that has it is enough.
func (p place) against(crd manifest.Object) string {
	message := ""
	for _, item := range crd.List("spec", "versions") {
		version, _ := item.(map[string]any)
		holder, _ := version["schema"].(map[string]any)
		schema, ok := holder["openAPIV3Schema"].(map[string]any)
		if !ok {
			return ""
		}
		why := p.schema(schema)
		if why == "" {
			return ""
		}
		message = fmt.Sprintf("%s, says the CRD %s", why, crd.String("metadata", "name"))
	}
	return message
}

// schema follows the place through one schema.
func (p place) schema(schema map[string]any) string {
	for i, segment := range p.pattern {
		next, open := below(schema, segment)
		if open {
			return ""
		}
		if next == nil {
			properties, _ := schema["properties"].(map[string]any)
			above := "at the top"
			if i > 0 {
				above = "under " + strings.Join(p.pattern[:i], ".")
			}
			return fmt.Sprintf("there is no field %q %s, but %s: correct the path", segment, above, listed(slices.Sorted(maps.Keys(properties))))
		}
		schema = next
	}
	switch kind, _ := schema["type"].(string); {
	case kind == "" || p.split && kind == "object" || !p.split && kind == "string":
		return ""
	case p.split:
		return fmt.Sprintf("%s is of type %s, and the parts of a reference stand in a map", strings.Join(p.pattern, "."), kind)
	default:
		return fmt.Sprintf("%s is of type %s, and a reference is text: name the field that holds the text, or write splits", strings.Join(p.pattern, "."), kind)
	}
}

// below is the schema of a key, or of every item; open says that anything may stand there.
func below(schema map[string]any, segment string) (next map[string]any, open bool) {
	if kept, _ := schema["x-kubernetes-preserve-unknown-fields"].(bool); kept || len(schema) == 0 {
		return nil, true
	}
	if embedded, _ := schema["x-kubernetes-embedded-resource"].(bool); embedded {
		return nil, true
	}
	properties, _ := schema["properties"].(map[string]any)
	if known, ok := properties[segment].(map[string]any); ok {
		return known, false
	}
	if items, ok := schema["items"].(map[string]any); ok && segment == "*" {
		return items, false
	}
	switch additional := schema["additionalProperties"].(type) {
	case map[string]any:
		return additional, false
	case bool:
		return nil, additional
	}
	return nil, segment == "*" && len(properties) > 0
}

// listed names some of names.
func listed(names []string) string {
	const few = 12
	switch {
	case len(names) == 0:
		return "none at all"
	case len(names) > few:
		return strings.Join(names[:few], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
