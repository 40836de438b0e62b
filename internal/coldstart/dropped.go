package coldstart

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// dropped says why an object stays OutOfSync for ever: it states what the API server drops when it stores it, so that what is
// wanted and what is there never agree, and self-heal applies it again and again. A diff made by the server sees no difference.
// Seen on Argo CD 3.2.11 with a CRD of strimzi's chart that holds `properties: {}`.
func dropped(a *app, o manifest.Object) string {
	if o.ID().Kind != crd || strings.Contains(a.in.Object.Annotation("argocd.argoproj.io/compare-options"), "ServerSideDiff=true") ||
		len(a.in.Object.List("spec", "ignoreDifferences")) > 0 {
		return ""
	}
	for i, version := range o.List("spec", "versions") {
		if at := emptied(valueAt(version, "schema", "openAPIV3Schema")); at != "" {
			return "is OutOfSync for ever: the API server drops the empty spec.versions[" + strconv.Itoa(i) + "].schema.openAPIV3Schema" + at
		}
	}
	return ""
}

// Fields of a schema which the API server does not store when they are empty (apiextensions v1, JSONSchemaProps: omitempty).
var (
	schemaMaps  = []string{"properties", "patternProperties", "definitions"} // of schemas by name
	schemaLists = []string{"allOf", "anyOf", "oneOf"}                        // of schemas
	plainLists  = []string{"required", "enum"}
)

// emptied returns the path of the first such field in a schema that is stated and empty, in the order of the tables.
func emptied(at any) string {
	schema, ok := at.(map[string]any)
	if !ok {
		return ""
	}
	for _, key := range schemaMaps {
		fields, stated := schema[key].(map[string]any)
		if stated && len(fields) == 0 {
			return "." + key
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if path := emptied(fields[name]); path != "" {
				return "." + key + "." + name + path
			}
		}
	}
	for _, key := range append(slices.Clone(schemaLists), plainLists...) {
		list, stated := schema[key].([]any)
		if stated && len(list) == 0 {
			return "." + key
		}
		for i, item := range list {
			if path := emptied(item); path != "" && slices.Contains(schemaLists, key) {
				return "." + key + "[" + strconv.Itoa(i) + "]" + path
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties", "not"} {
		if path := emptied(schema[key]); path != "" {
			return "." + key + path
		}
	}
	return ""
}
