package argoapi_test

import "testing"

// TestNodes states where pods may run: labels of nodes, which no object brings. Seen on a real control plane: such a pod stays
// Pending, and a wave waits for it.
func TestNodes(t *testing.T) {
	last := object("ConfigMap", "last", "9", "")
	one := func(pod string) []string { return []string{"- app\n" + workload("web", "0", pod) + last} }
	affinity := func(terms string) string {
		return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" + terms + "]}}}"
	}
	ssd := "{matchExpressions: [{key: disk, operator: In, values: [ssd, nvme]}]}"
	linux := "{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}"
	daemon := object("DaemonSet", "agent", "0", "spec: {template: {spec: {nodeSelector: {disk: ssd}, containers: []}}}")
	runScenarios(t, map[string]scenario{
		"a label that nobody stated":      {apps: one("nodeSelector: {disk: ssd}"), given: []string{team}, want: "UNKNOWN", axiom: "node disk=ssd"},
		"control: stated":                 {apps: one("nodeSelector: {disk: ssd}"), given: []string{team, "node disk=ssd"}, want: "PROVEN"},
		"control: on every cluster":       {apps: one("nodeSelector: {kubernetes.io/os: linux}"), given: []string{team}, want: "PROVEN"},
		"control: a DaemonSet needs none": {apps: []string{"- app\n" + daemon + last}, given: []string{team}, want: "PROVEN"},
		"affinity to a label":             {apps: one(affinity(ssd)), given: []string{team}, want: "UNKNOWN", axiom: "node disk=ssd"},
		"affinity, another value stated":  {apps: one(affinity(ssd)), given: []string{team, "node disk=nvme"}, want: "PROVEN"},
		"affinity, one term is enough":    {apps: one(affinity(ssd + ", " + linux)), given: []string{team}, want: "PROVEN"},
	})
}

// TestProjects states what an Application is without its AppProject. Seen on Argo CD 3.2.11 and 2.14.21: no operation of it
// begins, and none fails.
func TestProjects(t *testing.T) {
	last := object("ConfigMap", "last", "9", "")
	project := func(wave string) string {
		return "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: tenant, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: \"" + wave + "\"}}, " +
			"spec: {sourceRepos: ['*'], destinations: [{namespace: '*', server: '*'}]}}"
	}
	runScenarios(t, map[string]scenario{
		"nobody brings it":         {apps: []string{"- app project=tenant\n" + last}, given: []string{team}, want: "UNKNOWN", axiom: "AppProject.argoproj.io argocd/tenant"},
		"control: given":           {apps: []string{"- app project=tenant\n" + last}, given: []string{team, "AppProject.argoproj.io argocd/tenant"}, want: "PROVEN"},
		"control: an earlier wave": {apps: []string{"0 projects\n" + project("0"), "1 app project=tenant\n" + last}, given: []string{team}, want: "PROVEN"},
		"control: beside it":       {apps: []string{"0 projects\n" + project("0"), "0 app project=tenant\n" + last}, given: []string{team}, want: "PROVEN"},
		"a later wave": {
			apps: []string{"0 app project=tenant\n" + last, "1 projects\n" + project("0")}, given: []string{team}, want: "DEADLOCK",
			chain: []string{"belongs to an AppProject, without which no sync of it begins", "is in Application projects, in wave 1 of root, which is not reached"},
		},
	})
}

