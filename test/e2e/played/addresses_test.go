package played

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

func read(t *testing.T, text string) *kube.Object {
	t.Helper()
	list, err := kube.Decode([]byte(text))
	if err != nil || len(list) != 1 {
		t.Fatal(err, len(list))
	}
	return list[0]
}

// service is one of type LoadBalancer, of family IPv4 unless families are stated.
func service(t *testing.T, metadata, spec string) *kube.Object {
	t.Helper()
	if !strings.Contains(spec, "ipFamilies") {
		spec += ", ipFamilies: [IPv4]"
	}
	return read(t, "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: team"+metadata+"}, spec: {type: LoadBalancer"+spec+"}}")
}

func joined(list []netip.Addr) string {
	var words []string
	for _, a := range list {
		words = append(words, a.String())
	}
	return strings.Join(words, " ")
}

// TestCiliumPools states which addresses Cilium's LB IPAM gives a Service (cilium v1.19 operator/pkg/lbipam/lbipam.go).
func TestCiliumPools(t *testing.T) {
	type given struct{ metadata, spec, pool string }
	tests := map[string]struct {
		of   given
		want string
	}{
		"the first of a range":              {given{pool: "blocks: [{cidr: 192.0.2.0/29}]"}, "192.0.2.0"},
		"not the ends":                      {given{pool: "allowFirstLastIPs: 'No', blocks: [{cidr: 192.0.2.0/29}]"}, "192.0.2.1"},
		"a range too small for ends":        {given{pool: "allowFirstLastIPs: 'No', blocks: [{cidr: 192.0.2.0/31}]"}, "192.0.2.0"},
		"from one address to another":       {given{pool: "blocks: [{start: 192.0.2.5, stop: 192.0.2.6}]"}, "192.0.2.5"},
		"one address":                       {given{pool: "blocks: [{start: 192.0.2.5}]"}, "192.0.2.5"},
		"another family":                    {given{pool: "blocks: [{cidr: 2001:db8::/64}]"}, ""},
		"both families":                     {given{spec: ", ipFamilies: [IPv6, IPv4]", pool: "blocks: [{cidr: 2001:db8::/64}, {cidr: 192.0.2.0/29}]"}, "2001:db8:: 192.0.2.0"},
		"by label":                          {given{metadata: ", labels: {a: b}", pool: "serviceSelector: {matchLabels: {a: b}}, blocks: [{start: 192.0.2.5}]"}, "192.0.2.5"},
		"by another label":                  {given{pool: "serviceSelector: {matchLabels: {a: b}}, blocks: [{start: 192.0.2.5}]"}, ""},
		"by its own name":                   {given{pool: "serviceSelector: {matchLabels: {io.kubernetes.service.name: web, io.kubernetes.service.namespace: team}}, blocks: [{start: 192.0.2.5}]"}, "192.0.2.5"},
		"one that it asks for":              {given{spec: ", loadBalancerIP: 192.0.2.3", pool: "blocks: [{cidr: 192.0.2.0/29}]"}, "192.0.2.3"},
		"two that it asks for":              {given{metadata: ", annotations: {lbipam.cilium.io/ips: '192.0.2.3, 192.0.2.4'}", pool: "blocks: [{cidr: 192.0.2.0/29}]"}, "192.0.2.3 192.0.2.4"},
		"the half of what it asks for":      {given{metadata: ", annotations: {io.cilium/lb-ipam-ips: '192.0.2.3,192.0.2.77'}", pool: "blocks: [{cidr: 192.0.2.0/29}]"}, "192.0.2.3"},
		"what it asks for is outside":       {given{spec: ", loadBalancerIP: 198.51.100.1", pool: "blocks: [{cidr: 192.0.2.0/29}]"}, ""},
		"what it asks for is kept, an end":  {given{spec: ", loadBalancerIP: 192.0.2.0", pool: "allowFirstLastIPs: 'No', blocks: [{cidr: 192.0.2.0/29}]"}, ""},
		"what it asks for, for another one": {given{spec: ", loadBalancerIP: 192.0.2.3", pool: "serviceSelector: {matchLabels: {a: b}}, blocks: [{cidr: 192.0.2.0/29}]"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := provider{asks: []string{"lbipam.cilium.io/ips", "io.cilium/lb-ipam-ips"}, pools: []pool{ciliumPool(read(t, "{apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, metadata: {name: p}, spec: {"+tt.of.pool+"}}"))}}
			if got := joined(p.choose(service(t, tt.of.metadata, tt.of.spec), map[netip.Addr]bool{})); got != tt.want {
				t.Errorf("gets %q, want %q", got, tt.want)
			}
		})
	}
}

