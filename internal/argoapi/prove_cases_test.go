package argoapi_test

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// TestWaves states group A of the faults that users reported: sync waves and hooks on an empty cluster.
func TestWaves(t *testing.T) {
	class := func(binding string) string {
		return object("StorageClass", "local", "-1", "provisioner: example.com/p, volumeBindingMode: "+binding)
	}
	claim := func(wave string) string {
		return object("PersistentVolumeClaim", "data", wave, "spec: {storageClassName: local}")
	}
	mounts := func(wave string) string {
		return workload("db", wave, "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]")
	}
	last := object("ConfigMap", "last", "9", "")
	job := func(hook, pod string) string {
		return object("Job", "migrate", hook, "spec: {template: {spec: {containers: [{name: c, image: i}], "+pod+"}}}")
	}
	metal := operator("controller", "-1", "metallb.io", "ipaddresspools") + definition("-1", "metallb.io", "IPAddressPool", "ipaddresspools", "Namespaced")
	balancer := object("Service", "web", "0", "spec: {type: LoadBalancer}")
	pool := func(wave string) string { return object("IPAddressPool", "pool", wave, "spec: {addresses: []}") }
	nginx := func(arg string) string {
		return operator("nginx", "-1", "networking.k8s.io", "ingresses") + object("IngressClass", "nginx", "-1", "spec: {controller: k8s.io/ingress-nginx}") + arg
	}
	ingress := object("Ingress", "web", "0", "spec: {ingressClassName: nginx}")
	publishing := object("ServiceAccount", "nginx", "-1", "") +
		object("Deployment", "nginx", "-1", "spec: {template: {spec: {serviceAccountName: nginx, containers: [{name: c, image: i, args: [--publish-service=team/nginx]}]}}}") +
		object("ClusterRole", "nginx", "-1", "rules: [{apiGroups: [networking.k8s.io], resources: [ingresses/status], verbs: [update]}]") +
		object("ClusterRoleBinding", "nginx", "-1", "roleRef: {kind: ClusterRole, name: nginx}, subjects: [{kind: ServiceAccount, name: nginx, namespace: team}]") +
		object("IngressClass", "nginx", "-1", "spec: {controller: k8s.io/ingress-nginx}") + object("Service", "nginx", "-1", "spec: {type: LoadBalancer}")
	account := func(wave string) string { return object("ServiceAccount", "storage-sa", wave, "") }
	one := func(objects string) []string { return []string{"- app\n" + objects} }
	runScenarios(t, map[string]scenario{
		"A1 a claim waits for a consumer of a later wave": {
			apps: one(class("WaitForFirstConsumer") + claim("0") + mounts("1")), given: []string{team}, want: "DEADLOCK",
			chain: []string{"PersistentVolumeClaim team/data is bound only once a pod mounts it", "Deployment.apps team/db is in wave 1"}, cure: "to wave 0",
		},
		"A1 control: bound at once":       {apps: one(class("Immediate") + claim("0") + mounts("1")), given: []string{team}, want: "PROVEN"},
		"A1 control: the same wave":       {apps: one(class("WaitForFirstConsumer") + claim("1") + mounts("1") + last), given: []string{team}, want: "PROVEN"},
		"A1 control: claim in last wave":  {apps: one(class("WaitForFirstConsumer") + claim("1")), given: []string{team}, want: "UNHEALTHY"},
		"A1 the last wave, under a gate":  {apps: []string{"0 store\n" + class("WaitForFirstConsumer") + claim("1"), "1 web\n" + workload("web", "0", "")}, given: []string{team}, want: "DEADLOCK", each: []string{"root DEADLOCK", "store UNHEALTHY"}},
		"A1 a claim as PreSync hook":      {apps: one(class("WaitForFirstConsumer") + claim("PreSync/0") + mounts("1")), given: []string{team}, want: "DEADLOCK"},
		"A1 no class known and none set":  {apps: one(object("PersistentVolumeClaim", "data", "0", "spec: {}") + last), given: []string{team}, want: "UNKNOWN", axiom: "ability default-storage-class"},
		"A1 control: claims of templates": {apps: one(class("WaitForFirstConsumer") + object("StatefulSet", "db", "0", "spec: {volumeClaimTemplates: [{spec: {storageClassName: local}}], template: {spec: {containers: []}}}") + last), given: []string{team}, want: "PROVEN"},
		"A3 the pool in a later wave": {
			apps: one(metal + balancer + pool("1") + workload("web", "2", "")), given: []string{team}, want: "DEADLOCK",
			chain: []string{"Service team/web waits for an address", "IPAddressPool.metallb.io team/pool is in wave 1"}, cure: "to wave 0",
		},
		"A3 control: pool before":                 {apps: one(metal + pool("-1") + balancer + workload("web", "2", "")), given: []string{team}, want: "PROVEN"},
		"A3 control: the cloud gives one":         {apps: one(balancer + workload("web", "2", "")), given: []string{team, "ability load-balancer-address"}, want: "PROVEN"},
		"A3 nobody gives one":                     {apps: one(balancer + workload("web", "2", "")), given: []string{team}, want: "DEADLOCK", chain: []string{"ability load-balancer-address comes from nobody"}},
		"A4 control: a health script for Ingress": {apps: one(nginx("") + ingress + last), given: []string{team}, want: "PROVEN", settings: map[string]any{"resource.customizations.health.networking.k8s.io_Ingress": `return {status = "Healthy", message = ""}`}},
		"A4 no address is published":              {apps: one(nginx("") + ingress + last), given: []string{team}, want: "DEADLOCK", chain: []string{"Ingress.networking.k8s.io team/web is served by a controller that publishes no address"}},
		"A4 control: published":                   {apps: one(publishing + ingress + last), given: []string{team, "ability load-balancer-address"}, want: "PROVEN"},
		"A4 published, but no address":            {apps: one(publishing + ingress + last), given: []string{team}, want: "DEADLOCK", chain: []string{"Service team/nginx waits for an address"}},
		"A5 a hook uses the main phase's account": {
			apps: one(job("helm:pre-upgrade", "serviceAccountName: storage-sa") + account("0")), given: []string{team}, want: "DEADLOCK",
			chain: []string{"Job.batch team/migrate runs pods under a ServiceAccount", "ServiceAccount team/storage-sa is in wave 0"}, cure: "make ServiceAccount team/storage-sa a PreSync hook",
		},
		"A5 control: a hook before it": {apps: one(job("helm:pre-upgrade", "serviceAccountName: storage-sa") + account("PreSync/-5")), given: []string{team}, want: "PROVEN"},
		"A5 a Secret of the main phase": {
			apps: one(job("PreSync/0", "volumes: [{name: v, secret: {secretName: s}}]") + object("Secret", "s", "0", "")), given: []string{team}, want: "DEADLOCK", chain: []string{"Secret team/s is in wave 0"},
		},
		"A5 a ConfigMap of the main phase": {
			apps: one(job("PreSync/0", "volumes: [{name: v, configMap: {name: s}}]") + object("ConfigMap", "s", "0", "")), given: []string{team}, want: "DEADLOCK", chain: []string{"ConfigMap team/s is in wave 0"},
		},
		"A5 a claim of the main phase": {
			apps: one(class("Immediate") + job("PreSync/0", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]") + claim("0")), given: []string{team}, want: "DEADLOCK", chain: []string{"Job.batch team/migrate runs pods that mount a claim", "PersistentVolumeClaim team/data is in wave 0"},
		},
		"A5 control: a Helm test is never applied": {apps: one(job("helm:test", "serviceAccountName: nobody") + last), given: []string{team}, want: "PROVEN"},
		"A9 a hook in a namespace of the same app": {apps: one(object("Namespace", "team", "-100", "") + job("PreSync/0", "") + last), want: "PROVEN"},
		"A10 a namespace that nobody makes":        {apps: []string{"- app CreateNamespace=true\n" + "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: monitoring}}"}, want: "FAILS", chain: []string{"namespace monitoring comes from nobody"}},
		"A10 control: the destination":             {apps: []string{"- app CreateNamespace=true\n" + workload("web", "0", "")}, want: "PROVEN"},
		"A10 control: another one's, before":       {apps: []string{"0 first\n" + object("Namespace", "team", "0", ""), "1 web\n" + workload("web", "0", "")}, want: "PROVEN"},
		"A10 another one's, beside":                {apps: []string{"0 first\n" + object("Namespace", "team", "0", ""), "0 web\n" + workload("web", "0", "")}, want: "RETRY"},
	})
}

// TestApplications states group B: waves of child Applications.
func TestApplications(t *testing.T) {
	crds := "-2 crds\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced")
	apps := "0 apps\n" + object("Widget", "w", "0", "")
	runScenarios(t, map[string]scenario{
		"B1 waves of Applications without health": {apps: []string{crds, apps}, given: []string{team}, noHealth: true, want: "RETRY", each: []string{"apps RETRY", "root PROVEN"}},
		"B1 control: with health":                 {apps: []string{crds, apps}, given: []string{team}, want: "PROVEN"},
		"a child that nobody syncs":               {apps: []string{"0 a manual\n" + workload("a", "0", ""), "1 b\n" + workload("b", "0", "")}, given: []string{team}, want: "DEADLOCK", chain: []string{"is not synced by anybody"}},
		"B2 a script that calls a child without health Healthy": {
			apps: []string{crds, apps}, given: []string{team}, noHealth: true, settings: early(`if obj.status == nil or obj.status.health == nil or obj.status.health.status == nil then return {status = "Healthy", message = ""} end`), want: "RETRY",
			notes: []string{"argocd/crds gates nothing: its health script in argocd-cm calls Healthy an Application that has no health yet"},
		},
		"B2 a script that calls a missing child Healthy": {
			apps: []string{crds, apps}, given: []string{team}, noHealth: true, settings: early(`if obj.status ~= nil and obj.status.health ~= nil and obj.status.health.status == "Missing" then return {status = "Healthy", message = ""} end`), want: "RETRY",
			notes: []string{"calls Healthy an Application that is Missing"},
		},
		"B2 control: neither": {apps: []string{crds, apps}, given: []string{team}, noHealth: true, settings: early(""), want: "PROVEN", silent: []string{"gates nothing"}},
		"B2 a script that never says Healthy": {
			apps: []string{crds, apps}, given: []string{team}, noHealth: true, settings: map[string]any{argocd.ApplicationHealthKey: `return {status = "Progressing", message = ""}`}, want: "DEADLOCK",
			chain: []string{"has a health script in argocd-cm that never calls Healthy what is Synced and Healthy"},
		},
		"B2 a script that asks for an operation of what was there before": {
			apps: []string{"0 cni\n" + object("Namespace", "team", "0", "") + object("DaemonSet", "cni", "0", "spec: {template: {spec: {hostNetwork: true, containers: [], volumes: [{name: v, hostPath: {path: /etc/cni/net.d}}]}}}"), "1 web\n" + workload("web", "0", "")}, noHealth: true,
			settings: map[string]any{argocd.ApplicationHealthKey: `if obj.status ~= nil and obj.status.operationState ~= nil and obj.status.operationState.phase == "Succeeded" and obj.status.health ~= nil then return {status = obj.status.health.status, message = ""} end
return {status = "Progressing", message = ""}`}, want: "DEADLOCK", chain: []string{"never calls Healthy what was there before its first sync"},
		},
		"attempts that nobody counts": {
			apps: []string{crds, "-2 apps noretry\n" + object("Widget", "w", "0", "")}, given: []string{team}, want: "UNKNOWN",
			chain: []string{"Application.argoproj.io argocd/apps states no retry limit", "kind Widget.example.com may not be served yet"}, axiom: "attempts apps", cure: "state retry.limit -1 in Application apps",
		},
		"attempts that suffice, as stated": {apps: []string{crds, "-2 apps noretry\n" + object("Widget", "w", "0", "")}, given: []string{team, "attempts apps"}, want: "RETRY"},
		"attempts that suffice for all":    {apps: []string{crds, "-2 apps noretry\n" + object("Widget", "w", "0", "")}, given: []string{team, "attempts *"}, want: "RETRY"},
		"a retry policy without limit":     {apps: []string{crds, "-2 apps backoff\n" + object("Widget", "w", "0", "")}, given: []string{team}, want: "FAILS", chain: []string{"has used up its attempts (limit 0)"}, cure: "state retry.limit -1 in Application apps"},
		"no attempt left":                  {apps: []string{crds, "-2 apps limit=0\n" + object("Widget", "w", "0", "")}, given: []string{team}, want: "FAILS", chain: []string{"has used up its attempts"}},
	})
}

