package transform

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStored takes out what the API server drops, says so once for each component, and leaves its input and everything else alone.
func TestStored(t *testing.T) {
	crd := func(name, schema string) string {
		return `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ` + name + `}, spec: {versions: [{name: v1, schema: {openAPIV3Schema: ` + schema + `}}]}}`
	}
	const other = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: a}, data: {}}`
	in := bundles(t, "a", docs(other, crd("one", "{type: object, properties: {}}"), crd("two", "{type: object, required: [], nullable: false}")), "b", crd("three", "{type: object}"))
	before := emit(t, in)
	out, notices := Stored(in)
	diff(t, "input, which must stay as it was", before, emit(t, in))
	want := bundles(t, "a", docs(other, crd("one", "{type: object}"), crd("two", "{type: object}")), "b", crd("three", "{type: object}"))
	diff(t, "output", emit(t, want), emit(t, out))
	var got []string
	for _, n := range notices {
		got = append(got, n.String())
	}
	wanted := []string{"a: 3 empty fields are left out, which the API server does not store and Argo CD would call OutOfSync for ever: " +
		"spec.versions[0].schema.openAPIV3Schema.properties of CustomResourceDefinition.apiextensions.k8s.io one and 2 more"}
	if d := cmp.Diff(wanted, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, again := Stored(out); len(again) > 0 {
		t.Errorf("a second time: %v", again)
	}
	if _, one := Stored(bundles(t, "a", crd("one", "{properties: {}}"))); len(one) != 1 || strings.Contains(one[0].Message, "more") || !strings.HasPrefix(one[0].Message, "an empty field is left out") {
		t.Errorf("one field: %v", one)
	}
}
