package coldstart

import (
	"fmt"
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// malformed says why the API server refuses a custom resource: its CRD's schema does not take it. What is looked at are nulls, types,
// missing fields and enumerations (apiextensions-apiserver pkg/apiserver/validation). Seen on Argo CD 3.2.11 with velero's chart, which
// writes `provider: null` where nothing is stated.
func (w *world) malformed(o manifest.Object) string {
	properties, _ := w.schemas.Of(o)["properties"].(map[string]any)
	for _, field := range slices.Sorted(maps.Keys(properties)) {
		value, stated := o.Fields()[field]
		if !stated || field == "apiVersion" || field == "kind" || field == "metadata" || field == "status" {
			continue
		}
		if why := misfits(properties[field], value, field); why != "" {
			return "is refused by the schema of its CustomResourceDefinition: " + why
		}
	}
	return ""
}

func misfits(of, value any, at string) string {
	schema, ok := of.(map[string]any)
	if !ok {
		return ""
	}
	wanted, _ := schema["type"].(string)
	if value == nil {
		return nothing(schema, wanted, at)
	}
	if schema["x-kubernetes-int-or-string"] != true && !hasType(value, wanted) {
		return fmt.Sprintf("%s: %v, and its type is %s", at, value, wanted)
	}
	if list, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(list, func(item any) bool { return fmt.Sprint(item) == fmt.Sprint(value) }) {
		return fmt.Sprintf("%s: %v, and only %v are taken", at, value, list)
	}
	switch v := value.(type) {
	case map[string]any:
		return misfitsObject(schema, v, at)
	case []any:
		for i, item := range v {
			if why := misfits(schema["items"], item, fmt.Sprintf("%s[%d]", at, i)); why != "" {
				return why
			}
		}
	}
	return ""
}

// nothing: a null is dropped where there is a default, and refused where a type is stated that is not nullable.
func nothing(schema map[string]any, wanted, at string) string {
	if _, filled := schema["default"]; filled || schema["nullable"] == true || wanted == "" {
		return ""
	}
	return at + ": null, and its type is " + wanted
}

func misfitsObject(schema, value map[string]any, at string) string {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, field := range required {
		name := fmt.Sprint(field)
		if _, stated := value[name]; !stated && valueAt(properties[name], "default") == nil {
			return at + "." + name + " is required"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		of, known := properties[name]
		if !known {
			of = schema["additionalProperties"]
		}
		if why := misfits(of, value[name], at+"."+name); why != "" {
			return why
		}
	}
	return ""
}

func hasType(value any, wanted string) bool {
	switch v := value.(type) {
	case string:
		return wanted == "string" || wanted == ""
	case bool:
		return wanted == "boolean" || wanted == ""
	case map[string]any:
		return wanted == "object" || wanted == ""
	case []any:
		return wanted == "array" || wanted == ""
	case int64:
		return wanted == "integer" || wanted == "number" || wanted == ""
	case float64:
		return wanted == "number" || wanted == "" || wanted == "integer" && v == float64(int64(v))
	}
	return true
}
