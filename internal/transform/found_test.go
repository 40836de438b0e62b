package transform

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

func provides(c component.Component, apis ...string) component.Component {
	c.Provides = apis
	return c
}

const (
	lbService    = `{apiVersion: v1, kind: Service, metadata: {name: entry, namespace: kube-system}, spec: {type: LoadBalancer}}`
	pool         = `{apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, metadata: {name: default}}`
	issuerCRD    = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: clusterissuers.cert-manager.io}, spec: {group: cert-manager.io, scope: Cluster, names: {kind: ClusterIssuer}}}`
	certCRD      = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: certificates.cert-manager.io}, spec: {group: cert-manager.io, scope: Namespaced, names: {kind: Certificate}}}`
	clusterIssue = `{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: acme}}`
	certificate  = `{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: tls, namespace: web}, spec: {secretName: web-tls, issuerRef: {kind: ClusterIssuer, name: acme}}}`
	webhook      = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
- name: a
  rules: [{operations: [CREATE], apiGroups: [networking.k8s.io], resources: [ingresses]}]`
	ingress = `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: web}}`
)

func docs(list ...string) string { return strings.Join(list, "\n---\n") }

func TestWavesFromObjects(t *testing.T) {
	tests := map[string]struct {
		components []component.Component
		bundles    []string
		want       map[string]int
		edges      []string
		err        string
	}{
		"certificate after its issuer after the kinds": {
			components: []component.Component{comp("cert-manager"), comp("issuers", "cert-manager"), comp("web", "cert-manager")},
			bundles:    []string{"cert-manager", docs(issuerCRD, certCRD), "issuers", clusterIssue, "web", certificate},
			want:       map[string]int{"cert-manager": 0, "issuers": 1, "web": 2},
			edges: []string{
				"issuers needs cert-manager: declared",
				"issuers needs cert-manager: ClusterIssuer.cert-manager.io acme is of a kind that a CustomResourceDefinition brings (CustomResourceDefinition.apiextensions.k8s.io clusterissuers.cert-manager.io)",
				"web needs cert-manager: declared",
				"web needs cert-manager: Certificate.cert-manager.io web/tls is of a kind that a CustomResourceDefinition brings (CustomResourceDefinition.apiextensions.k8s.io certificates.cert-manager.io)",
				"web needs issuers: Certificate.cert-manager.io web/tls is issued by an issuer (ClusterIssuer.cert-manager.io acme)",
			},
		},
		"a kind of a component that is not declared": {
			components: []component.Component{comp("cert-manager"), comp("more"), comp("web")},
			bundles:    []string{"cert-manager", docs(issuerCRD, certCRD), "more", clusterIssue, "web", certificate},
			err: "lab.yaml:3:5: components.more.needs: ClusterIssuer.cert-manager.io acme is of a kind that cert-manager brings; add `needs: [cert-manager]`, so that its templates see that API\n" +
				"lab.yaml:3:5: components.web.needs: Certificate.cert-manager.io web/tls is of a kind that cert-manager brings; add `needs: [cert-manager]`, so that its templates see that API",
		},
		"a kind through a declared need's need": {
			components: []component.Component{comp("a"), comp("b", "a"), comp("c", "b")},
			bundles:    []string{"a", issuerCRD, "c", clusterIssue},
			want:       map[string]int{"a": 0, "b": 1, "c": 2},
			edges: []string{
				"b needs a: declared",
				"c needs a: ClusterIssuer.cert-manager.io acme is of a kind that a CustomResourceDefinition brings (CustomResourceDefinition.apiextensions.k8s.io clusterissuers.cert-manager.io)",
				"c needs b: declared",
			},
		},
		"Service and pool share a wave": {
			components: []component.Component{provides(comp("cilium"), "cilium.io/v2", "cilium.io/v2/CiliumLoadBalancerIPPool"), with(comp("cilium-config", "cilium"), "cilium")},
			bundles:    []string{"cilium", lbService, "cilium-config", pool},
			want:       map[string]int{"cilium": 0, "cilium-config": 0},
			edges: []string{
				"cilium needs cilium-config: Service kube-system/entry waits for an address (CiliumLoadBalancerIPPool.cilium.io default)",
				"cilium-config needs cilium: declared",
				"cilium-config needs cilium: CiliumLoadBalancerIPPool.cilium.io default is of a kind that an operator of cilium registers",
			},
		},
		"Service and pool in a circle": {
			components: []component.Component{provides(comp("cilium"), "cilium.io/v2/CiliumLoadBalancerIPPool"), comp("pools", "cilium")},
			bundles:    []string{"cilium", lbService, "pools", pool},
			err: "ordering components: cilium ▸ pools ▸ cilium wait for each other; take a need away, move the object that makes it into a component of its own, or set one `wave:` by hand on all of them, so that they start together:\n" +
				"  cilium needs pools: Service kube-system/entry waits for an address (CiliumLoadBalancerIPPool.cilium.io default)\n" +
				"  pools needs cilium: declared\n" +
				"  pools needs cilium: CiliumLoadBalancerIPPool.cilium.io default is of a kind that an operator of cilium registers",
		},
		"the circle opened by hand": {
			components: []component.Component{inWave(provides(comp("cilium"), "cilium.io/v2/CiliumLoadBalancerIPPool"), 2), inWave(comp("pools", "cilium"), 2)},
			bundles:    []string{"cilium", lbService, "pools", pool},
			want:       map[string]int{"cilium": 2, "pools": 2},
			edges: []string{
				"cilium needs pools: Service kube-system/entry waits for an address (CiliumLoadBalancerIPPool.cilium.io default)",
				"pools needs cilium: declared",
				"pools needs cilium: CiliumLoadBalancerIPPool.cilium.io default is of a kind that an operator of cilium registers",
			},
		},
		"after the webhook that must admit it": {
			bundles: []string{"a", ingress, "nginx", docs(webhook, `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: own, namespace: nginx}}`)},
			want:    map[string]int{"a": 1, "nginx": 0},
			edges:   []string{"a needs nginx: Ingress.networking.k8s.io web/web must be admitted by a webhook that fails closed (ValidatingWebhookConfiguration.admissionregistration.k8s.io guard)"},
		},
		"a webhook that fails open, and a Helm test, order nothing": {
			bundles: []string{
				"a", ingress, "nginx", webhook + "\n  failurePolicy: Ignore",
				"z", `{apiVersion: v1, kind: Pod, metadata: {name: test, namespace: z, annotations: {helm.sh/hook: test}}, spec: {serviceAccountName: s}}`,
				"zz", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: s, namespace: z}}`,
			},
			want: map[string]int{"a": 0, "nginx": 0, "z": 0, "zz": 1},
			edges: []string{
				"zz needs z: ServiceAccount z/s lives in a namespace that z makes (Namespace z)",
			},
		},
		"what it has itself, or nobody has, orders nothing": {
			bundles: []string{"a", docs(`{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: kube-system}, spec: {serviceAccountName: s, priorityClassName: gone}}`,
				`{apiVersion: v1, kind: ServiceAccount, metadata: {name: s, namespace: kube-system}}`)},
			want: map[string]int{"a": 0},
		},
		"what it has itself needs nobody else's": {
			bundles: []string{"a", docs(lbService, pool), "b", `{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p, namespace: kube-system}}`},
			want:    map[string]int{"a": 0, "b": 0},
		},
		"a namespace that a component brings": {
			bundles: []string{"a", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: team}}`, "tenants", `{apiVersion: v1, kind: Namespace, metadata: {name: team}}`},
			want:    map[string]int{"a": 1, "tenants": 0},
			edges:   []string{"a needs tenants: ConfigMap team/c lives in a namespace (Namespace team)"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := bundles(t, tt.bundles...)
			if tt.components == nil {
				tt.components = componentsOf(in)
			}
			order, err := Waves(lab, tt.components, in)
			diff(t, "error", tt.err, text(err))
			if d := cmp.Diff(tt.want, order.Waves); d != "" {
				t.Errorf("waves (-want +got):\n%s", d)
			}
			var edges []string
			for _, e := range order.Edges {
				edges = append(edges, e.String())
			}
			if d := cmp.Diff(tt.edges, edges); d != "" {
				t.Errorf("edges (-want +got):\n%s", d)
			}
		})
	}
}

func TestSkipDryRuns(t *testing.T) {
	marked := "argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true"
	runtime := provides(comp("cilium"), "cilium.io/v2/CiliumLoadBalancerIPPool")
	tests := map[string]struct {
		components []component.Component
		bundles    []string
		want       bool
	}{
		"kind made at run time in the same wave": {[]component.Component{runtime, with(comp("x", "cilium"), "cilium")}, []string{"x", pool}, true},
		"kind made at run time by itself":        {[]component.Component{runtime}, []string{"cilium", pool}, true},
		"kind made at run time a wave before":    {[]component.Component{runtime, comp("x", "cilium")}, []string{"x", pool}, false},
		"CRD in the same wave":                   {[]component.Component{comp("a"), with(comp("x"), "a")}, []string{"a", issuerCRD, "x", clusterIssue}, true},
		"CRD of its own":                         {[]component.Component{comp("x")}, []string{"x", docs(issuerCRD, clusterIssue)}, false},
		"kind that nobody brings":                {[]component.Component{comp("x")}, []string{"x", clusterIssue}, false},
		"built-in kind":                          {[]component.Component{comp("x")}, []string{"x", ingress}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := bundles(t, tt.bundles...)
			order, err := Waves(lab, tt.components, in)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(emit(t, SkipDryRuns(tt.components, order, in)), marked); got != tt.want {
				t.Errorf("marked: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestUnrelatedComponentMovesNoWave adds components that nobody needs and that need nobody.
func TestUnrelatedComponentMovesNoWave(t *testing.T) {
	in := bundles(t, "cert-manager", docs(issuerCRD, certCRD), "issuers", clusterIssue, "web", certificate)
	components := []component.Component{comp("cert-manager"), comp("issuers", "cert-manager"), comp("web", "cert-manager")}
	before, err := Waves(lab, components, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"aaa", "mmm", "zzz"} {
		more := append([]manifest.Bundle{{Name: name, Objects: objects(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: other}}`)}}, in...)
		after, err := Waves(lab, append([]component.Component{comp(name)}, components...), more)
		if err != nil {
			t.Fatal(err)
		}
		delete(after.Waves, name)
		if d := cmp.Diff(before.Waves, after.Waves); d != "" {
			t.Errorf("with %s (-before +after):\n%s", name, d)
		}
	}
}
