package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Decode reads one YAML or JSON document as Helm, kubectl and Argo CD read it: YAML 1.1, integers kept as int64.
// A list ("kind: List", "kind: RoleList") gives its items; a document without content gives none.
// Of a key that stands twice the last wins, as in those tools, with a warning.
// Numbers that JSON or int64 cannot hold are errors, each with its path.
func Decode(document []byte) (objects []Object, warnings []string, err error) {
	raw, warnings, err := toJSON(document)
	if err != nil {
		return nil, nil, err
	}
	if bytes.Equal(raw, []byte("null")) {
		return nil, warnings, nil
	}
	fields := map[string]any{}
	if raw[0] != '{' {
		return nil, nil, fmt.Errorf("reading an object: the document is %s, not a map", jsonKind(raw[0]))
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, nil, fmt.Errorf("reading an object: %w", err)
	}
	if problems := checkNumbers(fields, nil); len(problems) > 0 {
		slices.Sort(problems)
		return nil, nil, errors.New(strings.Join(problems, "\n"))
	}
	objects, err = flatten(fields)
	return objects, warnings, err
}

// Sole returns the one object that a file of the output holds, or none: not every file there is an object, and people change files.
func Sole(file []byte) Object {
	objects, _, err := Decode(file)
	if err != nil || len(objects) != 1 {
		return Object{}
	}
	return objects[0]
}

// toJSON converts YAML to JSON. Strict reading finds repeated keys; it is not the reading that counts.
func toJSON(document []byte) (raw []byte, warnings []string, err error) {
	raw, strictErr := yaml.YAMLToJSONStrict(document)
	if strictErr == nil {
		return raw, nil, nil
	}
	raw, err = yaml.YAMLToJSON(document)
	if err != nil {
		return nil, nil, fmt.Errorf("reading YAML: %w", err)
	}
	// A merge key's map may repeat what it overrides: strict reading calls that a repeated key, which it is not.
	if !bytes.Contains(document, []byte("<<")) {
		warnings = append(warnings, strings.TrimPrefix(strictErr.Error(), "yaml: "))
	}
	return raw, warnings, nil
}

func jsonKind(first byte) string {
	switch first {
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}

// checkNumbers reports numbers that were integers beyond int64: the decoder has rounded them, and nobody would know.
func checkNumbers(value any, path []string) []string {
	switch v := value.(type) {
	case map[string]any:
		var problems []string
		for key, item := range v {
			problems = append(problems, checkNumbers(item, append(path, key))...)
		}
		return problems
	case []any:
		var problems []string
		for i, item := range v {
			problems = append(problems, checkNumbers(item, append(path, fmt.Sprint(i)))...)
		}
		return problems
	case float64:
		if math.Abs(v) >= 1<<63 && v == math.Trunc(v) {
			return []string{fmt.Sprintf("%s: number %v is beyond 64 bits and would be rounded: quote it if it is a string", strings.Join(path, "."), v)}
		}
	}
	return nil
}

// flatten returns the items of a list kind, or the object itself.
func flatten(fields map[string]any) ([]Object, error) {
	kind, _ := fields["kind"].(string)
	items, isList := fields["items"].([]any)
	itemKind, named := strings.CutSuffix(kind, "List")
	if !named || (!isList && fields["items"] != nil) || (!isList && kind != "List") {
		return []Object{New(fields)}, nil
	}
	var objects []Object
	for i, item := range items {
		m, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("items.%d: not an object: a %s holds objects only", i, kind)
		}
		if itemKind != "" && m["kind"] == nil {
			m["kind"], m["apiVersion"] = itemKind, fields["apiVersion"]
		}
		inner, err := flatten(m)
		if err != nil {
			return nil, fmt.Errorf("items.%d: %w", i, err)
		}
		objects = append(objects, inner...)
	}
	return objects, nil
}
