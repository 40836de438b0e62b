package generators

import (
	"net/netip"
	"testing"

	"github.com/coldstart-gitops/gen/internal/environment"
)

// Facts in, values and objects out; the wanted YAML stands below, in the order of the cases.
func TestParts(t *testing.T) {
	http01 := func(env *environment.Environment) { env.Facts.ACME.Solver, env.Facts.ACME.DNS01 = "http01", nil }
	noAddresses := func(env *environment.Environment) { env.Facts.LoadBalancer, env.Facts.FrontProxy = nil, nil }
	noACME := func(env *environment.Environment) { env.Facts.ACME = nil }
	tests := map[string]struct {
		env       *environment.Environment
		component string
		want      string
	}{
		"cilium without a proxy before it":            {lab(), "cilium", ciliumLab},
		"cilium behind a balancer with PROXY headers": {prod(), "cilium", ciliumProd},
		"cilium behind a balancer with the first version of them": {prod(func(env *environment.Environment) {
			env.Facts.FrontProxy = &environment.FrontProxy{Protocol: "proxy-v1"}
		}), "cilium", ciliumProd},
		"cilium behind a balancer without them": {prod(func(env *environment.Environment) {
			env.Facts.FrontProxy = &environment.FrontProxy{Protocol: "plain"}
			env.Facts.LoadBalancer.Addresses = lab().Facts.LoadBalancer.Addresses
		}), "cilium", ciliumLab},
		"cilium without addresses has no ingress": {lab(noAddresses), "cilium", ciliumBare},
		"cilium with a gateway for an ingress, and eBPF masquerading": {
			prod(values("cilium", "{ingressController: {enabled: false}, gatewayAPI: {enabled: true}, bpf: {masquerade: true}}")), "cilium", ciliumIngressOff,
		},
		"an old cilium on one node": {lab(version("cilium", "1.17.3"), without("cert-manager"), func(env *environment.Environment) {
			env.Facts.Nodes = []environment.Node{{Name: "only", Role: "controlplane"}}
		}), "cilium", ciliumOneNode},
		"cilium with BGP and both address families": {lab(func(env *environment.Environment) {
			env.Facts.LoadBalancer = &environment.LoadBalancer{
				Addresses: []netip.Prefix{netip.MustParsePrefix("10.10.0.30/32"), netip.MustParsePrefix("fd00:0:0:30::/64")},
				Announce: environment.Announce{BGP: &environment.BGP{ASN: 64512, Peers: []environment.Peer{
					{Address: netip.MustParseAddr("10.10.0.1"), ASN: 64513}, {Address: netip.MustParseAddr("fd00::1"), ASN: 64513},
				}}},
			}
		}), "cilium", ciliumBGP},

		"cert-manager in a namespace of the model's choice": {
			lab(with("cert-manager", func(c *environment.Component) { c.Namespace = "pki" })), "cert-manager", certManagerLab,
		},
		"cert-manager may use a public authority where it is seldom rebuilt": {prod(func(env *environment.Environment) {
			env.Facts.ACME.Server = "https://acme-v02.api.letsencrypt.org/directory"
		}), "cert-manager", certManagerProd},
		"cert-manager by http01: no wildcard": {prod(http01), "cert-manager", certManagerHTTP},
		"cert-manager with an issuer of the model's own": {lab(noACME, with("cert-manager", func(c *environment.Component) {
			c.Objects = []environment.Added{{Object: object("cert-manager.io/v1", "ClusterIssuer", "", "internal", nil).Fields()}}
		})), "cert-manager", certManagerOwn},

		"external-secrets": {lab(), "external-secrets", externalSecretsLab},
		"a newer external-secrets with a role of the fact's": {prod(version("external-secrets", "0.17.0"), func(env *environment.Environment) {
			env.Facts.Vault.Role = "reader"
		}), "external-secrets", externalSecretsProd},

		"argo-cd with the certificate of the domain":  {prod(), "argo-cd", argoCDProd},
		"argo-cd with a certificate of its own":       {lab(http01), "argo-cd", argoCDHTTP},
		"argo-cd is not served in the clear":          {lab(noACME), "argo-cd", argoCDPlain},
		"argo-cd where nothing answers for Ingresses": {lab(without("cilium", "cert-manager")), "argo-cd", argoCDAlone},

		"metrics-server on kubelets that sign for themselves": {lab(), "metrics-server", metricsServerLab},
		"metrics-server with an approver": {lab(func(env *environment.Environment) {
			env.Components = append(env.Components, environment.Component{Name: "kubelet-csr-approver"})
		}), "metrics-server", metricsServerChecked},
		"sealed-secrets": {lab(), "sealed-secrets", sealedSecretsLab},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			parts, err := build(t, test.env, test.component)
			if err != nil {
				t.Fatal(err)
			}
			same(t, test.want, show(t, parts))
		})
	}
}
