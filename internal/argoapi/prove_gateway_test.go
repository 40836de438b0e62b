package argoapi_test

import "testing"

const gatewayAPI = "gateway.networking.k8s.io"

// gatewayWorld is a controller of Gateway API with a class c, its kinds, and objects.
func gatewayWorld(controller, objects string) []string {
	kinds := ""
	for kind, plural := range map[string]string{"Gateway": "gateways", "HTTPRoute": "httproutes"} {
		kinds += definition("-5", gatewayAPI, kind, plural, "Namespaced")
	}
	kinds += definition("-5", gatewayAPI, "GatewayClass", "gatewayclasses", "Cluster") +
		"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: referencegrants." + gatewayAPI + ", annotations: {argocd.argoproj.io/sync-wave: '-5'}}, spec: {group: " + gatewayAPI +
		", names: {kind: ReferenceGrant, plural: referencegrants}, scope: Namespaced, versions: [{name: v1beta1, served: true, storage: true}]}}\n---\n"
	return []string{"- app\n" + kinds + operator("gw", "-1", gatewayAPI, "gateways/status, httproutes") +
		object("GatewayClass", "c", "-1", "spec: {controllerName: "+controller+"}") + objects + object("ConfigMap", "last", "9", "")}
}

const envoy = "gateway.envoyproxy.io/gatewayclass-controller"

// TestGatewayAddress states which Gateways wait for an address of a Service that their controller makes.
func TestGatewayAddress(t *testing.T) {
	gateway := func(fields string) string {
		return object("Gateway", "g", "0", "spec: {gatewayClassName: c, listeners: [{name: a, port: 80, protocol: HTTP}]"+more2(fields)+"}")
	}
	proxy := func(service string) string {
		return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: envoyproxies.gateway.envoyproxy.io, annotations: {argocd.argoproj.io/sync-wave: '-5'}}, spec: {group: gateway.envoyproxy.io, " +
			"names: {kind: EnvoyProxy, plural: envoyproxies}, scope: Namespaced, versions: [{name: v1alpha1, served: true, storage: true}]}}\n---\n" +
			"{apiVersion: gateway.envoyproxy.io/v1alpha1, kind: EnvoyProxy, metadata: {name: p, namespace: team}, spec: {provider: {kubernetes: {envoyService: {" + service + "}}}}}\n---\n"
	}
	const parameters = "infrastructure: {parametersRef: {group: gateway.envoyproxy.io, kind: EnvoyProxy, name: p}}"
	const waits = "gets a Service of its own from its controller, which waits for an address"
	address := []string{team, "ability load-balancer-address"}
	runScenarios(t, map[string]scenario{
		"Envoy Gateway, nobody gives any":       {apps: gatewayWorld(envoy, gateway("")), given: []string{team}, want: "DEADLOCK", chain: []string{"Gateway." + gatewayAPI + " team/g " + waits, "ability load-balancer-address comes from nobody"}},
		"Envoy Gateway, somebody does":          {apps: gatewayWorld(envoy, gateway("")), given: address, want: "PROVEN"},
		"Envoy Gateway, a Service inside":       {apps: gatewayWorld(envoy, proxy("type: ClusterIP")+gateway(parameters)), given: []string{team}, want: "PROVEN"},
		"Envoy Gateway, a class of balancers":   {apps: gatewayWorld(envoy, proxy("loadBalancerClass: example.com/lb")+gateway(parameters)), given: address, want: "UNKNOWN", axiom: "ability load-balancer-address of class example.com/lb"},
		"Envoy Gateway, parameters not here":    {apps: gatewayWorld(envoy, gateway(parameters)), given: []string{team}, want: "UNKNOWN", axiom: "ability gateway-address"},
		"Istio":                                 {apps: gatewayWorld("istio.io/gateway-controller", gateway("")), given: []string{team}, want: "DEADLOCK", chain: []string{waits}},
		"Cilium":                                {apps: gatewayWorld("io.cilium/gateway-controller", gateway("")), given: []string{team}, want: "DEADLOCK", chain: []string{waits}},
		"Cilium, in the network of the nodes":   {apps: gatewayWorld("io.cilium/gateway-controller", object("ConfigMap", "cilium-config", "-1", "data: {gateway-api-hostnetwork-enabled: 'true'}")+gateway("")), given: []string{team}, want: "PROVEN"},
		"Traefik shows what it has":             {apps: gatewayWorld("traefik.io/gateway-controller", gateway("")), given: []string{team}, want: "PROVEN"},
		"one that nobody knows":                 {apps: gatewayWorld("example.com/mine", gateway("")), given: []string{team}, want: "UNKNOWN", axiom: "ability gateway-address"},
		"one that nobody knows, and addresses":  {apps: gatewayWorld("example.com/mine", gateway("")), given: address, want: "PROVEN"},
		"one that nobody knows, and it is said": {apps: gatewayWorld("example.com/mine", gateway("")), given: []string{team, "ability gateway-address"}, want: "PROVEN"},
		"before 3.1 nothing waits":              {apps: gatewayWorld(envoy, gateway("")), given: []string{team}, version: "2.14", want: "PROVEN"},
	})
}

