package argoapi_test

import "testing"

// TestLookUp states which policies hold pods back from DNS, and what is never well without it (Kubernetes docs, network policies).
func TestLookUp(t *testing.T) {
	eso := operator("eso", "0", "external-secrets.io", "clustersecretstores") + definition("-1", "external-secrets.io", "ClusterSecretStore", "clustersecretstores", "Cluster")
	store := func(server string) string {
		return object("ClusterSecretStore", "s", "1", "spec: {provider: {vault: {server: '"+server+"'}}}") + object("ConfigMap", "last", "2", "")
	}
	app := func(server, egress string) []string {
		return []string{"- app\n" + eso + store(server) + object("NetworkPolicy", "p", "0", "spec: {podSelector: {}, policyTypes: [Egress], egress: ["+egress+"]}")}
	}
	const vault = "https://vault.example.com"
	const api = "{to: [{ipBlock: {cidr: 10.0.0.0/8}}], ports: [{port: 443}]}"
	to := func(peer, ports string) string { return api + ", {to: [" + peer + "], ports: [" + ports + "]}" }
	system := "{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}}"
	held := []string{"is served by Deployment.apps team/eso, which cannot look up the name of its server: the NetworkPolicy p lets no port 53 out"}
	note := []string{"NetworkPolicy.networking.k8s.io team/p lets no port 53 out to kube-system, and no other policy does: pods of Deployment eso cannot look up names"}
	tests := map[string]scenario{
		"nothing but the API server":   {apps: app(vault, api), want: "UNKNOWN", axiom: "look-up Deployment team/eso", chain: held, notes: note},
		"a cache on each node":         {apps: app(vault, api), given: []string{"look-up Deployment team/eso"}, want: "PROVEN"},
		"an address needs no DNS":      {apps: app("https://10.1.2.3:8200", api), want: "PROVEN", notes: note},
		"DNS":                          {apps: app(vault, to(system, "{port: 53, protocol: UDP}")), want: "PROVEN", silent: []string{"cannot look up"}},
		"another port of it":           {apps: app(vault, to(system, "{port: 443}")), want: "UNKNOWN"},
		"another namespace":            {apps: app(vault, to("{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: web}}}", "{port: 53}")), want: "UNKNOWN"},
		"all namespaces":               {apps: app(vault, to("{namespaceSelector: {}}", "{port: 53}")), want: "PROVEN"},
		"pods of its own":              {apps: app(vault, to("{podSelector: {}}", "{port: 53}")), want: "UNKNOWN"},
		"labels that nobody knows":     {apps: app(vault, to("{namespaceSelector: {matchLabels: {name: kube-system}}}", "{port: 53}")), want: "PROVEN"},
		"by a list":                    {apps: app(vault, to("{namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [web]}]}}", "{port: 53}")), want: "UNKNOWN"},
		"a range of ports":             {apps: app(vault, to(system, "{port: 1, endPort: 1024}")), want: "PROVEN"},
		"a range below":                {apps: app(vault, to(system, "{port: 1, endPort: 52}")), want: "UNKNOWN"},
		"a port by name":               {apps: app(vault, to(system, "{port: dns}")), want: "PROVEN"},
		"what CoreDNS listens on":      {apps: app(vault, to(system, "{port: 5353}")), want: "PROVEN"},
		"every port":                   {apps: app(vault, "{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}"), want: "PROVEN"},
		"port 53 of everybody":         {apps: app(vault, api+", {ports: [{port: 53}]}"), want: "PROVEN"},
		"another policy lets":          {apps: []string{app(vault, api)[0] + object("NetworkPolicy", "q", "0", "spec: {podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: 53}]}]}")}, want: "PROVEN", silent: []string{"cannot look up"}},
		"a policy for others":          {apps: []string{"- app\n" + eso + store(vault) + object("NetworkPolicy", "p", "0", "spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Egress]}")}, want: "PROVEN", silent: []string{"cannot look up"}},
		"a policy about what comes in": {apps: []string{"- app\n" + eso + store(vault) + object("NetworkPolicy", "p", "0", "spec: {podSelector: {}, policyTypes: [Ingress]}")}, want: "PROVEN", silent: []string{"cannot look up"}},
	}
	for name, s := range tests {
		s.given = append(s.given, team, "reachable vault.example.com", "reachable 10.1.2.3")
		tests[name] = s
	}
	runScenarios(t, tests)
}