// early is a health script for Applications that hands their own health on, after something else.
func early(before string) map[string]any {
	return map[string]any{argocd.DefinitionHealthKey: argocd.DefinitionHealth(), argocd.ApplicationHealthKey: before + `
if obj.status ~= nil and obj.status.health ~= nil and obj.status.health.status ~= nil then return {status = obj.status.health.status, message = ""} end
return {status = "Progressing", message = ""}`}
}

// TestKinds states group C: kinds and their CRDs. C4, an object that a chart leaves out because it does not know an API, is told where
// charts are rendered: what is left out is not among the objects that a proof looks at.
func TestKinds(t *testing.T) {
	crds := func(wave string) string {
		return wave + " istio-base\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced")
	}
	config := func(wave, options string) string {
		return wave + " argocd-config " + options + "\n" + object("Widget", "w", "0", "")
	}
	large := "metadata: {name: large, annotations: {pad: " + pad(300_000) + "}}"
	runScenarios(t, map[string]scenario{
		"C1 the CRD's Application comes later":     {apps: []string{config("0", ""), crds("1")}, given: []string{team}, want: "DEADLOCK", chain: []string{"Widget.example.com team/w is of a kind", "istio-base, in wave 1 of root"}, cure: "move Application istio-base to wave -1 of root, before Application argocd-config"},
		"C1 both run freely":                       {apps: []string{config("-", ""), crds("-")}, given: []string{team}, want: "RETRY"},
		"C1 the look skipped, and still later":     {apps: []string{config("0", "SkipDryRunOnMissingResource=true"), crds("1")}, given: []string{team}, want: "DEADLOCK"},
		"C1 control: the CRD's Application before": {apps: []string{crds("0"), config("1", "")}, given: []string{team}, want: "PROVEN"},
		"C1 nobody brings the kind":                {apps: []string{config("0", "")}, given: []string{team}, want: "FAILS", chain: []string{"kind Widget.example.com comes from nobody"}},
		"C1 control: CRD later, same Application":  {apps: []string{"- a\n" + definition("5", "example.com", "Widget", "widgets", "Namespaced") + object("Widget", "w", "0", "")}, given: []string{team}, want: "PROVEN"},
		"C3 a large CRD":                           {apps: []string{"- a\n{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, " + large + "}"}, want: "FAILS", chain: []string{"large is larger than a client-side apply can store"}, cure: "add ServerSideApply=true"},
		"C3 control: applied on the server":        {apps: []string{"- a ServerSideApply=true\n{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, " + large + "}"}, want: "PROVEN"},
		"2.14 overlooks the Application's option":  {apps: []string{"- a SkipDryRunOnMissingResource=true\n" + cilium("0") + object("CiliumLoadBalancerIPPool", "p", "0", "")}, given: []string{team}, version: "2.14", want: "DEADLOCK"},
	})
}

