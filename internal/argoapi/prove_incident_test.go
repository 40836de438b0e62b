package argoapi_test

import "testing"

// cilium is the chart of incident 1 in little: its operator registers the pool's kind when it runs.
func cilium(wave string) string {
	return operator("cilium-operator", wave, "cilium.io", "ciliumloadbalancerippools") +
		object("ClusterRole", "registers", wave, "rules: [{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [ciliumloadbalancerippools.cilium.io], verbs: [update]}]") +
		object("ClusterRoleBinding", "registers", wave, "roleRef: {kind: ClusterRole, name: registers}, subjects: [{kind: ServiceAccount, name: cilium-operator, namespace: team}]") +
		object("Service", "cilium-ingress", wave, "spec: {type: LoadBalancer}")
}

const team = "namespace team"

// TestIncident states the four shapes of incident 1 (facts of the sync engine: multi-step syncs wait, Applications need health).
func TestIncident(t *testing.T) {
	pool := object("CiliumLoadBalancerIPPool", "default", "0", "spec: {blocks: [{cidr: 10.0.0.0/30}]}")
	runScenarios(t, map[string]scenario{
		"the pool's Application in a later wave": {
			apps: []string{"0 cilium\n" + cilium("0"), "1 cilium-config\n" + pool}, given: []string{team},
			want: "DEADLOCK", each: []string{"root DEADLOCK", "cilium-config DEADLOCK"},
			chain: []string{"Service team/cilium-ingress waits for an address", "CiliumLoadBalancerIPPool.cilium.io default is in Application cilium-config, in wave 1 of root, which is not reached"},
			cure:  "move Application cilium-config to wave 0 of root",
		},
		"the same without health of Applications": {
			apps: []string{"0 cilium\n" + cilium("0"), "1 cilium-config\n" + pool}, given: []string{team}, noHealth: true,
			want: "RETRY", each: []string{"root PROVEN", "cilium-config RETRY"},
		},
		"one Application, the pool in wave 1": {
			apps: []string{"- cilium SkipDryRunOnMissingResource=true\n" + cilium("0") + object("CiliumLoadBalancerIPPool", "default", "1", "")}, given: []string{team},
			want: "DEADLOCK", chain: []string{"Service team/cilium-ingress waits for an address", "CiliumLoadBalancerIPPool.cilium.io default is in wave 1 of cilium, which is not reached"},
			cure: "move Service team/cilium-ingress to wave 2, after CiliumLoadBalancerIPPool.cilium.io default",
		},
		"one Application, one wave": {
			apps: []string{"- cilium\n" + cilium("0") + pool}, given: []string{team},
			want: "DEADLOCK", chain: []string{"CiliumLoadBalancerIPPool.cilium.io default is of a kind", "Deployment.apps team/cilium-operator is in wave 0 of cilium, which is not reached"}, cure: "add SkipDryRunOnMissingResource=true",
		},
		"one Application, one wave, the dry run skipped": {
			apps: []string{"- cilium SkipDryRunOnMissingResource=true\n" + cilium("0") + pool}, given: []string{team}, want: "RETRY",
		},
		"the cure: both in one wave": {
			apps:  []string{"0 cilium\n" + cilium("0"), "0 cilium-config SkipDryRunOnMissingResource=true\n" + pool, "1 web\n" + workload("web", "0", "")},
			given: []string{team}, want: "RETRY", each: []string{"cilium PROVEN", "cilium-config RETRY", "web PROVEN", "root PROVEN"},
		},
		"an address that others give": {
			apps:  []string{"0 cilium\n" + cilium("0"), "1 web\n" + workload("web", "0", "")},
			given: []string{team, "ability load-balancer-address"}, want: "PROVEN",
		},
	})
}

// TestBootstrap states what must run before Argo CD does.
func TestBootstrap(t *testing.T) {
	argo := func(secret string) string {
		return "- argo-cd\n" + object("Namespace", "team", "0", "") +
			object("StatefulSet", "argocd-application-controller", "0", "spec: {template: {spec: {containers: [{name: c, image: i, args: [argocd-application-controller], envFrom: [{secretRef: {name: "+secret+"}}]}]}}}")
	}
	sealed := "0 secrets\n" + object("Secret", "login", "0", "")
	runScenarios(t, map[string]scenario{
		"Argo CD needs what it brings itself": {
			apps: []string{argo("login"), sealed}, want: "DEADLOCK",
			chain: []string{"StatefulSet.apps team/argocd-application-controller must run before Argo CD", "Secret team/login is in Application secrets"},
		},
		"Argo CD needs what a person makes": {apps: []string{argo("byhand"), sealed}, want: "UNKNOWN", axiom: "Secret team/byhand"},
		"control: it is given":              {apps: []string{argo("byhand"), sealed}, given: []string{"Secret team/byhand"}, want: "PROVEN"},
	})
}
