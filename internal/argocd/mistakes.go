package argocd

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Mistake is a field for which an object is not accepted.
type Mistake struct {
	Path []string
	Text string
}

func (m Mistake) String() string { return strings.Join(m.Path, ".") + ": " + m.Text }

// Mistakes returns what keeps the API server from storing an object, as far as it is the same for all: labels and annotations that
// are no strings, and for an Application the fields of its CRD (manifests/crds/application-crd.yaml) that have another type or are
// missing. Fields that are not in the table are let through: newer releases know more.
func Mistakes(o manifest.Object) []Mistake {
	list := checkFields(o.Map("metadata"), metadataFields, []string{"metadata"})
	if id := o.ID(); id.Group == "argoproj.io" && id.Kind == "Application" {
		list = append(list, checkField(o.Fields()["spec"], field{kind: "map!", fields: specFields}, []string{"spec"})...)
	}
	return list
}

// SourceMistakes returns what keeps fields from being read as those that lie over a source, of which none need be there.
func SourceMistakes(fields map[string]any) []Mistake {
	over := maps.Clone(sourceFields)
	over["repoURL"] = field{kind: "text"}
	return checkFields(fields, over, nil)
}

// Untracked returns the annotations for which Argo CD cannot generate the manifests of the whole Application that the object belongs
// to: it reads them all to add its own (v3.2.11 reposerver/repository/repository.go, SetAppInstance; util/kube/kube.go,
// nestedNullableStringMap). CRDs are exempt.
func Untracked(o manifest.Object) []Mistake {
	if o.ID().Kind == "CustomResourceDefinition" {
		return nil
	}
	return checkFields(o.Map("metadata"), map[string]field{"annotations": {kind: "texts"}}, []string{"metadata"})
}

// field is what a field may hold: "text", "bool", "integer", "texts" (a map of strings), "map", "any", or "list of" one of these; with
// "!" it must be there.
type field struct {
	kind   string
	fields map[string]field // of a map, or of each map in a list
}

var metadataFields = map[string]field{"name": {kind: "text"}, "namespace": {kind: "text"}, "labels": {kind: "texts"}, "annotations": {kind: "texts"}, "finalizers": {kind: "list of text"}}

var pairFields = map[string]field{"name": {kind: "text!"}, "value": {kind: "text!"}}

var sourceFields = map[string]field{
	"repoURL": {kind: "text!"}, "path": {kind: "text"}, "targetRevision": {kind: "text"}, "chart": {kind: "text"}, "ref": {kind: "text"}, "name": {kind: "text"},
	"directory": {kind: "map", fields: map[string]field{"recurse": {kind: "bool"}, "include": {kind: "text"}, "exclude": {kind: "text"}, "jsonnet": {kind: "map"}}},
	"helm": {kind: "map", fields: map[string]field{
		"valueFiles": {kind: "list of text"}, "values": {kind: "text"}, "valuesObject": {kind: "map"}, "releaseName": {kind: "text"}, "version": {kind: "text"},
		"parameters":     {kind: "list of map", fields: map[string]field{"name": {kind: "text"}, "value": {kind: "text"}, "forceString": {kind: "bool"}}},
		"fileParameters": {kind: "list of map"}, "skipCrds": {kind: "bool"}, "skipTests": {kind: "bool"}, "skipSchemaValidation": {kind: "bool"},
		"ignoreMissingValueFiles": {kind: "bool"}, "passCredentials": {kind: "bool"}, "namespace": {kind: "text"}, "kubeVersion": {kind: "text"}, "apiVersions": {kind: "list of text"},
	}},
	"kustomize": {kind: "map", fields: map[string]field{
		"namePrefix": {kind: "text"}, "nameSuffix": {kind: "text"}, "namespace": {kind: "text"}, "images": {kind: "list of text"}, "components": {kind: "list of text"},
		"commonLabels": {kind: "texts"}, "commonAnnotations": {kind: "texts"}, "patches": {kind: "list of map"},
		"replicas": {kind: "list of map", fields: map[string]field{"name": {kind: "text!"}, "count": {kind: "any!"}}},
	}},
	"plugin": {kind: "map", fields: map[string]field{"name": {kind: "text"}, "env": {kind: "list of map", fields: pairFields}}},
}