// TestAdmission states group D: webhooks and stores.
func TestAdmission(t *testing.T) {
	widgets := definition("-5", "example.com", "Widget", "widgets", "Namespaced")
	hook := func(wave string) string {
		return object("ValidatingWebhookConfiguration", "guard", wave, "webhooks: [{name: g, failurePolicy: Fail, clientConfig: {caBundle: Y2E=, service: {namespace: team, name: guard}}, rules: [{apiGroups: [example.com], resources: [widgets], operations: [CREATE]}]}]") +
			object("Service", "guard", wave, "spec: {selector: {app: guard}}")
	}
	// two plurals in one rule
	secrets := object("ClusterRole", "eso", "-1", "rules: [{apiGroups: [external-secrets.io], resources: [clustersecretstores/status, externalsecrets/status], verbs: [update]}]") +
		object("ServiceAccount", "eso", "-1", "") + workload("eso", "-1", "serviceAccountName: eso") +
		object("ClusterRoleBinding", "eso", "-1", "roleRef: {kind: ClusterRole, name: eso}, subjects: [{kind: ServiceAccount, name: eso, namespace: team}]") +
		definition("-5", "external-secrets.io", "ExternalSecret", "externalsecrets", "Namespaced") + definition("-5", "external-secrets.io", "ClusterSecretStore", "clustersecretstores", "Cluster")
	external := func(wave string) string {
		return object("ExternalSecret", "db", wave, "spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}, target: {name: db}}")
	}
	store := func(wave, provider string) string {
		return object("ClusterSecretStore", "vault", wave, "spec: {provider: {"+provider+"}}")
	}
	consumer := workload("web", "2", "volumes: [{name: v, secret: {secretName: db}}]")
	one := func(objects string) []string { return []string{"- app\n" + objects} }
	runScenarios(t, map[string]scenario{
		"D1 same Application, same wave":   {apps: one(widgets + hook("0") + workload("guard", "0", "") + object("Widget", "w", "0", "")), given: []string{team}, want: "RETRY"},
		"D1 control: a later wave":         {apps: one(widgets + hook("0") + workload("guard", "0", "") + object("Widget", "w", "1", "")), given: []string{team}, want: "PROVEN"},
		"D1 an earlier wave than its pods": {apps: one(widgets + hook("0") + workload("guard", "2", "") + object("Widget", "w", "1", "")), given: []string{team}, want: "DEADLOCK", chain: []string{"Widget.example.com team/w must be admitted by the webhook guard", "Deployment.apps team/guard is in wave 2"}},
		"D1 control: it fails open":        {apps: one(widgets + object("ValidatingWebhookConfiguration", "g", "0", "webhooks: [{failurePolicy: Ignore, clientConfig: {service: {namespace: team, name: g}}, rules: [{apiGroups: ['*'], resources: ['*'], operations: ['*']}]}]") + object("Widget", "w", "1", "")), given: []string{team}, want: "PROVEN"},
		"D1 WARN: a CA that is written a moment later": {
			apps: one(widgets + object("ValidatingWebhookConfiguration", "guard", "0", "webhooks: [{name: g, failurePolicy: Fail, clientConfig: {service: {namespace: team, name: guard}}, rules: [{apiGroups: [example.com], resources: [widgets], operations: [CREATE]}]}]") +
				service("guard", "0") + workload("guard", "0", "") + injector("ca", "0") + object("Widget", "w", "1", "")), given: []string{team}, want: "PROVEN", notes: []string{"Widget.example.com team/w may be refused for a moment"},
		},
		"D2 the store in a later wave":      {apps: one(secrets + external("0") + store("1", "vault: {}") + consumer), given: []string{team}, want: "DEADLOCK", chain: []string{"ExternalSecret.external-secrets.io team/db reads from a store", "ClusterSecretStore.external-secrets.io vault is in wave 1"}, cure: "move ExternalSecret.external-secrets.io team/db to wave 2, after ClusterSecretStore.external-secrets.io vault"},
		"D2 control: the store before":      {apps: one(secrets + external("1") + store("0", "vault: {}") + consumer), given: []string{team}, want: "PROVEN"},
		"D2 the same wave":                  {apps: one(secrets + external("0") + store("0", "vault: {}") + consumer), given: []string{team}, want: "RETRY"},
		"D2 a store that nobody defines":    {apps: one(secrets + external("0") + consumer), given: []string{team}, want: "FAILS", chain: []string{"ClusterSecretStore.external-secrets.io vault comes from nobody"}},
		"D2 a store that logs in by itself": {apps: one(secrets + external("1") + store("0", "vault: {auth: {tokenSecretRef: {name: db, key: t, namespace: team}}}") + consumer), given: []string{team}, want: "DEADLOCK", chain: []string{"ClusterSecretStore.external-secrets.io vault logs in with a Secret", "ExternalSecret.external-secrets.io team/db"}},
	})
}
