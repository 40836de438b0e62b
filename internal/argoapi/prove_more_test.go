package argoapi_test

import "testing"

// TestMore states what groups A to D do not: halted workloads, webhooks of other Applications, projects.
func TestMore(t *testing.T) {
	last := object("ConfigMap", "last", "9", "")
	widgets := "0 crds\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced")
	guard := object("ValidatingWebhookConfiguration", "guard", "0", "webhooks: [{name: g, failurePolicy: Fail, clientConfig: {caBundle: Y2E=, service: {namespace: team, name: guard}}, rules: [{apiGroups: [example.com], resources: [widgets], operations: [CREATE]}]}]") +
		object("Service", "guard", "0", "spec: {selector: {app: guard}}") + workload("guard", "0", "")
	project := object("AppProject", "default", "0", "spec: {clusterResourceWhitelist: [], destinations: [{namespace: team, server: '*'}]}")
	runScenarios(t, map[string]scenario{
		"a suspended Job before a barrier":     {apps: []string{"- app\n" + object("Job", "j", "0", "spec: {suspend: true, template: {spec: {containers: []}}}") + last}, given: []string{team}, want: "DEADLOCK", chain: []string{"Job.batch team/j is suspended"}},
		"a webhook of an Application beside":   {apps: []string{widgets, "1 guard\n" + guard, "1 web\n" + object("Widget", "w", "0", "")}, given: []string{team}, want: "RETRY", each: []string{"guard PROVEN", "web RETRY"}},
		"a webhook of an Application before":   {apps: []string{widgets, "1 guard\n" + guard, "2 web\n" + object("Widget", "w", "0", "")}, given: []string{team}, want: "PROVEN"},
		"a cluster-scoped kind and no mention": {apps: []string{"- projects\n" + project, "- app\n" + object("ClusterRole", "r", "0", "")}, given: []string{team}, want: "FAILS", chain: []string{"AppProject default does not allow"}},
		"an Ingress whose class nobody brings": {apps: []string{"- app\n" + object("Ingress", "web", "0", "spec: {ingressClassName: nginx}") + last}, given: []string{team}, want: "DEADLOCK", chain: []string{"is of class nginx, which no IngressClass here has: it waits for a controller that writes an address into it, such as ingress-nginx"}},
		"an Ingress whose class is misspelt":   {apps: []string{"- app\n" + object("IngressClass", "nginx", "0", "spec: {controller: k8s.io/ingress-nginx}") + object("Ingress", "web", "0", "spec: {ingressClassName: ngnix}") + last}, given: []string{team}, want: "DEADLOCK", chain: []string{"is of class ngnix, which no IngressClass here has (there is nginx): it waits for a controller that writes an address into it"}},
		"an Ingress without a class":           {apps: []string{"- app\n" + object("Ingress", "web", "0", "spec: {}") + last}, given: []string{team}, want: "DEADLOCK", chain: []string{"names no class, and none is the default: it waits"}},
	})
}