var specFields = map[string]field{
	"project":     {kind: "text!"},
	"source":      {kind: "map", fields: sourceFields},
	"sources":     {kind: "list of map", fields: sourceFields},
	"destination": {kind: "map!", fields: map[string]field{"server": {kind: "text"}, "name": {kind: "text"}, "namespace": {kind: "text"}}},
	"syncPolicy": {kind: "map", fields: map[string]field{
		"automated":   {kind: "map", fields: map[string]field{"prune": {kind: "bool"}, "selfHeal": {kind: "bool"}, "allowEmpty": {kind: "bool"}, "enabled": {kind: "bool"}}},
		"syncOptions": {kind: "list of text"},
		"retry": {kind: "map", fields: map[string]field{"limit": {kind: "integer"}, "refresh": {kind: "bool"}, "backoff": {kind: "map", fields: map[string]field{
			"duration": {kind: "text"}, "factor": {kind: "integer"}, "maxDuration": {kind: "text"},
		}}}},
		"managedNamespaceMetadata": {kind: "map", fields: map[string]field{"labels": {kind: "texts"}, "annotations": {kind: "texts"}}},
	}},
	"ignoreDifferences": {kind: "list of map", fields: map[string]field{"kind": {kind: "text!"}, "group": {kind: "text"}, "name": {kind: "text"}, "namespace": {kind: "text"}}},
	"info":              {kind: "list of map", fields: pairFields}, "revisionHistoryLimit": {kind: "integer"},
	"sourceHydrator": {kind: "map", fields: map[string]field{
		"drySource":  {kind: "map!", fields: map[string]field{"repoURL": {kind: "text!"}, "path": {kind: "text!"}, "targetRevision": {kind: "text!"}}},
		"syncSource": {kind: "map!", fields: map[string]field{"targetBranch": {kind: "text!"}, "path": {kind: "text!"}}},
		"hydrateTo":  {kind: "map", fields: map[string]field{"targetBranch": {kind: "text!"}}},
	}},
}

// checkFields checks the fields of a map that the table knows.
func checkFields(values map[string]any, table map[string]field, path []string) []Mistake {
	var list []Mistake
	for _, key := range slices.Sorted(maps.Keys(table)) {
		list = append(list, checkField(values[key], table[key], append(slices.Clone(path), key))...)
	}
	return list
}

// checkField checks one field. A null is as good as nothing: the API server drops it.
func checkField(value any, f field, path []string) []Mistake {
	kind, required := strings.CutSuffix(f.kind, "!")
	if value == nil {
		if required {
			return []Mistake{{path, "is missing"}}
		}
		return nil
	}
	of, isList := strings.CutPrefix(kind, "list of ")
	if !isList {
		return checkValue(value, kind, f.fields, path)
	}
	items, ok := value.([]any)
	if !ok {
		return []Mistake{wrongType(value, "a list", path)}
	}
	var list []Mistake
	for i, item := range items {
		list = append(list, checkValue(item, of, f.fields, append(slices.Clone(path), strconv.Itoa(i)))...)
	}
	return list
}

func checkValue(value any, kind string, fields map[string]field, path []string) []Mistake {
	if kind == "any" {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		switch kind {
		case "texts":
			return checkTexts(v, path)
		case "map":
			return checkFields(v, fields, path)
		}
	case string:
		if kind == "text" {
			return nil
		}
	case bool:
		if kind == "bool" {
			return nil
		}
	case int64:
		if kind == "integer" {
			return nil
		}
	case float64:
		if kind == "integer" && v == math.Trunc(v) {
			return nil
		}
	}
	names := map[string]string{"text": "a string", "bool": "true or false", "integer": "a whole number", "map": "a map", "texts": "a map"}
	return []Mistake{wrongType(value, names[kind], path)}
}

// checkTexts checks labels or annotations. A null among labels is an empty one; among annotations Argo CD takes it for a mistake.
func checkTexts(values map[string]any, path []string) []Mistake {
	var list []Mistake
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if _, ok := values[key].(string); !ok && (values[key] != nil || path[len(path)-1] == "annotations") {
			list = append(list, wrongType(values[key], "a string", append(slices.Clone(path), key)))
		}
	}
	return list
}

// wrongType says what a field holds, what it must hold, and for a scalar in the place of a string that quotes make it one.
func wrongType(value any, want string, path []string) Mistake {
	text, quote := "is a map", ""
	switch v := value.(type) {
	case nil:
		text = "is empty"
	case []any:
		text = "is a list"
	case string:
		text = "is the string " + strconv.Quote(v)
	case bool, int64, float64:
		text = fmt.Sprintf("is %v", v)
		if want == "a string" {
			text, quote = text+", which is no string to YAML", ": put it in quotes"
		}
	}
	return Mistake{path, text + ", and must be " + want + quote}
}
