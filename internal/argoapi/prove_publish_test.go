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
		"ingress-nginx, nothing said":       {apps: fleet("k8s.io/ingress-nginx", args("/nginx")), want: "DEADLOCK", chain: []string{"publishes no address (no --publish-service"}},
		"ingress-nginx, switched off":       {apps: fleet("k8s.io/ingress-nginx", args("/nginx, --publish-service=team/ic, --update-status=false")), want: "DEADLOCK", chain: []string{"is served by a controller that publishes no address"}},
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

// TestPublishedServices states which Services have an address that a controller publishes.
func TestPublishedServices(t *testing.T) {
	fleet := func(controller, argument, service string) []string {
		return []string{"- app\n" + object("IngressClass", "c", "-1", "spec: {controller: "+controller+"}") + object("ServiceAccount", "ic", "-1", "") +
			object("Service", "ic", "-1", "spec: {"+service+"}") +
			object("Deployment", "ic", "-1", "spec: {template: {spec: {serviceAccountName: ic, containers: [{name: c, image: i, args: ["+argument+"]}]}}}") +
			object("ClusterRole", "ic", "-1", "rules: [{apiGroups: [networking.k8s.io], resources: [ingresses/status], verbs: [update]}]") +
			object("ClusterRoleBinding", "ic", "-1", "roleRef: {kind: ClusterRole, name: ic}, subjects: [{kind: ServiceAccount, name: ic, namespace: team}]") +
			object("Ingress", "web", "0", "spec: {ingressClassName: c}") + object("ConfigMap", "last", "9", "")}
	}
	const nginx, traefik = "k8s.io/ingress-nginx", "traefik.io/ingress-controller"
	const nginxArgument, traefikArgument = "--publish-service=team/ic", "--providers.kubernetesingress.ingressEndpoint.publishedService=team/ic"
	tests := map[string]scenario{
		"ingress-nginx, ClusterIP":           {apps: fleet(nginx, nginxArgument, "type: ClusterIP"), want: "PROVEN"},
		"ingress-nginx, NodePort":            {apps: fleet(nginx, nginxArgument, "type: NodePort"), want: "PROVEN"},
		"ingress-nginx, a balancer":          {apps: fleet(nginx, nginxArgument, "type: LoadBalancer"), want: "DEADLOCK", chain: []string{"Service team/ic waits for an address"}},
		"Traefik, ClusterIP":                 {apps: fleet(traefik, traefikArgument, "type: ClusterIP"), want: "DEADLOCK", chain: []string{"publishes the address of Service team/ic, which has none outside of the cluster"}},
		"Traefik, no type":                   {apps: fleet(traefik, traefikArgument, "ports: []"), want: "DEADLOCK"},
		"Traefik, ClusterIP seen outside":    {apps: fleet(traefik, traefikArgument, "type: ClusterIP, externalIPs: [192.0.2.1]"), want: "PROVEN"},
		"Traefik, another name":              {apps: fleet(traefik, traefikArgument, "type: ExternalName, externalName: a.example.com"), want: "PROVEN"},
		"Traefik, a balancer that is served": {apps: fleet(traefik, traefikArgument, "type: LoadBalancer"), given: []string{"ability load-balancer-address"}, want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestCiliumsIngress states which Service Cilium's ingress controller shows the address of: the shared one, or one of the Ingress' own.
func TestCiliumsIngress(t *testing.T) {
	fleet := func(class, mode, annotations, pool string) []string {
		config := ""
		if mode != "" {
			config = object("ConfigMap", "cilium-config", "-1", "data: {ingress-default-lb-mode: "+mode+"}")
		}
		return []string{"- app\n" + config + object("IngressClass", class, "-1", "spec: {controller: cilium.io/ingress-controller}") +
			operator("cilium-operator", "-1", "networking.k8s.io", "ingresses") + definition("-3", "cilium.io", "CiliumLoadBalancerIPPool", "ciliumloadbalancerippools", "Cluster") +
			object("Service", "cilium-ingress", "-1", "spec: {type: LoadBalancer}") +
			"{apiVersion: cilium.io/v2alpha1, kind: CiliumLoadBalancerIPPool, metadata: {name: p, annotations: {argocd.argoproj.io/sync-wave: '-2'}}, spec: {blocks: [{cidr: 192.0.2.0/28}], serviceSelector: {" + pool + "}}}\n---\n" +
			"{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '0'" + annotations + "}}, spec: {ingressClassName: " + class + "}}\n---\n" +
			object("ConfigMap", "last", "9", "")}
	}
	shared := "matchLabels: {io.kubernetes.service.name: cilium-ingress}"
	tests := map[string]scenario{
		"shared":                           {apps: fleet("cilium", "shared", "", shared), want: "PROVEN"},
		"one of its own":                   {apps: fleet("cilium", "dedicated", "", ""), want: "PROVEN"},
		"one of its own, and no pool fits": {apps: fleet("cilium", "dedicated", "", shared), want: "DEADLOCK", chain: []string{"gets a Service of its own from Cilium, which waits for an address, and no pool fits"}},
		"its own word for it":              {apps: fleet("cilium", "shared", ", ingress.cilium.io/loadbalancer-mode: dedicated", shared), want: "DEADLOCK"},
		"its own word against it":          {apps: fleet("cilium", "dedicated", ", ingress.cilium.io/loadbalancer-mode: shared", shared), want: "PROVEN"},
		"a port of the nodes":              {apps: fleet("cilium", "dedicated", ", ingress.cilium.io/service-type: NodePort", ""), want: "DEADLOCK", chain: []string{"of type NodePort, which has no address"}},
		"nobody says":                      {apps: fleet("cilium", "", "", shared), want: "PROVEN"},
		"a class of another name":          {apps: fleet("internal", "shared", "", shared), want: "DEADLOCK", chain: []string{"Cilium serves the class cilium alone"}},
	}
	for name, s := range tests {
		s.given = append(s.given, team, "controller CiliumLoadBalancerIPPool.cilium.io")
		tests[name] = s
	}
	runScenarios(t, tests)
}
