package argoapi_test

import (
	"fmt"
	"testing"
)

// bare is a custom resource as a chart prints it that leaves the namespace to the release.
func bare(api, kind string) string {
	return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: x}}\n---\n", api, kind)
}

// TestScopesNobodyStates states what a project means for kinds whose definition is not among the objects: that it allows no cluster-scoped
// kind is no fault of what lives in a namespace.
func TestScopesNobodyStates(t *testing.T) {
	narrow := "clusterResourceWhitelist: [], destinations: [{server: '*', namespace: team}]"
	app := func(objects string) []string { return []string{"- app project=tenant\n" + objects} }
	given := []string{team, "kind HTTPRoute.gateway.networking.k8s.io", "kind ClusterIssuer.cert-manager.io", "kind Gadget.example.net", "controller Gadget.example.net"}
	const cluster, neither = "is of a cluster-scoped kind that the AppProject tenant does not allow", "is of a kind that the AppProject tenant does not allow"
	runScenarios(t, map[string]scenario{
		"a kind that lives in a namespace":  {apps: app(bare("gateway.networking.k8s.io/v1", "ReferenceGrant")), projects: tenant(narrow), given: append(given, "kind ReferenceGrant.gateway.networking.k8s.io"), want: "PROVEN"},
		"a kind that lives in none":         {apps: app(bare("cert-manager.io/v1", "ClusterIssuer")), projects: tenant(narrow), given: given, want: "FAILS", chain: []string{cluster}},
		"a kind that nobody knows":          {apps: app(bare("example.net/v1", "Gadget")), projects: tenant(narrow), given: given, want: "PROVEN"},
		"nobody knows it, and nothing fits": {apps: app(bare("example.net/v1", "Gadget")), projects: tenant(narrow + ", namespaceResourceWhitelist: [{group: '', kind: Secret}]"), given: given, want: "FAILS", chain: []string{neither}},
		"nobody knows it, and all may go":   {apps: app(bare("example.net/v1", "Gadget")), projects: tenant(""), given: given, want: "PROVEN"},
		"a definition says that it lives in none": {
			apps: []string{"0 kinds\n" + definition("0", "example.net", "Gadget", "gadgets", "Cluster"), "1 app project=tenant\n" + bare("example.net/v1", "Gadget")}, projects: tenant(narrow), given: given,
			want: "FAILS", each: []string{"app FAILS"}, chain: []string{cluster},
		},
		"kustomize gave a namespace to what lives in none": {apps: app("{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: x, namespace: nowhere}}\n---\n"), projects: tenant(""), given: append(given, "controller ClusterIssuer.cert-manager.io"), want: "PROVEN"},
	})
}

// TestFirstMakes states that a pod which reads in its containers what its role lets it make, makes that in its init containers: so does
// the redis of Argo CD.
func TestFirstMakes(t *testing.T) {
	redis := func(pod string) []string {
		return []string{"- app\n" + object("ServiceAccount", "redis", "0", "") +
			object("Role", "redis", "0", "rules: [{apiGroups: [''], resources: [secrets], resourceNames: [login], verbs: [get]}, {apiGroups: [''], resources: [secrets], verbs: [create]}]") +
			object("RoleBinding", "redis", "0", "roleRef: {kind: Role, name: redis}, subjects: [{kind: ServiceAccount, name: redis, namespace: team}]") +
			object("Deployment", "redis", "0", "spec: {selector: {matchLabels: {app: r}}, template: {metadata: {labels: {app: r}}, spec: {serviceAccountName: redis, "+pod+"}}}") +
			workload("reader", "0", "volumes: [{name: v, secret: {secretName: login}}]")}
	}
	const reads = "env: [{name: P, valueFrom: {secretKeyRef: {name: login, key: auth}}}]"
	runScenarios(t, map[string]scenario{
		"its init container makes it":     {apps: redis("initContainers: [{name: i, image: i}], containers: [{name: c, image: i, " + reads + "}]"), given: nobodyElse, want: "PROVEN"},
		"it has none":                     {apps: redis("containers: [{name: c, image: i, " + reads + "}]"), given: nobodyElse, want: "UNHEALTHY"},
		"its init container reads it too": {apps: redis("initContainers: [{name: i, image: i, " + reads + "}], containers: [{name: c, image: i, " + reads + "}]"), given: nobodyElse, want: "UNHEALTHY"},
		"it mounts it":                    {apps: redis("initContainers: [{name: i, image: i}], volumes: [{name: v, secret: {secretName: login}}], containers: [{name: c, image: i}]"), given: nobodyElse, want: "UNHEALTHY"},
	})
}

