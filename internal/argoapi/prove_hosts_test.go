package argoapi_test

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/coldstart"
)

// TestOwnHosts states that a host which the environment serves itself is no given, whatever is stated, unless a bootstrap source is.
func TestOwnHosts(t *testing.T) {
	stores := operator("eso", "-1", "external-secrets.io", "clustersecretstores") + definition("-5", "external-secrets.io", "ClusterSecretStore", "clustersecretstores", "Cluster")
	storeAt := func(server string) string {
		return "0 store\n" + stores + object("ClusterSecretStore", "vault", "0", "spec: {provider: {vault: {server: '"+server+"'}}}")
	}
	store := storeAt("https://vault.example.com")
	ingress := func(host string) string {
		return object("Ingress", "vault", "0", "spec: {rules: [{host: '"+host+"'}]}")
	}
	kinds := definition("-5", "gateway.networking.k8s.io", "Gateway", "gateways", "Namespaced") + definition("-5", "gateway.networking.k8s.io", "HTTPRoute", "httproutes", "Namespaced") + operator("gw", "-1", "gateway.networking.k8s.io", "httproutes")
	gateway := kinds + object("Gateway", "g", "0", "spec: {gatewayClassName: x, listeners: [{name: a, hostname: vault.example.com}]}") + object("HTTPRoute", "r", "0", "spec: {parentRefs: [{name: g}]}")
	route := definition("-5", "traefik.io", "IngressRoute", "ingressroutes", "Namespaced") + "{apiVersion: traefik.io/v1alpha1, kind: IngressRoute, metadata: {name: r, namespace: team}, spec: {routes: [{match: 'Host(`a.example.com`, `vault.example.com`) && PathPrefix(`/v1`)'}]}}\n---\n"
	metal := operator("controller", "-1", "metallb.io", "ipaddresspools") + definition("-5", "metallb.io", "IPAddressPool", "ipaddresspools", "Namespaced")
	pool := metal + object("IPAddressPool", "pool", "0", "spec: {addresses: [10.0.0.10-10.0.0.20]}") + object("Service", "vault", "0", "spec: {type: LoadBalancer}")
	web := "1 web\n" + workload("web", "0", "")
	outside := []string{team, "reachable vault.example.com", "reachable 10.0.0.15", "ability ingress-address", "controller HTTPRoute.gateway.networking.k8s.io", "controller Gateway.gateway.networking.k8s.io", "GatewayClass.gateway.networking.k8s.io x"}
	source := append([]string{"bootstrap-source vault.example.com"}, outside...)
	late := func(app string) []string { return []string{store, "1 vault\n" + app} }
	chain := func(last string) []string {
		return []string{"ClusterSecretStore.external-secrets.io vault reads from https://vault.example.com", last}
	}
	runScenarios(t, map[string]scenario{
		"control: outside":              {apps: []string{store, web}, given: outside, want: "PROVEN"},
		"nobody says so":                {apps: []string{store, web}, given: []string{team}, want: "UNKNOWN", axiom: "reachable vault.example.com"},
		"behind an Ingress":             {apps: late(ingress("vault.example.com")), given: outside, want: "DEADLOCK", chain: chain("Ingress.networking.k8s.io team/vault is in Application vault")},
		"control: behind one before":    {apps: []string{"0 vault\n" + ingress("vault.example.com"), "1" + store[1:]}, given: outside, want: "PROVEN"},
		"control: a bootstrap source":   {apps: late(ingress("vault.example.com")), given: source, want: "PROVEN"},
		"behind a Gateway's listener":   {apps: late(gateway), given: outside, want: "DEADLOCK", chain: chain("HTTPRoute.gateway.networking.k8s.io team/r is in Application vault")},
		"behind a Traefik route":        {apps: late(route), given: outside, want: "DEADLOCK", chain: chain("IngressRoute.traefik.io team/r is in Application vault")},
		"under a name of external-dns":  {apps: late("{apiVersion: v1, kind: Service, metadata: {name: v, namespace: team, annotations: {external-dns.alpha.kubernetes.io/hostname: vault.example.com}}, spec: {type: LoadBalancer}}"), given: outside, want: "DEADLOCK", chain: chain("Service team/v is in Application vault")},
		"at an address of its own pool": {apps: []string{storeAt("https://10.0.0.15:8200"), "1 vault\n" + pool}, given: outside, want: "DEADLOCK", chain: []string{"reads from https://10.0.0.15:8200", "Service team/vault is in Application vault"}},
		"control: at another address":   {apps: []string{storeAt("https://10.0.0.21:8200"), "1 vault\n" + pool}, given: []string{team, "reachable 10.0.0.21"}, want: "PROVEN"},
		"at an address that it asks for": {
			apps:  []string{storeAt("https://10.9.9.9"), "1 vault\n{apiVersion: v1, kind: Service, metadata: {name: v, namespace: team, annotations: {lbipam.cilium.io/ips: 10.9.9.9}}, spec: {type: LoadBalancer}}"},
			given: []string{team, "reachable 10.9.9.9", "ability load-balancer-address"}, want: "DEADLOCK", chain: []string{"reads from https://10.9.9.9", "Service team/v is in Application vault"},
		},
		"under a Service's name":              {apps: []string{storeAt("http://vault.team.svc.cluster.local:8200"), "1 vault\n" + service("vault", "0") + workload("vault", "0", "")}, given: outside, want: "DEADLOCK", chain: []string{"reads from http://vault.team.svc", "Deployment.apps team/vault is in Application vault"}},
		"under a Service's short name":        {apps: []string{storeAt("http://vault.team:8200"), "1 vault\n" + service("vault", "0") + workload("vault", "0", "")}, given: outside, want: "DEADLOCK", chain: []string{"Deployment.apps team/vault is in Application vault"}},
		"control: below a wildcard, stated":   {apps: late(ingress("*.example.com")), given: outside, want: "PROVEN"},
		"below a wildcard, and nobody states": {apps: late(ingress("*.example.com")), given: []string{team, "ability ingress-address"}, want: "DEADLOCK", chain: chain("Ingress.networking.k8s.io team/vault is in Application vault")},
	})
}