// TestAccounts states whose a right is: a subject of a RoleBinding that names no namespace is in the binding's own, as MetalLB's
// chart has it; pods that name no account run under the one that admission writes.
func TestAccounts(t *testing.T) {
	in := func(kind, name, fields string) string {
		return "{apiVersion: rbac.authorization.k8s.io/v1, kind: " + kind + ", metadata: {name: " + name + ", namespace: team}, " + fields + "}\n---\n"
	}
	chart := func(pod, subject string) []string {
		return []string{"- app\n" + object("ServiceAccount", "maker", "0", "") + workload("maker", "0", pod) +
			in("Role", "maker", "rules: [{apiGroups: [''], resources: [secrets], resourceNames: [members], verbs: [create]}]") +
			in("RoleBinding", "maker", "roleRef: {kind: Role, name: maker}, subjects: [{kind: ServiceAccount, name: "+subject+"}]") +
			object("DaemonSet", "reader", "0", "spec: {template: {spec: {volumes: [{name: v, secret: {secretName: members}}], containers: []}}}")}
	}
	runScenarios(t, map[string]scenario{
		"of the binding's namespace":   {apps: chart("serviceAccountName: maker", "maker"), given: []string{team}, want: "PROVEN"},
		"of a stated one":              {apps: chart("serviceAccountName: maker", "maker, namespace: team"), given: []string{team}, want: "PROVEN"},
		"of another one":               {apps: chart("serviceAccountName: maker", "maker, namespace: other"), given: []string{team}, want: "UNKNOWN", axiom: "Secret team/members"},
		"by the old name of the field": {apps: chart("serviceAccount: maker", "maker"), given: []string{team}, want: "PROVEN"},
		"of pods that name none":       {apps: chart("hostNetwork: true", "default"), given: []string{team}, want: "PROVEN"},
		"of pods that name another":    {apps: chart("serviceAccountName: maker", "other"), given: []string{team}, want: "UNKNOWN", axiom: "Secret team/members"},
	})
}

// TestNames states that an object which leaves its name to the API server is not applied, but as a hook it is. Seen on Argo CD
// 3.2.11 with knative's chart: "cannot use generate name with apply".
func TestNames(t *testing.T) {
	job := func(annotations string) []string {
		return []string{"- app\n{apiVersion: batch/v1, kind: Job, metadata: {generateName: clean-, namespace: team, annotations: {" + annotations + "}}, spec: {template: {spec: {containers: []}}}}"}
	}
	runScenarios(t, map[string]scenario{
		"no name":                 {apps: job(""), given: []string{team}, want: "FAILS", chain: []string{"has a generateName and no name"}},
		"control: a hook":         {apps: job("argocd.argoproj.io/hook: Sync"), given: []string{team}, want: "PROVEN"},
		"control: made, not sent": {apps: job("argocd.argoproj.io/sync-options: Replace=true"), given: []string{team}, want: "PROVEN"},
	})
}

// TestDrift states what an Application is that never becomes Synced: its own sync succeeds, and whoever waits for it waits.
func TestDrift(t *testing.T) {
	crds := func(schema string) string {
		return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, scope: Namespaced, " +
			"names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, " + schema + "}}}]}}\n---\n"
	}
	last := object("ConfigMap", "last", "0", "")
	empty := "properties: {status: {type: object, properties: {}}}"
	runScenarios(t, map[string]scenario{
		"an empty map of a schema": {
			apps: []string{"- a\n" + crds(empty)}, given: []string{team}, want: "UNHEALTHY",
			chain: []string{"is OutOfSync for ever: the API server drops the empty spec.versions[0].schema.openAPIV3Schema.properties.status.properties"},
			cure:  "annotate Application a with argocd.argoproj.io/compare-options: ServerSideDiff=true",
		},
		"an empty list, in a parent's wave": {apps: []string{"0 a\n" + crds("required: []"), "1 b\n" + last}, given: []string{team}, want: "DEADLOCK", each: []string{"root DEADLOCK", "a UNHEALTHY"}, cure: "ServerSideDiff=true"},
		"a false":                           {apps: []string{"- a\n" + crds("nullable: false")}, given: []string{team}, want: "UNHEALTHY", chain: []string{"drops the empty spec.versions[0].schema.openAPIV3Schema.nullable"}},
		"in items":                          {apps: []string{"- a\n" + crds("properties: {l: {type: array, items: {oneOf: []}}}")}, given: []string{team}, want: "UNHEALTHY"},
		"control: a property of that name":  {apps: []string{"- a\n" + crds("properties: {properties: {type: object}, required: {type: string}}")}, given: []string{team}, want: "PROVEN"},
		"control: a default may be empty":   {apps: []string{"- a\n" + crds("properties: {s: {type: object, default: {}, x-kubernetes-preserve-unknown-fields: true}}")}, given: []string{team}, want: "PROVEN"},
	})
}