// TestKustomizationAsObject states what becomes of kustomize's own files in a folder that Argo CD is told to read as plain manifests.
func TestKustomizationAsObject(t *testing.T) {
	last := object("ConfigMap", "last", "0", "")
	file := "{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization, metadata: {name: k}, resources: [a.yaml]}\n---\n"
	runScenarios(t, map[string]scenario{
		"it is applied like any other": {apps: []string{"- app\n" + last + file}, given: nobodyElse, want: "FAILS", chain: []string{"no API server serves its kind", "directory.exclude"}},
		"though nobody tries it first": {apps: []string{"- app SkipDryRunOnMissingResource=true\n" + last + file}, given: nobodyElse, want: "FAILS", chain: []string{"no API server serves its kind"}},
	})
}

// TestManyUngated states that waves over many Applications which nothing waits for are one note.
func TestManyUngated(t *testing.T) {
	last := object("ConfigMap", "last", "0", "")
	runScenarios(t, map[string]scenario{
		"five of six": {
			apps: []string{"0 a\n" + last, "1 b\n" + last, "2 c\n" + last, "2 d\n" + last, "3 e\n" + last, "4 f\n" + last}, given: nobodyElse, noHealth: true, want: "UNHEALTHY",
			notes: []string{"5 Applications gate nothing: Argo CD has no health check for it, so no wave waits for them: a, b, c, d, e"}, silent: []string{"argocd/a gates nothing"},
		},
	})
}

// TestHomeNeedsNoSecret states that a Secret which registers Argo CD's own cluster, for its labels, is waited for by nobody who names the
// cluster by its address.
func TestHomeNeedsNoSecret(t *testing.T) {
	secret := func(name, server string) string {
		return "{apiVersion: v1, kind: Secret, metadata: {name: c, namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster}}, stringData: {name: " + name + ", server: '" + server + "'}}\n---\n"
	}
	const here = "https://kubernetes.default.svc"
	given := []string{"namespace team", "namespace argocd"}
	runScenarios(t, map[string]scenario{
		"by its address, from what goes there": {apps: []string{"- app server=" + here + "\n" + secret("local", here)}, given: given, want: "PROVEN"},
		"by Argo CD's own name for it":         {apps: []string{"- app name=in-cluster\n" + secret("in-cluster", here)}, given: given, want: "PROVEN"},
		"by the name that the Secret gives":    {apps: []string{"- app name=local\n" + secret("local", here)}, given: given, want: "DEADLOCK", chain: []string{"goes to a cluster that a Secret makes known"}},
		"another cluster":                      {apps: []string{"- app server=https://far\n" + secret("far", "https://far")}, given: given, want: "UNKNOWN", axiom: "Secret argocd/c"},
	})
}

// TestOutOfSyncHoldsNoWave states that what stays OutOfSync for ever is no reason why a wave does not pass: a wave waits for health.
func TestOutOfSyncHoldsNoWave(t *testing.T) {
	set := func(wave string) string {
		return object("StatefulSet", "db", wave, "spec: {selector: {matchLabels: {app: db}}, serviceName: db, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: i}]}}, volumeClaimTemplates: [{metadata: {name: d}, spec: {storageClassName: slow}}]}")
	}
	last := object("ConfigMap", "last", "1", "")
	given, storage := []string{"namespace team"}, "StorageClass.storage.k8s.io slow"
	runScenarios(t, map[string]scenario{
		"the wave waits for its storage":     {apps: []string{"- app ServerSideApply=true\n" + set("0") + last}, given: given, want: "UNKNOWN", axiom: storage},
		"it is healthy, and the wave passes": {apps: []string{"- app ServerSideApply=true\n" + set("0") + last}, given: append(given, storage), want: "UNHEALTHY", chain: []string{"is OutOfSync for ever"}},
		"no wave waits for it":               {apps: []string{"- app ServerSideApply=true\n" + set("1") + last}, given: given, want: "UNHEALTHY", chain: []string{"is OutOfSync for ever"}},
	})
}
