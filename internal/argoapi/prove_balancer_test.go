package argoapi_test

import "testing"

// TestBalancers states who gives Services and Ingresses an address besides pools: programs that are known do; of one that may it is
// not known; where nobody of the kind is there, nobody does.
func TestBalancers(t *testing.T) {
	last := object("ConfigMap", "last", "9", "")
	balancer := func(spec string) string {
		return object("Service", "web", "0", "spec: {type: LoadBalancer"+more2(spec)+"}")
	}
	runs := func(wave, image, env string) string {
		return object("ServiceAccount", "lb", wave, "") + object("Deployment", "lb", wave, "spec: {template: {spec: {serviceAccountName: lb, containers: [{name: c, image: '"+image+"', env: ["+env+"]}]}}}")
	}
	may := func(rules string) string {
		return object("ClusterRole", "lb", "-1", "rules: ["+rules+"]") + object("ClusterRoleBinding", "lb", "-1", "roleRef: {kind: ClusterRole, name: lb}, subjects: [{kind: ServiceAccount, name: lb, namespace: team}]")
	}
	const status = "{apiGroups: [''], resources: [services, services/status], verbs: [get, patch]}"
	const hcloud, other = "docker.io/hetznercloud/hcloud-cloud-controller-manager:v1.26.0", "registry.example.com/lb:1"
	ingress := object("Ingress", "web", "0", "spec: {ingressClassName: nginx}")
	class := func(by string) string { return object("IngressClass", "nginx", "-1", "spec: {controller: "+by+"}") }
	chart := "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: helmcharts.helm.cattle.io, annotations: {argocd.argoproj.io/sync-wave: '-5'}}, spec: {group: helm.cattle.io, names: {kind: HelmChart, plural: helmcharts}, " +
		"scope: Namespaced, versions: [{name: v1, served: true, storage: true}]}}\n---\n{apiVersion: helm.cattle.io/v1, kind: HelmChart, metadata: {name: nginx, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '-1'}}, spec: {}}\n---\n"
	const nobody = "ability load-balancer-address comes from nobody"
	tests := map[string]scenario{
		"nobody":                                   {apps: []string{"- a\n" + balancer("") + last}, want: "DEADLOCK", chain: []string{nobody}},
		"a cloud's controller":                     {apps: []string{"- a\n" + runs("-1", hcloud, "") + balancer("") + last}, want: "PROVEN"},
		"a cloud's controller, too late":           {apps: []string{"- a\n" + runs("1", hcloud, "") + balancer("") + last}, want: "DEADLOCK", chain: []string{"Service team/web waits for an address", "Deployment.apps team/lb is in wave 1"}},
		"a cloud's controller, told not to":        {apps: []string{"- a\n" + runs("-1", hcloud, "{name: HCLOUD_LOAD_BALANCERS_ENABLED, value: 'false'}") + balancer("") + last}, want: "DEADLOCK", chain: []string{nobody}},
		"kube-vip":                                 {apps: []string{"- a\n" + runs("-1", "ghcr.io/kube-vip/kube-vip:v1.0.0", "") + balancer("") + last}, want: "UNKNOWN", axiom: "ability load-balancer-address"},
		"one that may write it":                    {apps: []string{"- a\n" + runs("-1", other, "") + may(status) + balancer("") + last}, want: "UNKNOWN", axiom: "ability load-balancer-address"},
		"one that may write Services alone":        {apps: []string{"- a\n" + runs("-1", other, "") + may("{apiGroups: [''], resources: [services], verbs: [update]}") + balancer("") + last}, want: "DEADLOCK"},
		"one that may read it":                     {apps: []string{"- a\n" + runs("-1", other, "") + may("{apiGroups: [''], resources: [services/status], verbs: [get]}") + balancer("") + last}, want: "DEADLOCK"},
		"Cilium's operator, without a pool":        {apps: []string{"- a\n" + runs("-1", other, "") + may(status+", {apiGroups: [cilium.io], resources: [ciliumnodes], verbs: [get]}") + balancer("") + last}, want: "DEADLOCK"},
		"a class that nobody serves":               {apps: []string{"- a\n" + balancer("loadBalancerClass: tailscale") + last}, want: "DEADLOCK", chain: []string{"ability load-balancer-address of class tailscale comes from nobody"}},
		"a class, its program":                     {apps: []string{"- a\n" + runs("-1", "docker.io/tailscale/k8s-operator:v1.90.0", "") + balancer("loadBalancerClass: tailscale") + last}, want: "PROVEN"},
		"a class, one that may write it":           {apps: []string{"- a\n" + runs("-1", other, "") + may(status) + balancer("loadBalancerClass: tailscale") + last}, want: "UNKNOWN"},
		"a class, and a cloud of none":             {apps: []string{"- a\n" + runs("-1", hcloud, "") + balancer("loadBalancerClass: tailscale") + last}, want: "DEADLOCK"},
		"a class, and what a chart installs":       {apps: []string{"- a\n" + chart + balancer("loadBalancerClass: tailscale") + last}, want: "UNKNOWN"},
		"an Ingress and nobody":                    {apps: []string{"- a\n" + ingress + last}, want: "DEADLOCK", chain: []string{"is of class nginx, which no IngressClass here has"}},
		"an Ingress, its class and nobody":         {apps: []string{"- a\n" + class("k8s.io/ingress-nginx") + ingress + last}, want: "DEADLOCK", chain: []string{"waits for a controller that writes an address into it", "controller Ingress.networking.k8s.io comes from nobody"}},
		"an Ingress, a class that a cloud serves":  {apps: []string{"- a\n" + class("eks.amazonaws.com/alb") + ingress + last}, want: "UNKNOWN", axiom: "ability ingress-address"},
		"an Ingress, and what a chart installs":    {apps: []string{"- a\n" + chart + ingress + last}, want: "UNKNOWN", axiom: "ability ingress-address"},
		"an Ingress, and a controller of no class": {apps: []string{"- a\n" + operator("ic", "-1", "networking.k8s.io", "ingresses") + ingress + last}, want: "UNKNOWN", axiom: "ability ingress-address"},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestPoolsAtHome states that MetalLB looks for its pools in its own namespace, or that which it is told, alone.
func TestPoolsAtHome(t *testing.T) {
	fleet := func(namespace, env string) []string {
		return []string{"- a\n" + definition("-4", "metallb.io", "IPAddressPool", "ipaddresspools", "Namespaced") + object("ServiceAccount", "op", "-3", "") +
			object("Deployment", "op", "-3", "spec: {template: {spec: {serviceAccountName: op, containers: [{name: c, image: i, env: ["+env+"]}]}}}") +
			object("ClusterRole", "op", "-3", "rules: [{apiGroups: [metallb.io], resources: [ipaddresspools/status], verbs: [update]}]") +
			object("ClusterRoleBinding", "op", "-3", "roleRef: {kind: ClusterRole, name: op}, subjects: [{kind: ServiceAccount, name: op, namespace: team}]") +
			"{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p, namespace: " + namespace + "}, spec: {addresses: [192.0.2.0/28]}}\n---\n" +
			object("Service", "web", "0", "spec: {type: LoadBalancer}") + object("ConfigMap", "last", "9", "")}
	}
	const its = "{name: METALLB_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}"
	given := []string{team, "namespace other"}
	runScenarios(t, map[string]scenario{
		"its own":              {apps: fleet("team", its), given: given, want: "PROVEN"},
		"nothing said":         {apps: fleet("team", ""), given: given, want: "PROVEN"},
		"another":              {apps: fleet("other", its), given: given, want: "DEADLOCK", chain: []string{"is in namespace other, and MetalLB looks into team alone"}},
		"another, as told":     {apps: fleet("other", "{name: METALLB_NAMESPACE, value: other}"), given: given, want: "PROVEN"},
		"its own, told other":  {apps: fleet("team", "{name: METALLB_NAMESPACE, value: other}"), given: given, want: "DEADLOCK"},
		"another, one besides": {apps: fleet("other", its), given: append([]string{"controller IPAddressPool.metallb.io"}, given...), want: "PROVEN"},
	})
}