// TestMetallbPools states the same of MetalLB (metallb v0.15 internal/allocator/allocator.go, controller/service.go).
func TestMetallbPools(t *testing.T) {
	type given struct{ metadata, spec, pools string }
	const range5 = "addresses: [192.0.2.5-192.0.2.6]"
	tests := map[string]struct {
		of   given
		want string
	}{
		"any":                        {given{pools: "a: {" + range5 + "}"}, "192.0.2.5"},
		"on request alone":           {given{pools: "a: {autoAssign: false, " + range5 + "}"}, ""},
		"asked for by name":          {given{metadata: ", annotations: {metallb.io/address-pool: a}", pools: "a: {autoAssign: false, " + range5 + "}"}, "192.0.2.5"},
		"another asked for":          {given{metadata: ", annotations: {metallb.io/address-pool: b}", pools: "a: {" + range5 + "}"}, ""},
		"asked for by address":       {given{spec: ", loadBalancerIP: 192.0.2.6", pools: "a: {autoAssign: false, " + range5 + "}"}, "192.0.2.6"},
		"the half of what is asked":  {given{metadata: ", annotations: {metallb.universe.tf/loadBalancerIPs: '192.0.2.6,192.0.2.9'}", pools: "a: {" + range5 + "}"}, ""},
		"kept for its namespace":     {given{pools: "a: {" + range5 + "}\nb: {addresses: [198.51.100.0/30], serviceAllocation: {namespaces: [team]}}"}, "198.51.100.0"},
		"kept for other namespaces":  {given{pools: "b: {addresses: [198.51.100.0/30], serviceAllocation: {namespaces: [other]}}"}, ""},
		"kept for a namespace label": {given{pools: "b: {addresses: [198.51.100.0/30], serviceAllocation: {namespaceSelectors: [{matchLabels: {of: us}}]}}"}, "198.51.100.0"},
		"kept for other Services":    {given{pools: "b: {addresses: [198.51.100.0/30], serviceAllocation: {serviceSelectors: [{matchLabels: {a: b}}]}}"}, ""},
	}
	namespaces := []kube.Object{*read(t, "{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {of: us}}}"), *read(t, "{apiVersion: v1, kind: Namespace, metadata: {name: other}}")}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var list []kube.Object
			for line := range strings.SplitSeq(tt.of.pools, "\n") {
				name, spec, _ := strings.Cut(line, ": ")
				list = append(list, *read(t, "{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: "+name+"}, spec: "+spec+"}"))
			}
			p := metallbProvider("", list, namespaces)
			if got := joined(p.choose(service(t, tt.of.metadata, tt.of.spec), map[netip.Addr]bool{})); got != tt.want {
				t.Errorf("gets %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTaken wants an address given once.
func TestTaken(t *testing.T) {
	p := provider{pools: []pool{ciliumPool(read(t, "{apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, metadata: {name: p}, spec: {blocks: [{cidr: 192.0.2.0/30}]}}"))}}
	used := map[netip.Addr]bool{netip.MustParseAddr("192.0.2.0"): true}
	if got := joined(p.choose(service(t, "", ""), used)); got != "192.0.2.1" {
		t.Errorf("gets %q", got)
	}
}