// TestOwnServices states the circles of what a cluster start asks: git, a registry, a mirror, a name server, who signs, who lets in.
func TestOwnServices(t *testing.T) {
	serves := func(host string) string {
		return object("Ingress", "front", "0", "spec: {rules: [{host: "+host+", http: {paths: [{backend: {service: {name: server}}}]}}]}") + service("server", "0") + workload("server", "0", "")
	}
	certKinds := definition("-5", "cert-manager.io", "ClusterIssuer", "clusterissuers", "Cluster") + operator("cm", "-1", "cert-manager.io", "clusterissuers")
	acme := certKinds + "{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: own}, spec: {acme: {server: 'https://ca.example.com/acme'}}}\n---\n"
	imageFrom := func(registry string) string {
		return object("Deployment", "web", "0", "spec: {template: {spec: {containers: [{name: c, image: "+registry+"/team/web:1}]}}}")
	}
	proxy := object("Deployment", "proxy", "0", "spec: {template: {spec: {containers: [{name: c, image: i, args: ['--oidc-issuer-url=https://id.example.com/realm']}]}}}")
	given := func(more ...string) []string { return append([]string{team, "ability ingress-address"}, more...) }
	git := "https://git.example.com/platform/fleet.git"
	argo := "- argo-cd\n" + object("Namespace", "team", "0", "") + object("StatefulSet", "argocd-application-controller", "0", "spec: {template: {spec: {containers: [{name: c, image: i, args: [argocd-application-controller]}]}}}")
	runScenarios(t, map[string]scenario{
		"git behind its own Ingress": {
			apps: []string{"0 git\n" + serves("git.example.com"), "1 web\n" + workload("web", "0", "")}, repo: git, given: given("reachable git.example.com"), want: "DEADLOCK", each: []string{"root DEADLOCK", "web DEADLOCK", "git DEADLOCK"},
			chain: []string{"is read from https://git.example.com/platform/fleet.git, which this environment serves itself", "Ingress.networking.k8s.io team/front is in"},
		},
		"git over ssh":               {apps: []string{"- git\n" + serves("git.example.com")}, repo: "git@git.example.com:platform/fleet.git", given: given("reachable git.example.com"), want: "DEADLOCK"},
		"git under a Service's name": {apps: []string{"- git\n" + service("git", "0") + workload("git", "0", "")}, repo: "http://git.team.svc/fleet.git", given: given(), want: "DEADLOCK", chain: []string{"is read from http://git.team.svc/fleet.git", "Deployment.apps team/git"}},
		"control: git in the cluster, with another source": {apps: []string{"- git\n" + service("git", "0") + workload("git", "0", "")}, repo: "http://git.team.svc/fleet.git", given: given("bootstrap-source git.team.svc"), want: "PROVEN"},
		"control: git with another source":                 {apps: []string{"0 git\n" + serves("git.example.com"), "1 web\n" + workload("web", "0", "")}, repo: git, given: given("bootstrap-source git.example.com"), want: "PROVEN"},
		"control: git elsewhere":                           {apps: []string{"0 git\n" + serves("other.example.com")}, repo: git, given: given(), want: "PROVEN"},
		"control: git that a person applies":               {apps: []string{argo + serves("git.example.com"), "0 web\n" + workload("web", "0", "")}, repo: git, given: given(), want: "PROVEN"},
		"a registry behind its own Ingress":                {apps: []string{"0 web\n" + imageFrom("registry.example.com"), "1 registry\n" + serves("registry.example.com")}, given: given("reachable registry.example.com"), want: "DEADLOCK", chain: []string{"Deployment.apps team/web runs pods whose image comes from registry.example.com", "Ingress.networking.k8s.io team/front is in Application registry"}},
		"control: a registry elsewhere":                    {apps: []string{"0 web\n" + imageFrom("registry.example.org"), "1 registry\n" + serves("registry.example.com")}, given: given(), want: "PROVEN"},
		"a mirror that runs inside": {
			apps: []string{"0 mirror\n" + serves("mirror.example.com") + object("ConfigMap", "last", "1", "")}, hosts: []string{"mirror.example.com"}, given: given("reachable mirror.example.com"), want: "DEADLOCK",
			chain: []string{"Deployment.apps team/server runs pods whose images come through the mirror mirror.example.com", "Deployment.apps team/server is what waits"},
		},
		"control: a mirror outside":             {apps: []string{"0 web\n" + serves("web.example.com")}, hosts: []string{"mirror.example.com"}, given: given(), want: "PROVEN"},
		"a name server at its own address":      {apps: []string{"0 dns\n{apiVersion: v1, kind: Service, metadata: {name: dns, namespace: team, annotations: {metallb.io/loadBalancerIPs: 10.0.0.53}}, spec: {type: LoadBalancer}}\n---\n" + workload("dns", "0", "") + object("ConfigMap", "last", "1", "")}, hosts: []string{"10.0.0.53"}, given: given("reachable 10.0.0.53"), want: "DEADLOCK"},
		"who signs is behind its own Ingress":   {apps: []string{"0 issuer\n" + acme, "1 ca\n" + serves("ca.example.com")}, given: given("reachable ca.example.com"), want: "DEADLOCK", chain: []string{"is registered with https://ca.example.com/acme", "team/front is in Application ca"}},
		"who lets in is behind its own Ingress": {apps: []string{"0 proxy\n" + proxy, "1 id\n" + serves("id.example.com")}, given: given(), want: "DEADLOCK", chain: []string{"Deployment.apps team/proxy runs pods that ask https://id.example.com/realm who may come in", "team/front is in Application id"}},
	})
}

