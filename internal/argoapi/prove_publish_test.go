package argoapi_test

import "testing"

// TestPublishers states which controllers write an address into an Ingress, by what they are and by what they are told; of others it is
// not known (argo-cd#14607, argo-cd#1704).
func TestPublishers(t *testing.T) {
	fleet := func(controller, container string) []string {
		return []string{"- app\n" + object("IngressClass", "c", "-1", "spec: {controller: "+controller+"}") +
			object("ServiceAccount", "ic", "-1", "") + object("Service", "ic", "-1", "spec: {type: LoadBalancer}") +
			object("Deployment", "ic", "-1", "spec: {template: {spec: {serviceAccountName: ic, "+container+"}}}") +
			object("ClusterRole", "ic", "-1", "rules: [{apiGroups: [networking.k8s.io], resources: [ingresses/status], verbs: [update]}]") +
			object("ClusterRoleBinding", "ic", "-1", "roleRef: {kind: ClusterRole, name: ic}, subjects: [{kind: ServiceAccount, name: ic, namespace: team}]") +
			object("Ingress", "web", "0", "spec: {ingressClassName: c}") + object("ConfigMap", "last", "9", "")}
	}
	args := func(words string) string { return "containers: [{name: c, image: i, args: [" + words + "]}]" }
	env := func(name, value string) string {
		return "containers: [{name: c, image: i, env: [{name: " + name + ", value: " + value + "}]}]"
	}
	tests := map[string]scenario{
		"a balancer of AWS":                 {apps: fleet("ingress.k8s.aws/alb", args("--ingress-class=alb")), want: "PROVEN"},
		"Tailscale":                         {apps: fleet("tailscale.com/ts-ingress", args("")), want: "PROVEN"},
		"Contour, an address":               {apps: fleet("projectcontour.io/ingress-controller", args("serve, --ingress-status-address=1.2.3.4")), want: "PROVEN"},
		"Contour, nothing said":             {apps: fleet("projectcontour.io/ingress-controller", args("serve")), want: "UNKNOWN", axiom: "ability ingress-address"},
		"Kong, a variable":                  {apps: fleet("ingress-controllers.konghq.com/kong", env("CONTROLLER_PUBLISH_SERVICE", "team/ic")), want: "PROVEN"},
		"Kong, a Service that is not there": {apps: fleet("ingress-controllers.konghq.com/kong", env("CONTROLLER_PUBLISH_SERVICE", "team/other")), want: "DEADLOCK", chain: []string{"gets the address of a Service", "address team/other comes from nobody"}},
		"nginx.org, a name":                 {apps: fleet("nginx.org/ingress-controller", args("-report-ingress-status, -external-service=ic")), want: "PROVEN"},
		"nginx.org, another name":           {apps: fleet("nginx.org/ingress-controller", args("-report-ingress-status, -external-service=other")), want: "DEADLOCK"},
		"one that nobody knows":             {apps: fleet("example.com/mine", args("")), want: "UNKNOWN", axiom: "ability ingress-address", chain: []string{"is served by the controller example.com/mine, of which it is not known"}},
		"ingress-nginx, two words":          {apps: fleet("k8s.io/ingress-nginx", args("/nginx, --publish-service, team/ic")), want: "PROVEN"},
		"ingress-nginx, its own namespace":  {apps: fleet("k8s.io/ingress-nginx", args("--publish-service=$(POD_NAMESPACE)/ic")), want: "PROVEN"},
		"ingress-nginx, in a shell's line":  {apps: fleet("k8s.io/ingress-nginx", args("-c, '/nginx --publish-service=team/ic --v=2'")), want: "PROVEN"},
		"ingress-nginx, another Service":    {apps: fleet("k8s.io/ingress-nginx", args("/nginx, --publish-service, team/other")), want: "DEADLOCK"},
		"ingress-nginx, nothing said":       {apps: fleet("k8s.io/ingress-nginx", args("/nginx")), want: "DEADLOCK", chain: []string{"is served by a controller that publishes no address"}},
		"ingress-nginx, on its nodes":       {apps: fleet("k8s.io/ingress-nginx", "hostNetwork: true, "+args("/nginx")), want: "PROVEN"},
		"Traefik, nothing said":             {apps: fleet("traefik.io/ingress-controller", args("--providers.kubernetesingress")), want: "DEADLOCK"},
		"Traefik, a file":                   {apps: fleet("traefik.io/ingress-controller", args("--configFile=/c/traefik.yaml")), want: "UNKNOWN", axiom: "ability ingress-address"},
		"Traefik, a Service":                {apps: fleet("traefik.io/ingress-controller", args("--providers.kubernetesingress.ingressEndpoint.publishedService=team/ic")), want: "PROVEN"},
		"HAProxy, nothing said":             {apps: fleet("haproxy.org/ingress-controller/haproxy", args("")), want: "DEADLOCK"},
		"HAProxy, a Service":                {apps: fleet("haproxy.org/ingress-controller/haproxy", args("--publish-service=team/ic")), want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team, "ability load-balancer-address")
		tests[name] = s
	}
	tests["one that nobody knows, and it is stated"] = scenario{apps: fleet("example.com/mine", args("")), given: []string{team, "ability load-balancer-address", "ability ingress-address"}, want: "PROVEN"}
	tests["a Service without an address"] = scenario{apps: fleet("ingress-controllers.konghq.com/kong", env("CONTROLLER_PUBLISH_SERVICE", "team/ic")), given: []string{team}, want: "DEADLOCK", chain: []string{"Service team/ic waits for an address"}}
	runScenarios(t, tests)
}
