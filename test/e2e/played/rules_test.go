package played

import (
	"slices"
	"strings"
	"testing"
)

// TestPublished states what ingress-nginx and Traefik show of a Service, by its type.
func TestPublished(t *testing.T) {
	tests := map[string]struct{ spec, status, nginx, traefik string }{
		"a balancer":               {"type: LoadBalancer, clusterIP: 10.0.0.1", "{loadBalancer: {ingress: [{ip: 192.0.2.1}]}}", "192.0.2.1", "192.0.2.1"},
		"a balancer's name":        {"type: LoadBalancer", "{loadBalancer: {ingress: [{hostname: lb.example.com}]}}", "lb.example.com", "lb.example.com"},
		"a balancer that waits":    {"type: LoadBalancer, clusterIP: 10.0.0.1", "{}", "", ""},
		"of the cluster":           {"type: ClusterIP, clusterIP: 10.0.0.1", "{}", "10.0.0.1", ""},
		"of the cluster, external": {"type: ClusterIP, clusterIP: 10.0.0.1, externalIPs: [192.0.2.9]", "{}", "10.0.0.1", "192.0.2.9"},
		"a port":                   {"type: NodePort, clusterIP: 10.0.0.1", "{}", "10.0.0.1", ""},
		"a port, external":         {"type: NodePort, clusterIP: 10.0.0.1, externalIPs: [192.0.2.9]", "{}", "192.0.2.9", ""},
		"another name":             {"type: ExternalName, externalName: a.example.com", "{}", "a.example.com", "a.example.com"},
	}
	text := func(list []spot) string {
		var words []string
		for _, s := range list {
			words = append(words, s.ip+s.host)
		}
		return strings.Join(words, " ")
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := read(t, "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {"+tt.spec+"}, status: "+tt.status+"}")
			if got := text(nginxAddresses(s)); got != tt.nginx {
				t.Errorf("ingress-nginx shows %q, want %q", got, tt.nginx)
			}
			if got := text(traefikAddresses(s)); got != tt.traefik {
				t.Errorf("Traefik shows %q, want %q", got, tt.traefik)
			}
		})
	}
}

// TestSecretKeys states which keys the Secret of an ExternalSecret has.
func TestSecretKeys(t *testing.T) {
	const data = "data: [{secretKey: a, remoteRef: {key: x}}]"
	for spec, want := range map[string]string{
		data: "a",
		data + ", target: {template: {data: {b: t}}}":                     "b",
		data + ", target: {template: {mergePolicy: Merge, data: {b: t}}}": "a b",
		"dataFrom: [{extract: {key: x}}]":                                 "",
	} {
		keys := secretKeys(read(t, "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: e, namespace: team}, spec: {"+spec+"}}"))
		if slices.Sort(keys); strings.Join(keys, " ") != want {
			t.Errorf("%s: keys %v, want %s", spec, keys, want)
		}
	}
}

// TestStoresOf states which stores an ExternalSecret asks.
func TestStoresOf(t *testing.T) {
	o := read(t, `{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: e, namespace: team}, spec: {secretStoreRef: {name: a},
  data: [{secretKey: k, remoteRef: {key: x}, sourceRef: {storeRef: {name: b, kind: ClusterSecretStore}}}], dataFrom: [{extract: {key: x}}]}}`)
	if got := storesOf(o); !slices.Equal(got, []storeRef{{"SecretStore", "team", "a"}, {"ClusterSecretStore", "", "b"}}) {
		t.Errorf("asks %v", got)
	}
}

// TestPatched states which configurations the patch of a webhook writes into, and how arguments are read.
func TestPatched(t *testing.T) {
	for words, want := range map[string]string{
		"patch --webhook-name=w":                               "ValidatingWebhookConfiguration MutatingWebhookConfiguration",
		"patch --webhook-name=w --patch-mutating=false":        "ValidatingWebhookConfiguration",
		"patch --webhook-name w --patch-validating=false":      "MutatingWebhookConfiguration",
		"patch --apiservice-name=v1.example.com":               "",
		"patch --webhook-name= --apiservice-name=v1.a.com --x": "",
	} {
		if got := strings.Join(patched(strings.Fields(words)), " "); got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
}

// TestDedicated states which Service Cilium's operator makes for an Ingress.
func TestDedicated(t *testing.T) {
	for annotations, want := range map[string]string{
		"{}": "LoadBalancer ",
		"{ingress.cilium.io/loadbalancer-class: io.cilium/l2-announcer}": "LoadBalancer io.cilium/l2-announcer",
		"{ingress.cilium.io/service-type: NodePort}":                     "NodePort ",
	} {
		i := read(t, "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, namespace: team, annotations: "+annotations+"}}")
		spec := dedicated(i, "cilium-ingress-i", nil).Object["spec"].(map[string]any)
		class, _ := spec["loadBalancerClass"].(string)
		if got := spec["type"].(string) + " " + class; got != want {
			t.Errorf("%s: %q, want %q", annotations, got, want)
		}
	}
}