// TestGatewayClasses states who makes GatewayClasses that are not among the objects.
func TestGatewayClasses(t *testing.T) {
	gateway := object("Gateway", "g", "0", "spec: {gatewayClassName: istio, listeners: [{name: a, port: 80, protocol: HTTP}]}")
	istiod := object("Deployment", "istiod", "-1", "spec: {template: {spec: {containers: [{name: discovery, image: 'docker.io/istio/pilot:1.27.0', args: [discovery]}]}}}")
	may := object("ClusterRole", "classes", "-1", "rules: [{apiGroups: ["+gatewayAPI+"], resources: [gatewayclasses], verbs: [create]}]") +
		object("ClusterRoleBinding", "classes", "-1", "roleRef: {kind: ClusterRole, name: classes}, subjects: [{kind: ServiceAccount, name: gw, namespace: team}]")
	given := []string{team, "ability load-balancer-address"}
	runScenarios(t, map[string]scenario{
		"nobody":               {apps: gatewayWorld(envoy, gateway), given: given, want: "DEADLOCK", chain: []string{"GatewayClass." + gatewayAPI + " istio comes from nobody"}},
		"istiod":               {apps: gatewayWorld(envoy, istiod+gateway), given: given, want: "PROVEN"},
		"somebody who may":     {apps: gatewayWorld(envoy, may+gateway), given: given, want: "UNKNOWN", axiom: "GatewayClass." + gatewayAPI + " istio"},
		"istiod, no addresses": {apps: gatewayWorld(envoy, istiod+gateway), given: []string{team}, want: "DEADLOCK", chain: []string{"waits for an address"}},
	})
}

