package argoapi_test

import "testing"

// TestDefaulted states when a custom resource that leaves something to its CRD's defaults is OutOfSync for ever: within a list that is
// compared as a whole (seen on Argo CD 3.2.11 with ExternalSecrets of external-secrets 0.14).
func TestDefaulted(t *testing.T) {
	crd := func(list string) string {
		return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com, annotations: {argocd.argoproj.io/sync-wave: '-2'}}, spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {mode: {type: string, default: m}, list: {type: array, " + list +
			"items: {type: object, properties: {key: {type: string}, mode: {type: string, default: m}}}}}}}}}}]}}\n---\n"
	}
	widget := func(annotations, item string) string {
		return "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '0'" + annotations + "}}, spec: {list: [{" + item + "}]}}\n---\n"
	}
	tests := map[string]scenario{
		"left out":                    {apps: []string{"- a\n" + crd("") + widget("", "key: a")}, want: "UNHEALTHY", chain: []string{"w is OutOfSync for ever: the API server writes spec.list[0].mode, which is not stated"}},
		"stated":                      {apps: []string{"- a\n" + crd("") + widget("", "key: a, mode: m")}, want: "PROVEN"},
		"compared item by item":       {apps: []string{"- a\n" + crd("x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [key], ") + widget("", "key: a")}, want: "PROVEN"},
		"under a gate":                {apps: []string{"0 a\n" + crd("") + widget("", "key: a"), "1 b\n" + object("ConfigMap", "c", "0", "")}, want: "DEADLOCK", each: []string{"a UNHEALTHY", "root DEADLOCK"}},
		"of a CRD that nobody brings": {apps: []string{"- a\n" + widget("", "key: a")}, given: []string{"kind Widget.example.com"}, want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}
