package generators

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/environment"
)

func TestMistakes(t *testing.T) {
	noFacts := func(env *environment.Environment) { env.Facts = environment.Facts{} }
	tests := map[string]struct {
		env       *environment.Environment
		component string
		want      string
	}{
		"cilium without nodes": {
			lab(noFacts), "cilium",
			"lab.yaml:1:1: facts.nodes: missing: it decides how many operators of cilium can be scheduled, and which nodes announce addresses; " +
				"state it in this file, or in a site that this file names",
		},
		"cilium without a front proxy": {
			lab(func(env *environment.Environment) { env.Facts.FrontProxy = nil }), "cilium",
			"lab.yaml:1:1: facts.frontProxy: missing: it decides whether the ingress of cilium expects a PROXY header; a wrong answer resets every TLS handshake; " +
				"state it in this file, or in a site that this file names",
		},
		"an ingress without addresses": {
			lab(values("cilium", "{ingressController: {enabled: true}}"), func(env *environment.Environment) { env.Facts.LoadBalancer = nil }), "cilium",
			"lab.yaml:1:1: facts.loadBalancer: missing: it decides which address Service cilium-ingress gets; without one it is pending for ever, and so is all " +
				"that waits for it; state it in this file, or in a site that this file names",
		},
		"a gateway without a front proxy": {
			lab(values("cilium", "{gatewayAPI: {enabled: true}, ingressController: {enabled: false}}"), func(env *environment.Environment) { env.Facts.FrontProxy = nil }), "cilium",
			"lab.yaml:1:1: facts.frontProxy: missing: it decides whether the ingress of cilium expects a PROXY header; a wrong answer resets every TLS handshake; " +
				"state it in this file, or in a site that this file names",
		},
		"a flag that repeats the front proxy, even a true one": {
			prod(values("cilium", "{ingressController: {enableProxyProtocol: true}}")), "cilium",
			"fleet.yaml:22:9: components.cilium.values.ingressController.enableProxyProtocol: is decided by facts.frontProxy, a claim about what stands before " +
				"the cluster: where it is false, every TLS handshake is reset; take the line out and state the fact",
		},
		"the gateway's flag": {
			lab(values("cilium", "{gatewayAPI: {enableProxyProtocol: false}}")), "cilium",
			"fleet.yaml:20:5: components.cilium.values.gatewayAPI.enableProxyProtocol: is decided by facts.frontProxy, a claim about what stands before " +
				"the cluster: where it is false, every TLS handshake is reset; take the line out and state the fact",
		},
		"cert-manager without an authority": {
			lab(noFacts), "cert-manager",
			"lab.yaml:1:1: facts.acme: missing: it decides who signs this cluster's certificates, and how it sees that the domain is ours (an own Issuer or " +
				"ClusterIssuer among `objects` says it too); state it in this file, or in a site that this file names",
		},
		"cert-manager without a domain": {
			lab(func(env *environment.Environment) { env.Facts.Domain = "" }), "cert-manager",
			"lab.yaml:1:1: facts.domain: missing: it decides which names the certificates are for; state it in this file, or in a site that this file names",
		},
		"dns01 without a way to the zone": {
			lab(func(env *environment.Environment) { env.Facts.ACME.DNS01 = nil }), "cert-manager",
			"lab.yaml:1:1: facts.acme.dns01: missing: it decides how cert-manager writes the record that proves the domain is ours; " +
				"state it in this file, or in a site that this file names",
		},
		"rebuilt often with a public authority": {
			lab(func(env *environment.Environment) {
				env.Facts.ACME.Server = "https://acme-v02.api.letsencrypt.org/directory"
			}), "cert-manager",
			"lab.yaml:1:1: facts.acme.server: https://acme-v02.api.letsencrypt.org/directory counts certificates for a registered domain, and an environment that is " +
				"rebuilt often spends what production needs; state https://acme-staging-v02.api.letsencrypt.org/directory, or an internal server",
		},
		"a wildcard by http01": {
			lab(func(env *environment.Environment) { env.Facts.ACME.Solver, env.Facts.ACME.DNS01 = "http01", nil }, with("sealed-secrets", func(c *environment.Component) {
				c.Objects = []environment.Added{{Origin: environment.Origin{File: "lab.yaml", Line: 7, Column: 9}, Object: object("cert-manager.io/v1", "Certificate", "x", "all",
					map[string]any{"dnsNames": list("a.lab.example.internal", "*.lab.example.internal"), "issuerRef": map[string]any{"name": "acme"}}).Fields()}}
			})), "cert-manager",
			"lab.yaml:7:9: components.sealed-secrets.objects: Certificate all asks for *.lab.example.internal, which issuer acme cannot have signed: " +
				"facts.acme.solver is http01, and a wildcard is signed by way of DNS only; state dns01, or name each host",
		},
		"external-secrets without Vault": {
			lab(noFacts), "external-secrets",
			"lab.yaml:1:1: facts.vault: missing: it decides where secrets come from, and by which mount and role this cluster alone is known there; " +
				"state it in this file, or in a site that this file names",
		},
		"external-secrets without a mount of its own": {
			lab(func(env *environment.Environment) { env.Facts.Vault.Mount = "" }), "external-secrets",
			"lab.yaml:1:1: facts.vault.mount: missing: it decides by which auth mount this cluster, and no other, is known to Vault; " +
				"state it in this file, or in a site that this file names",
		},
		"argo-cd without a domain": {
			lab(func(env *environment.Environment) { env.Facts.Domain = "" }), "argo-cd",
			"lab.yaml:1:1: facts.domain: missing: it decides the name under which Argo CD of this cluster is reached; " +
				"state it in this file, or in a site that this file names",
		},
		"argo-cd where a hub serves": {
			lab(func(env *environment.Environment) { env.ArgoCD = environment.ArgoCD{In: "hub", Hub: "prod"} }), "argo-cd",
			"fleet.yaml:10:3: components.argo-cd: environment lab is served by a hub (argocd.in), so this one would serve nothing; " +
				"switch the component off there, or state argocd: {in: cluster}",
		},
		"argo-cd in another namespace": {
			lab(with("argo-cd", func(c *environment.Component) { c.Namespace = "cd" })), "argo-cd",
			"fleet.yaml:10:3: components.argo-cd.namespace: is cd, but Applications are written to argocd, where this Argo CD would not look for them; " +
				"state argocd.namespace and this one alike",
		},
		"argo-cd without its hooks": {
			lab(with("argo-cd", func(c *environment.Component) { c.Hooks = "drop" })), "argo-cd",
			"fleet.yaml:10:3: components.argo-cd.hooks: drop would take away the job that makes Secret argocd-redis, without which no pod of Argo CD starts; " +
				"keep the hooks, or set redisSecretInit.enabled: false and bring the Secret yourself",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := build(t, test.env, test.component)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
