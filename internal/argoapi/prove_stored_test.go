package argoapi_test

import (
	"strings"
	"testing"
)

// TestClaimTemplates states what a StatefulSet is whose claim templates lack what the API server writes into them. Seen on Argo CD 3.2.11.
func TestClaimTemplates(t *testing.T) {
	set := func(template string) string {
		return object("StatefulSet", "db", "0", "spec: {template: {spec: {containers: []}}, volumeClaimTemplates: [{"+template+"metadata: {name: data}, spec: {storageClassName: fast}}]}")
	}
	whole := "apiVersion: v1, kind: PersistentVolumeClaim, "
	given := []string{team, "StorageClass.storage.k8s.io fast"}
	runScenarios(t, map[string]scenario{
		"applied on the server": {
			apps: []string{"- a ServerSideApply=true\n" + set("")}, given: given, want: "UNHEALTHY",
			chain: []string{"is OutOfSync for ever: the API server writes spec.volumeClaimTemplates[0].apiVersion, which is not stated"},
		},
		"the kind alone is missing":      {apps: []string{"- a ServerSideApply=true\n" + set("apiVersion: v1, ")}, given: given, want: "UNHEALTHY", chain: []string{"volumeClaimTemplates[0].kind"}},
		"control: stated":                {apps: []string{"- a ServerSideApply=true\n" + set(whole)}, given: given, want: "PROVEN"},
		"control: applied by the client": {apps: []string{"- a\n" + set("")}, given: given, want: "PROVEN"},
	})
}

// TestContested states what an Application is whose objects state a field that a workload of its own keeps writing.
func TestContested(t *testing.T) {
	operator := object("ServiceAccount", "op", "0", "") + workload("op", "0", "serviceAccountName: op") + object("Service", "op", "0", "spec: {selector: {app: op}}") +
		object("ClusterRole", "op", "0", "rules: [{apiGroups: [admissionregistration.k8s.io], resources: [mutatingwebhookconfigurations], verbs: [update]}]") +
		object("ClusterRoleBinding", "op", "0", "roleRef: {kind: ClusterRole, name: op}, subjects: [{kind: ServiceAccount, name: op, namespace: team}]")
	hook := func(bundle string) string {
		return object("MutatingWebhookConfiguration", "op", "0", "webhooks: [{name: a.example.com, failurePolicy: Ignore, clientConfig: {"+bundle+"service: {namespace: team, name: op}}}]")
	}
	istio := func(policy, label string) string {
		return workload("istiod", "0", "") + "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: istio-validator, labels: {" + label +
			"}}, webhooks: [{name: a.istio.io, failurePolicy: " + policy + ", clientConfig: {url: 'https://out.example.com'}}]}"
	}
	runScenarios(t, map[string]scenario{
		"a placeholder for a CA": {
			apps: []string{"- a\n" + operator + hook("caBundle: Cg==, ")}, given: []string{team}, want: "UNHEALTHY",
			chain: []string{"is OutOfSync for ever: git states webhooks[].clientConfig.caBundle, which Deployment.apps team/op writes"},
		},
		"control: no CA stated":       {apps: []string{"- a\n" + operator + hook("")}, given: []string{team}, want: "PROVEN"},
		"control: an empty one":       {apps: []string{"- a\n" + operator + hook("caBundle: '', ")}, given: []string{team}, want: "PROVEN"},
		"istiod closes its webhook":   {apps: []string{"- a\n" + istio("Ignore", "istio.io/rev: default")}, given: []string{team}, want: "UNHEALTHY", chain: []string{"webhooks[].failurePolicy, which Deployment.apps team/istiod writes"}},
		"istiod does not run":         {apps: []string{"- a\n" + strings.Replace(istio("Ignore", "istio.io/rev: default"), "spec: {containers", "spec: {serviceAccountName: none, containers", 1)}, given: []string{team}, want: "UNHEALTHY", chain: []string{"runs pods under a ServiceAccount"}},
		"control: closed already":     {apps: []string{"- a\n" + istio("Fail", "istio.io/rev: default")}, given: []string{team}, want: "PROVEN"},
		"control: not one of istio's": {apps: []string{"- a\n" + istio("Ignore", "a: b")}, given: []string{team}, want: "PROVEN"},
	})
}

// TestRetired states that an object of a version which no maintained Kubernetes serves is not applied. Seen with prometheus-adapter's chart.
func TestRetired(t *testing.T) {
	of := func(api, kind string) []string {
		return []string{"- a\n{apiVersion: " + api + ", kind: " + kind + "}"}
	}
	runScenarios(t, map[string]scenario{
		"all kinds of a version":      {apps: of("policy/v1beta1", "PodDisruptionBudget, metadata: {name: x, namespace: team}"), given: []string{team}, want: "FAILS", chain: []string{"which Kubernetes has not served since 1.25: write policy/v1"}},
		"one of a version's kinds":    {apps: of("storage.k8s.io/v1beta1", "CSIDriver, metadata: {name: x}"), given: []string{team}, want: "FAILS", chain: []string{"write storage.k8s.io/v1"}},
		"control: a later kind of it": {apps: of("storage.k8s.io/v1beta1", "VolumeAttributesClass, metadata: {name: x}"), given: []string{team}, want: "PROVEN"},
	})
}

// TestSchemas states that a custom resource which its CRD does not take is not applied. Seen on Argo CD 3.2.11 with velero's chart.
func TestSchemas(t *testing.T) {
	app := func(spec string) []string {
		return []string{"- a\n{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, scope: Namespaced, " +
			"names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [size], properties: {" +
			"size: {type: integer, default: 1}, color: {type: string, enum: [red, blue]}, note: {type: string, nullable: true}, port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}, " +
			"list: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}}, free: {type: object, x-kubernetes-preserve-unknown-fields: true}, " +
			"map: {type: object, additionalProperties: {type: integer}}}}}}}}]}}\n---\n" + object("Widget", "w", "0", "spec: {"+spec+"}")}
	}
	runScenarios(t, map[string]scenario{
		"null":                       {apps: app("color: null"), given: []string{team}, want: "FAILS", chain: []string{"is refused by the schema of its CustomResourceDefinition: spec.color: null, and its type is string"}},
		"another type":               {apps: app("size: big"), given: []string{team}, want: "FAILS", chain: []string{"spec.size: big, and its type is integer"}},
		"not one of a list":          {apps: app("color: green"), given: []string{team}, want: "FAILS", chain: []string{"spec.color: green"}},
		"required, in a list":        {apps: app("list: [{name: a}, {}]"), given: []string{team}, want: "FAILS", chain: []string{"spec.list[1].name is required"}},
		"in a map":                   {apps: app("map: {a: x}"), given: []string{team}, want: "FAILS", chain: []string{"spec.map.a: x"}},
		"control: all well":          {apps: app("size: 2, color: red, port: http, list: [{name: a}], map: {a: 1}, free: {a: [null, 1]}"), given: []string{team}, want: "PROVEN"},
		"control: null with default": {apps: app("size: null"), given: []string{team}, want: "PROVEN"},
		"control: nullable":          {apps: app("note: null, port: 80"), given: []string{team}, want: "PROVEN"},
		"control: unknown field":     {apps: app("other: {a: null}"), given: []string{team}, want: "PROVEN"},
	})
}
