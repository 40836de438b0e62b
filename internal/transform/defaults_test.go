package transform

import (
	"testing"
)

// TestDefaults wants what a CRD of another component fills into a list stated, and every other object left as it is.
func TestDefaults(t *testing.T) {
	crd := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, names: {kind: Widget}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {mode: {type: string, default: m}, list: {type: array, items: {type: object, properties: {mode: {type: string, default: m}}}}}}}}}}]}}`
	widget := `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: a}, spec: {list: [{key: k}]}}`
	other := `{apiVersion: example.com/v2, kind: Widget, metadata: {name: o, namespace: a}, spec: {list: [{key: k}]}}`
	in := bundles(t, "a", widget+"\n---\n"+other, "b", crd)
	out := Defaults(in)
	list := out[0].Objects[0].List("spec", "list")
	if item, _ := list[0].(map[string]any); item["mode"] != "m" || item["key"] != "k" || out[0].Objects[0].Get("spec", "mode") != nil {
		t.Errorf("spec %v", out[0].Objects[0].Map("spec"))
	}
	if item, _ := in[0].Objects[0].List("spec", "list")[0].(map[string]any); item["mode"] != nil {
		t.Error("the object that was given has changed")
	}
	if item, _ := out[0].Objects[1].List("spec", "list")[0].(map[string]any); item["mode"] != nil {
		t.Error("an object of another version was filled in")
	}
}