// TestGatewayReferences states what a Gateway and a route refer to, and who must allow it: without it they are Degraded.
func TestGatewayReferences(t *testing.T) {
	listener := func(more string) string {
		return object("Gateway", "g", "0", "spec: {gatewayClassName: c, listeners: [{name: web, port: 443, protocol: HTTPS"+more2(more)+"}]}")
	}
	certificate := func(ref string) string { return listener("tls: {certificateRefs: [{name: tls" + ref + "}]}") }
	secret := func(namespace, wave string) string {
		return "{apiVersion: v1, kind: Secret, metadata: {name: tls, namespace: " + namespace + ", annotations: {argocd.argoproj.io/sync-wave: '" + wave + "'}}}\n---\n"
	}
	grant := func(from, to string) string {
		return "{apiVersion: " + gatewayAPI + "/v1beta1, kind: ReferenceGrant, metadata: {name: r, namespace: other, annotations: {argocd.argoproj.io/sync-wave: '-1'}}, spec: {from: [{group: " + gatewayAPI + ", kind: " + from + ", namespace: team}], to: [{group: '', kind: " + to + "}]}}\n---\n"
	}
	route := func(parent, fields string) string {
		return object("HTTPRoute", "r", "1", "spec: {parentRefs: [{name: g"+more2(parent)+"}]"+more2(fields)+"}")
	}
	from := func(namespace, fields string) string {
		return "{apiVersion: " + gatewayAPI + "/v1, kind: HTTPRoute, metadata: {name: r, namespace: " + namespace + ", annotations: {argocd.argoproj.io/sync-wave: '1'}}, spec: {parentRefs: [{name: g, namespace: team}]" + more2(fields) + "}}\n---\n"
	}
	labelled := func(label string) string {
		return "{apiVersion: v1, kind: Namespace, metadata: {name: far, labels: {tier: " + label + "}, annotations: {argocd.argoproj.io/sync-wave: '-5'}}}\n---\n"
	}
	allowed := func(namespaces string) string { return listener("allowedRoutes: {namespaces: {" + namespaces + "}}") }
	backend := func(namespace, ports string) string {
		return "{apiVersion: v1, kind: Service, metadata: {name: b, namespace: " + namespace + ", annotations: {argocd.argoproj.io/sync-wave: '-1'}}, spec: {ports: [{port: " + ports + "}]}}\n---\n"
	}
	to := func(ref string) string { return "rules: [{backendRefs: [{name: b, port: 80" + more2(ref) + "}]}]" }
	const selector = "from: Selector, selector: {matchLabels: {tier: web}}"
	tests := map[string]scenario{
		"a certificate that is there":              {apps: gatewayWorld(envoy, secret("team", "-1")+certificate("")), want: "PROVEN"},
		"a certificate that nobody makes":          {apps: gatewayWorld(envoy, certificate("")), want: "UNKNOWN", axiom: "Secret team/tls"},
		"a certificate of a later wave":            {apps: gatewayWorld(envoy, secret("team", "1")+certificate("")), want: "DEADLOCK", chain: []string{"shows a certificate of a Secret", "Secret team/tls is in wave 1"}},
		"a certificate elsewhere, allowed":         {apps: gatewayWorld(envoy, grant("Gateway", "Secret")+secret("other", "-1")+certificate(", namespace: other")), want: "PROVEN"},
		"a certificate elsewhere, allowed another": {apps: gatewayWorld(envoy, grant("HTTPRoute", "Secret")+secret("other", "-1")+certificate(", namespace: other")), want: "FAILS", chain: []string{"refers to Secret other/tls, which a ReferenceGrant of that namespace must allow"}},
		"a certificate elsewhere":                  {apps: gatewayWorld(envoy, secret("other", "-1")+certificate(", namespace: other")), want: "FAILS"},
		"TLS that is passed through":               {apps: gatewayWorld(envoy, listener("tls: {mode: Passthrough, certificateRefs: [{name: tls}]}")), want: "PROVEN"},
		"ports that are none": {
			apps: gatewayWorld(envoy, object("Gateway", "g", "0", "spec: {gatewayClassName: c, listeners: [{name: web, port: {a: b}, protocol: HTTP}]}")+backend("team", "{a: b}")+route("port: {a: b}", "rules: [{backendRefs: [{name: b, port: {a: b}}]}]")), want: "FAILS",
		},
		"a route beside":                           {apps: gatewayWorld(envoy, listener("")+route("", "")), want: "PROVEN"},
		"a route whose Gateway nobody makes":       {apps: gatewayWorld(envoy, route("", "")), want: "DEADLOCK", chain: []string{"Gateway." + gatewayAPI + " team/g comes from nobody"}},
		"a route from elsewhere":                   {apps: gatewayWorld(envoy, listener("")+from("other", "")), want: "FAILS", chain: []string{"takes routes of its own namespace alone at its listener web"}},
		"a route from elsewhere, all":              {apps: gatewayWorld(envoy, allowed("from: All")+from("other", "")), want: "PROVEN"},
		"a route from elsewhere, none":             {apps: gatewayWorld(envoy, allowed("from: None")+from("other", "")), want: "FAILS"},
		"a route from elsewhere, its label":        {apps: gatewayWorld(envoy, labelled("web")+allowed(selector)+from("far", "")), want: "PROVEN"},
		"a route from elsewhere, another label":    {apps: gatewayWorld(envoy, labelled("db")+allowed(selector)+from("far", "")), want: "FAILS"},
		"a route from elsewhere, labels not known": {apps: gatewayWorld(envoy, allowed(selector)+from("other", "")), want: "UNKNOWN", axiom: "accepted HTTPRoute other/r"},
		"a route of another kind":                  {apps: gatewayWorld(envoy, listener("allowedRoutes: {kinds: [{kind: GRPCRoute}]}")+route("", "")), want: "FAILS", chain: []string{"takes no HTTPRoute"}},
		"a listener by name":                       {apps: gatewayWorld(envoy, listener("")+route("sectionName: web", "")), want: "PROVEN"},
		"a listener that is not there":             {apps: gatewayWorld(envoy, listener("")+route("sectionName: other", "")), want: "FAILS", chain: []string{"has no listener other"}},
		"a listener by port":                       {apps: gatewayWorld(envoy, listener("")+route("port: 80", "")), want: "FAILS"},
		"a hostname of the listener":               {apps: gatewayWorld(envoy, listener("hostname: '*.example.com'")+route("", "hostnames: [a.example.com]")), want: "PROVEN"},
		"a hostname of another":                    {apps: gatewayWorld(envoy, listener("hostname: '*.example.com'")+route("", "hostnames: [a.example.org]")), want: "FAILS", chain: []string{"serves none of its hostnames"}},
		"a backend beside":                         {apps: gatewayWorld(envoy, backend("team", "80")+listener("")+route("", to(""))), want: "PROVEN"},
		"a backend without the port":               {apps: gatewayWorld(envoy, backend("team", "81")+listener("")+route("", to(""))), want: "FAILS", chain: []string{"leads to a port of Service team/b which that does not have"}},
		"a backend without the port, nobody says":  {apps: gatewayWorld("io.cilium/gateway-controller", backend("team", "81")+listener("")+route("", to(""))), want: "UNKNOWN", axiom: "accepted HTTPRoute team/r"},
		"a backend elsewhere":                      {apps: gatewayWorld(envoy, backend("other", "80")+listener("")+route("", to("namespace: other"))), want: "FAILS", chain: []string{"refers to Service other/b, which a ReferenceGrant"}},
		"a backend elsewhere, allowed":             {apps: gatewayWorld(envoy, grant("HTTPRoute", "Service")+backend("other", "80")+listener("")+route("", to("namespace: other"))), want: "PROVEN"},
		"cert-manager makes the certificate":       {apps: gatewayWorld(envoy, "{apiVersion: "+gatewayAPI+"/v1, kind: Gateway, metadata: {name: g, namespace: team, annotations: {cert-manager.io/cluster-issuer: ca}}, spec: {gatewayClassName: c, listeners: [{name: web, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: tls}]}}]}}\n---\n"), want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team, "ability load-balancer-address", "namespace other", "ClusterIssuer.cert-manager.io ca", "controller Certificate.cert-manager.io")
		tests[name] = s
	}
	runScenarios(t, tests)
}
