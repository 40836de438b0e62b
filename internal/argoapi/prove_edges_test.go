package argoapi_test

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/coldstart"
)

// TestEdges states cases that stand just beside those of the other tables: each is decided by one condition of a rule that no other
// case looks at.
func TestEdges(t *testing.T) {
	last := object("ConfigMap", "last", "9", "")
	sized := func(name, wave string) string {
		return object("Deployment", name, wave, "spec: {replicas: 2, template: {spec: {containers: [{name: c, image: i}]}}}")
	}
	twoPods := object("ResourceQuota", "q", "0", "spec: {hard: {pods: '3'}}")
	class := "{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx, annotations: {ingressclass.kubernetes.io/is-default-class: 'true', argocd.argoproj.io/sync-wave: '-1'}}, spec: {controller: example.com/mine}}\n---\n"
	maker := func(group string) []string {
		return []string{
			"- a\n" + operator("op", "0", group, "none") +
				object("ClusterRole", "makes", "0", "rules: [{apiGroups: ['"+group+"'], resources: [namespaces], verbs: [create]}]") +
				object("ClusterRoleBinding", "makes", "0", "roleRef: {kind: ClusterRole, name: makes}, subjects: [{kind: ServiceAccount, name: op, namespace: team}]"),
			"- b\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: other}}",
		}
	}
	widgets := definition("-5", "example.com", "Widget", "widgets", "Namespaced") + operator("op", "-1", "example.com", "widgets")
	registers := func(kind string) string {
		return "{apiVersion: v1, kind: " + kind + ", metadata: {name: far, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: '1'}, labels: {argocd.argoproj.io/secret-type: cluster}}, stringData: {name: far, server: 'https://far'}}\n---\n"
	}
	istio := func(kind string) []string {
		return []string{"- a\n" + workload("istiod", "0", "") + "{apiVersion: admissionregistration.k8s.io/v1, kind: " + kind +
			", metadata: {name: i, labels: {istio.io/rev: default}}, webhooks: [{name: a.istio.io, failurePolicy: Ignore, clientConfig: {url: 'https://out.example.com'}}]}"}
	}
	asks := func(container string) []string {
		return []string{
			"0 proxy\n" + object("Deployment", "proxy", "0", "spec: {template: {spec: {containers: [{name: c, image: i, "+container+"}]}}}"),
			"1 id\n" + object("Ingress", "front", "0", "spec: {rules: [{host: id.example.com}]}"),
		}
	}
	guarded := func(selector string) []string {
		return []string{
			"- a\n" + object("Service", "guard", "0", "spec: {"+selector+"}") + workload("guard", "0", ""),
			"- b\n" + closed("guard", "0", "", "example.com", "widgets", "") + definition("0", "example.com", "Widget", "widgets", "Namespaced"), "- c\n" + object("Widget", "w", "0", ""),
		}
	}
	runScenarios(t, map[string]scenario{
		"two workloads, each within a quota":        {apps: []string{"- a\n" + twoPods + sized("api", "0") + last}, given: []string{team}, want: "PROVEN"},
		"and both of them not":                      {apps: []string{"- a\n" + twoPods + sized("api", "0") + sized("web", "1") + last}, given: []string{team}, want: "DEADLOCK", chain: []string{"Deployment.apps team/web runs pods for which the ResourceQuota q has no pods left (3)"}},
		"a class that is not the default":           {apps: []string{"- a\n" + class + object("Ingress", "web", "0", "spec: {ingressClassName: other}") + last}, given: []string{team, "IngressClass.networking.k8s.io nginx"}, want: "DEADLOCK", chain: []string{"is of class other, which no IngressClass here has (there is nginx)"}},
		"the default, which nobody names":           {apps: []string{"- a\n" + class + object("Ingress", "web", "0", "") + last}, given: []string{team}, want: "DEADLOCK", chain: []string{"waits for a controller that writes an address into it"}},
		"who makes namespaces":                      {apps: maker(""), given: []string{team}, want: "UNKNOWN", axiom: "namespace other"},
		"who makes namespaces of another group":     {apps: maker("example.com"), given: []string{team}, want: "FAILS"},
		"suspended is a word of others, too":        {apps: []string{"- a\n" + widgets + object("Widget", "w", "0", "spec: {suspend: true}") + last}, given: []string{team}, want: "PROVEN"},
		"a Job that is suspended":                   {apps: []string{"- a\n" + object("Job", "j", "0", "spec: {suspend: true, template: {spec: {containers: []}}}") + last}, given: []string{team}, want: "DEADLOCK", chain: []string{"is suspended"}},
		"paused is a word of Deployments":           {apps: []string{"- a\n" + object("StatefulSet", "s", "0", "spec: {paused: true, template: {spec: {containers: []}}}") + last}, given: []string{team}, want: "PROVEN"},
		"a cluster that a Secret registers":         {root: registers("Secret"), apps: []string{"0 a server=https://far\n" + last}, given: []string{team}, want: "DEADLOCK"},
		"a ConfigMap of that label registers none":  {root: registers("ConfigMap"), apps: []string{"0 a server=https://far\n" + last}, given: []string{team, "cluster https://far"}, want: "PROVEN"},
		"Argo CD's own namespace is there":          {apps: []string{"- a\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: argocd}}"}, want: "PROVEN"},
		"but not on other clusters":                 {apps: []string{"- a server=https://far\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: argocd}}"}, want: "FAILS"},
		"istiod closes its validating webhook":      {apps: istio("ValidatingWebhookConfiguration"), given: []string{team}, want: "UNHEALTHY"},
		"and leaves its mutating one":               {apps: istio("MutatingWebhookConfiguration"), given: []string{team}, want: "PROVEN"},
		"an identity provider, by a variable":       {apps: asks("env: [{name: OAUTH2_PROXY_OIDC_ISSUER_URL, value: 'https://id.example.com/realm'}]"), given: []string{team, "ability ingress-address"}, want: "DEADLOCK", chain: []string{"runs pods that ask https://id.example.com/realm who may come in"}},
		"control: another variable":                 {apps: asks("env: [{name: HOME_URL, value: 'https://id.example.com/realm'}]"), given: []string{team, "ability ingress-address"}, want: "PROVEN"},
		"a Service that selects its workload":       {apps: guarded("selector: {app: guard}"), given: []string{team}, want: "RETRY"},
		"a Service without selector finds nobody":   {apps: guarded("ports: []"), given: []string{team}, want: "UNKNOWN", axiom: "endpoints team/guard"},
		"a dropped version, where no look is taken": {apps: []string{"- a SkipDryRunOnMissingResource=true\n{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: x, namespace: team}}"}, given: []string{team}, want: "FAILS", chain: []string{"write policy/v1"}},
	})
}

// TestCureIsSmallest: of two changes that cure the printed one is that which changes less.
func TestCureIsSmallest(t *testing.T) {
	for _, s := range []scenario{{apps: []string{"0 web\n" + workload("web", "0", "serviceAccountName: web"), "1 account\n" + object("ServiceAccount", "web", "0", "")}, given: []string{team}}} {
		proof := coldstart.Prove(s.input(t))
		for _, o := range proof.Outcomes {
			if strings.Contains(o.Cure, "retry.limit") || o.Application == "web" && !strings.Contains(o.Cure, "to wave 0") {
				t.Errorf("%s: cure %q", o.Application, o.Cure)
			}
		}
	}
}
