package environment

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"
)

// fileTypes are the types of the files of each kind.
var fileTypes = map[string]reflect.Type{
	"Fleet":       reflect.TypeFor[fleetFile](),
	"Group":       reflect.TypeFor[groupFile](),
	"Site":        reflect.TypeFor[siteFile](),
	"Environment": reflect.TypeFor[environmentFile](),
}

// Schema returns the JSON Schema of the files of one kind, or of all with kind "": then a file's own kind decides. It is made
// from the types that files are decoded into. An unknown kind is an error.
func Schema(kind string) ([]byte, error) {
	if _, known := fileTypes[kind]; !known && kind != "" {
		return nil, fmt.Errorf("making a schema: there is no kind %q%s; write %s", kind, didYouMean(kind, kinds), orList(kinds))
	}
	s := schemaMaker{jsonschema.Definitions{}}
	root := &jsonschema.Schema{
		Version:     jsonschema.Version,
		Title:       "A fleet's model",
		Type:        "object",
		Required:    []string{"apiVersion", "kind"},
		Properties:  jsonschema.NewProperties(),
		Definitions: s.definitions,
	}
	root.Properties.Set("apiVersion", &jsonschema.Schema{Enum: []any{"gen/v1"}})
	listed := kinds
	if kind != "" {
		listed = []string{kind}
	}
	allowed := &jsonschema.Schema{}
	for _, k := range listed {
		allowed.Enum = append(allowed.Enum, k)
		of := jsonschema.NewProperties()
		of.Set("kind", &jsonschema.Schema{Const: k})
		root.AllOf = append(root.AllOf, &jsonschema.Schema{
			If:   &jsonschema.Schema{Properties: of, Required: []string{"kind"}},
			Then: s.of(fileTypes[k]),
		})
	}
	root.Properties.Set("kind", allowed)
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the schema: %w", err)
	}
	return append(out, '\n'), nil
}

// Addresses as the schema knows them; the decoder knows them better (net/netip).
const (
	ipv4 = `((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
	ipv6 = `[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]+`
)

// schemaMaker makes schemas of Go types by the same fields as the decoder reads.
type schemaMaker struct{ definitions jsonschema.Definitions }

// of returns the schema of a type. Structs become definitions, each once.
func (s schemaMaker) of(t reflect.Type) *jsonschema.Schema {
	switch {
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	case t == reflect.TypeFor[netip.Prefix]():
		return &jsonschema.Schema{Type: "string", Pattern: "^(" + ipv4 + "/(3[0-2]|[12]?[0-9])|" + ipv6 + "/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))$"}
	case t == reflect.TypeFor[netip.Addr]():
		return &jsonschema.Schema{Type: "string", Pattern: "^(" + ipv4 + "|" + ipv6 + ")$"}
	case t == reflect.TypeFor[[]any]():
		return &jsonschema.Schema{Type: "array"}
	case t == reflect.TypeFor[map[string]any]():
		return &jsonschema.Schema{Type: "object"}
	}
	switch t.Kind() {
	case reflect.Struct:
		return s.reference(t)
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: s.of(t.Elem())}
	case reflect.Map:
		return nullable(&jsonschema.Schema{Type: "object", AdditionalProperties: s.of(t.Elem())})
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.String:
		one := uint64(1)
		return &jsonschema.Schema{Type: "string", MinLength: &one}
	}
	return &jsonschema.Schema{Type: "integer"}
}

// nullable allows a map to be left empty, as a key with nothing after it.
func nullable(schema *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{schema, {Type: "null"}}}
}

// reference returns a reference to the definition of a struct, made where it is not there yet.
func (s schemaMaker) reference(t reflect.Type) *jsonschema.Schema {
	name := t.Name()
	if _, made := s.definitions[name]; !made {
		s.definitions[name] = &jsonschema.Schema{}
		*s.definitions[name] = *s.structure(t)
	}
	ref := &jsonschema.Schema{Ref: "#/$defs/" + name}
	if form, ok := reflect.New(t).Interface().(scalarForm); ok {
		f, _ := named(fieldsOf(t), form.scalarField())
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{s.field(f), ref}}
	}
	if required := s.definitions[name].Required; len(required) == 0 {
		return nullable(ref)
	}
	return ref
}

// structure makes the schema of a struct.
func (s schemaMaker) structure(t reflect.Type) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for _, f := range fieldsOf(t) {
		schema.Properties.Set(f.name, s.field(f))
		if f.required {
			schema.Required = append(schema.Required, f.name)
		}
	}
	slices.Sort(schema.Required)
	return schema
}

// field makes the schema of one key.
func (s schemaMaker) field(f field) *jsonschema.Schema {
	schema := s.of(f.typ)
	for _, value := range f.enum {
		target := schema
		if len(schema.OneOf) > 0 { // a map of listed texts
			target = schema.OneOf[0].AdditionalProperties
		}
		target.Enum = append(target.Enum, value)
	}
	schema.Description = f.doc
	if f.decides != "" {
		schema.Description += " It decides " + f.decides + "."
	}
	return schema
}