// TestExpired states that what is taken for granted until a day counts until that day.
func TestExpired(t *testing.T) {
	until := func(day string) []coldstart.Given {
		return []coldstart.Given{{Fact: "ability load-balancer-address", Reason: "the cloud gives addresses", Owner: "network", Expires: day}}
	}
	apps := []string{"- app\n" + object("Service", "web", "0", "spec: {type: LoadBalancer}") + object("ConfigMap", "last", "1", "")}
	runScenarios(t, map[string]scenario{
		"no day":          {apps: apps, given: []string{team}, stated: until(""), today: "2026-11-30", want: "PROVEN"},
		"the day itself":  {apps: apps, given: []string{team}, stated: until("2026-11-30"), today: "2026-11-30", want: "PROVEN"},
		"the day after":   {apps: apps, given: []string{team}, stated: until("2026-11-29"), today: "2026-11-30", want: "DEADLOCK", chain: []string{"ability load-balancer-address comes from nobody; it was taken for granted until 2026-11-29, which is past"}},
		"no day is today": {apps: apps, given: []string{team}, stated: until("2020-01-01"), want: "PROVEN"},
	})
	in := scenario{apps: apps, given: []string{team}, stated: until("2026-11-29"), today: "2026-11-30"}.input(t)
	if proof := coldstart.Prove(in); len(proof.Expired) != 1 || proof.Expired[0].Fact != "ability load-balancer-address" {
		t.Errorf("expired: %v", proof.Expired)
	}
}
