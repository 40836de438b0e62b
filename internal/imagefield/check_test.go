package imagefield_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/imagefield"
)

func lines(wrong []imagefield.Wrong) []string {
	var out []string
	for _, w := range wrong {
		out = append(out, fmt.Sprintf("%d %s: %s", w.Kind, w.Field, w.Message))
	}
	return out
}

// TestCheckKinds: what the table names already, and what is never changed.
func TestCheckKinds(t *testing.T) {
	got := lines(imagefield.CheckKinds([]imagefield.Kind{
		{Group: "monitoring.coreos.com", Kind: "Prometheus", Paths: []string{"spec.image", "spec.new.image"}},
		{Group: "jaegertracing.io", Kind: "Jaeger", Paths: []string{"spec.agent.image", "spec.*.image", "spec.agent"}},
		{Group: "monitoring.coreos.com", Kind: "Prometheus", Splits: []imagefield.Split{{At: "spec", Repository: "baseImage", Tag: "tag"}}},
		{Group: "kyverno.io", Kind: "Policy", Paths: []string{"spec.image"}},
		{Group: "example.com", Kind: "Prometheus", Paths: []string{"spec.image"}},
	}))
	if diff := cmp.Diff([]string{
		"0 paths[0]: spec.image of Prometheus.monitoring.coreos.com is known already: gen's own table names it; take it out",
		"1 paths[0]: spec.agent.image of Jaeger.jaegertracing.io is known already: gen's own table names it; take it out",
		"1 paths[1]: spec.*.image of Jaeger.jaegertracing.io is known already: gen's own table names it; take it out",
		"2 splits[0].repository: spec.baseImage of Prometheus.monitoring.coreos.com is known already: gen's own table names it; take it out",
		"2 splits[0].tag: spec.tag of Prometheus.monitoring.coreos.com is known already: gen's own table names it; take it out",
		"3 kind: objects of the kind Policy.kyverno.io only speak about images, and are never changed: what they say would mean something else; take the entry out",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCheckObjects: paths against the schema of a CRD and against values.
func TestCheckObjects(t *testing.T) {
	objects := decodeAll(t, []byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing}
  versions:
  - {name: v1alpha1, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {old: {type: string}}}}}}}
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              image: {type: string}
              size: {type: integer}
              operator: {type: object, properties: {repository: {type: string}, tag: {type: string}}}
              agents: {type: array, items: {type: object, properties: {image: {type: string}}}}
              byName: {type: object, additionalProperties: {type: object, properties: {image: {type: string}}}}
              anything: {type: object, x-kubernetes-preserve-unknown-fields: true}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
spec: {image: "quay.io/a:1", anything: {x: {image: [1]}}}
---
apiVersion: example.org/v1
kind: Free
metadata: {name: b, namespace: team}
spec: {image: {repository: "quay.io/a", tag: 1}, list: ["quay.io/b:1"]}
`))
	thing := func(paths ...string) imagefield.Kind {
		return imagefield.Kind{Group: "example.com", Kind: "Thing", Paths: paths}
	}
	for name, c := range map[string]struct {
		kinds []imagefield.Kind
		want  []string
	}{
		"all there": {kinds: []imagefield.Kind{thing("spec.image", "spec.old", "spec.agents.*.image", "spec.byName.*.image", "spec.byName.x.image", "spec.anything.y.image", "spec.*.image")}},
		"unknown paths": {kinds: []imagefield.Kind{thing("spec.imgae", "spec.agents.image", "spec.byName.x.name", "spce.image")}, want: []string{
			`0 paths[0]: there is no field "imgae" under spec, but agents, anything, byName, image, operator, size: correct the path, says the CRD things.example.com`,
			`0 paths[1]: there is no field "image" under spec.agents, but none at all: correct the path, says the CRD things.example.com`,
			`0 paths[2]: there is no field "name" under spec.byName.x, but image: correct the path, says the CRD things.example.com`,
			`0 paths[3]: there is no field "spce" at the top, but spec: correct the path, says the CRD things.example.com`,
		}},
		"wrong types in the schema": {kinds: []imagefield.Kind{
			thing("spec.size", "spec.operator"),
			{Group: "example.com", Kind: "Thing", Splits: []imagefield.Split{{At: "spec.image", Repository: "repository"}, {At: "spec.operator", Repository: "repository", Digest: "digest"}}},
		}, want: []string{
			"0 paths[0]: spec.size is of type integer, and a reference is text: name the field that holds the text, or write splits, says the CRD things.example.com",
			"0 paths[1]: spec.operator is of type object, and a reference is text: name the field that holds the text, or write splits, says the CRD things.example.com",
			"1 splits[0].at: spec.image is of type string, and the parts of a reference stand in a map, says the CRD things.example.com",
			`1 splits[0].repository: there is no field "repository" under spec.image, but none at all: correct the path, says the CRD things.example.com`,
			`1 splits[1].digest: there is no field "digest" under spec.operator, but repository, tag: correct the path, says the CRD things.example.com`,
		}},
		"wrong types in values": {kinds: []imagefield.Kind{
			thing("spec.anything.*.image"),
			{Group: "example.org", Kind: "Free", Paths: []string{"spec.image", "spec.other"}, Splits: []imagefield.Split{{At: "spec.list", Repository: "x"}, {At: "spec.image", Repository: "repository", Tag: "tag"}}},
		}, want: []string{
			"0 paths[0]: spec.anything.x.image of Thing.example.com a is a list, and a reference is text: name the field that holds the text, or write splits",
			"1 paths[0]: spec.image of Free.example.org team/b is a map, and a reference is text: name the field that holds the text, or write splits",
			"1 splits[0].at: spec.list of Free.example.org team/b is a list, and the parts of a reference stand in a map: name the map that holds them",
			"1 splits[1].tag: spec.image.tag of Free.example.org team/b is a number, and a reference is text: name the field that holds the text, or write splits",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, lines(imagefield.CheckObjects(c.kinds, objects))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for kind, want := range map[string]bool{"Thing": true, "Other": false} {
		if got := (imagefield.Kind{Group: "example.com", Kind: kind}).Occurs(objects[:1]); got != want {
			t.Errorf("%s occurs: %v", kind, got)
		}
	}
}
