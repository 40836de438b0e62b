package stored

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

const head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n"

func decode(t *testing.T, text string) manifest.Object {
	t.Helper()
	objects, _, err := manifest.Decode([]byte(text))
	if err != nil || len(objects) != 1 {
		t.Fatalf("%d objects, %v in\n%s", len(objects), err, text)
	}
	return objects[0]
}

// TestDropped states which fields are dropped; that they are all of them is shown beside Kubernetes' own types (package argoapi).
func TestDropped(t *testing.T) {
	schema := func(text string) string {
		return head + "spec: {versions: [{schema: {openAPIV3Schema: " + text + "}}]}"
	}
	const at = "spec.versions[0].schema.openAPIV3Schema"
	tests := map[string]struct {
		object string
		want   []string
	}{
		"nothing":                            {head, nil},
		"odd types":                          {head + "spec: {names: [], versions: [1, {schema: 2}, {schema: {openAPIV3Schema: []}}, {additionalPrinterColumns: [1]}]}", nil},
		"no CRD":                             {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec: {preserveUnknownFields: false}", nil},
		"names":                              {head + `spec: {names: {plural: "", kind: "", singular: "", listKind: "", shortNames: [], categories: []}}`, []string{"spec.names.categories", "spec.names.listKind", "spec.names.shortNames", "spec.names.singular"}},
		"preserveUnknownFields":              {head + "spec: {preserveUnknownFields: false}", []string{"spec.preserveUnknownFields"}},
		"control: true":                      {head + "spec: {preserveUnknownFields: true}", nil},
		"a version":                          {head + "spec: {versions: [{served: false, storage: false, deprecated: false, additionalPrinterColumns: [], selectableFields: []}]}", []string{"spec.versions[0].additionalPrinterColumns", "spec.versions[0].deprecated", "spec.versions[0].selectableFields"}},
		"a column":                           {head + `spec: {versions: [{additionalPrinterColumns: [{name: a}, {name: b, description: "", format: "", priority: 0}]}]}`, []string{"spec.versions[0].additionalPrinterColumns[1].description", "spec.versions[0].additionalPrinterColumns[1].format", "spec.versions[0].additionalPrinterColumns[1].priority"}},
		"control: subresources":              {head + "spec: {versions: [{subresources: {status: {}}}]}", nil},
		"of a schema":                        {schema(`{properties: {}, required: [], description: "", nullable: false}`), []string{at + ".description", at + ".nullable", at + ".properties", at + ".required"}},
		"deep":                               {schema("{properties: {a: {items: {oneOf: [{not: {enum: []}}]}}, b: {additionalProperties: {allOf: []}}}}"), []string{at + ".properties.a.items.oneOf[0].not.enum", at + ".properties.b.additionalProperties.allOf"}},
		"items in a list":                    {schema("{items: [{}, {title: ''}]}"), []string{at + ".items[1].title"}},
		"a rule":                             {schema(`{x-kubernetes-validations: [{rule: "", message: ""}]}`), []string{at + ".x-kubernetes-validations[0].message"}},
		"control: properties of those names": {schema("{properties: {properties: {type: object}, required: {}, nullable: {type: boolean}}}"), nil},
		"control: what means something":      {schema("{default: {}, example: [], items: {}, not: {}, additionalProperties: false, maximum: 0, minLength: 0, x-kubernetes-preserve-unknown-fields: false}"), nil},
		"control: within a default":          {schema("{default: {properties: {}, required: []}, enum: [{enum: []}, '', false]}"), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			object := decode(t, tt.object)
			before := decode(t, tt.object)
			paths := Dropped(object)
			var got []string
			for _, p := range paths {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			rest := Without(object, paths)
			if left := Dropped(rest); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if diff := cmp.Diff(before.Fields(), object.Fields()); diff != "" {
				t.Errorf("the object was changed:\n%s", diff)
			}
		})
	}
}
