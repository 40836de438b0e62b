package argoapi_test

import (
	"fmt"
	"testing"
)

// TestAddressesLeft states which Services stay without an address because pools have fewer of them than Services want (MetalLB docs, usage
// and advanced pools; Cilium docs, LB IPAM).
func TestAddressesLeft(t *testing.T) {
	metal := operator("op", "-3", "metallb.io", "ipaddresspools") + definition("-4", "metallb.io", "IPAddressPool", "ipaddresspools", "Namespaced")
	cilium := operator("op", "-3", "cilium.io", "ciliumloadbalancerippools") + definition("-4", "cilium.io", "CiliumLoadBalancerIPPool", "ciliumloadbalancerippools", "Cluster")
	pool := func(name, wave, spec string) string {
		return object("IPAddressPool", name, wave, "spec: {"+spec+"}")
	}
	blocks := func(spec string) string {
		return object("CiliumLoadBalancerIPPool", "p", "-1", "spec: {"+spec+"}")
	}
	service := func(name, wave, annotation, spec string) string {
		return fmt.Sprintf("{apiVersion: v1, kind: Service, metadata: {name: %s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: %q%s}}, spec: {type: LoadBalancer%s}}\n---\n", name, wave, annotation, spec)
	}
	plain := func(name, wave string) string { return service(name, wave, "", "") }
	port := func(n int) string { return fmt.Sprintf(", ports: [{port: %d}]", n) }
	key, other := ", metallb.universe.tf/allow-shared-ip: k", ", lbipam.cilium.io/sharing-key: k"
	last := object("ConfigMap", "last", "9", "")
	one, two := "addresses: [10.0.0.1/32]", "addresses: [10.0.0.1-10.0.0.2]"
	both := plain("a", "0") + plain("b", "0")
	app := func(objects ...string) []string {
		text := "- app\n" + last
		for _, o := range objects {
			text += o
		}
		return []string{text}
	}
	tests := map[string]scenario{
		"one for each":                           {apps: app(metal, pool("p", "-1", two), both), want: "PROVEN"},
		"one for two":                            {apps: app(metal, pool("p", "-1", one), both), want: "DEADLOCK", chain: []string{"Service team/a wants an address of its own from p, which may have none left once team/b have theirs: one of them stays without"}},
		"one for two, which Cilium gives":        {apps: app(cilium, blocks("blocks: [{cidr: 10.0.0.1/32}]"), both), want: "DEADLOCK", chain: []string{"Service team/a wants an address of its own from p"}},
		"the later one stays without":            {apps: app(metal, pool("p", "-1", one), plain("a", "0"), plain("b", "1")), want: "DEADLOCK", chain: []string{"Service team/b wants an address of its own from p, which may have none left once team/a have"}},
		"nobody waits for the later one":         {apps: app(metal, pool("p", "-1", one), plain("a", "0"), plain("b", "9")), want: "UNHEALTHY", chain: []string{"Service team/b wants"}},
		"of two Applications":                    {apps: []string{"0 pools\n" + metal + pool("p", "-1", one), "1 a\n" + plain("a", "0"), "2 b\n" + plain("b", "0")}, want: "UNHEALTHY", each: []string{"a PROVEN", "b UNHEALTHY"}},
		"side by side":                           {apps: []string{"0 pools\n" + metal + pool("p", "-1", one), "1 a\n" + plain("a", "0"), "1 b\n" + plain("b", "0")}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b UNHEALTHY"}},
		"it is stated that one is left":          {apps: app(metal, pool("p", "-1", one), both), given: []string{"free-address team/a", "free-address team/b"}, want: "PROVEN"},
		"others give addresses, too":             {apps: app(metal, pool("p", "-1", one), both), given: []string{"ability load-balancer-address"}, want: "PROVEN"},
		"a second pool":                          {apps: app(metal, pool("p", "-1", one), pool("q", "-1", "addresses: [10.0.1.0/32]"), both), want: "PROVEN"},
		"a second pool that comes later":         {apps: app(metal, pool("p", "-1", one), pool("q", "1", "addresses: [10.0.1.0/32]"), both), want: "DEADLOCK", chain: []string{"Service team/a waits for an address, which others may take from the pools before", "team/q is in wave 1"}},
		"a second pool for others":               {apps: app(metal, pool("p", "-1", one), pool("q", "-1", "addresses: [10.0.1.0/32], serviceAllocation: {namespaces: [other]}"), both), want: "DEADLOCK"},
		"another pool is for one of them":        {apps: app(metal, pool("p", "-1", one), pool("q", "-1", "addresses: [10.0.1.0/32], autoAssign: false"), plain("a", "0"), service("b", "0", ", metallb.io/address-pool: q", "")), want: "PROVEN"},
		"they share one":                         {apps: app(metal, pool("p", "-1", one), service("a", "0", key, port(80)), service("b", "0", key, port(81))), want: "PROVEN"},
		"they share one, and a port":             {apps: app(metal, pool("p", "-1", one), service("a", "0", key, port(80)), service("b", "0", key, port(80))), want: "DEADLOCK"},
		"two share one, a third does not":        {apps: app(metal, pool("p", "-1", one), service("a", "0", key, port(80)), service("b", "0", key, port(81)), plain("c", "1")), want: "DEADLOCK", chain: []string{"Service team/c wants"}},
		"they share one of Cilium":               {apps: app(cilium, blocks("blocks: [{cidr: 10.0.0.1/32}]"), service("a", "0", other, port(80)), service("b", "0", other, port(81))), want: "PROVEN"},
		"both ask for one":                       {apps: app(metal, pool("p", "-1", two), service("a", "0", ", metallb.io/loadBalancerIPs: 10.0.0.1", ""), service("b", "0", "", ", loadBalancerIP: 10.0.0.1")), want: "DEADLOCK"},
		"each asks for its own":                  {apps: app(metal, pool("p", "-1", two), service("a", "0", ", metallb.io/loadBalancerIPs: 10.0.0.1", ""), service("b", "0", "", ", loadBalancerIP: 10.0.0.2")), want: "PROVEN"},
		"one asks, the other takes what is left": {apps: app(metal, pool("p", "-1", two), service("a", "0", ", metallb.io/loadBalancerIPs: 10.0.0.1", ""), plain("b", "0")), want: "PROVEN"},
		"an annotation of another controller":    {apps: app(cilium, blocks("blocks: [{cidr: 10.0.0.0/31}]"), service("a", "0", ", metallb.io/loadBalancerIPs: 192.168.0.1", ""), plain("b", "0")), want: "PROVEN"},
		"addresses that routers drop":            {apps: app(metal, pool("p", "-1", "addresses: [10.0.0.254-10.0.1.0]"), both, plain("c", "0")), want: "PROVEN"},
		"and they are avoided":                   {apps: app(metal, pool("p", "-1", "addresses: [10.0.0.254-10.0.1.0], avoidBuggyIPs: true"), both), want: "DEADLOCK"},
		"the edges of a block":                   {apps: app(cilium, blocks("blocks: [{cidr: 10.0.0.0/30}]"), both, plain("c", "0")), want: "PROVEN"},
		"and they are kept back":                 {apps: app(cilium, blocks("allowFirstLastIPs: 'No', blocks: [{cidr: 10.0.0.0/30}]"), both, plain("c", "0")), want: "DEADLOCK"},
		"a block from start to stop":             {apps: app(cilium, blocks("blocks: [{start: 10.0.0.7, stop: 10.0.0.8}]"), both), want: "PROVEN"},
		"a block of one address":                 {apps: app(cilium, blocks("blocks: [{start: 10.0.0.7}]"), both), want: "DEADLOCK"},
		"one of each family":                     {apps: app(cilium, blocks("blocks: [{cidr: 10.0.0.1/32}, {cidr: 'fd00::1/128'}]"), service("a", "0", "", ", ipFamilies: [IPv4]"), service("b", "0", "", ", ipFamilies: [IPv6]")), want: "PROVEN"},
		"two of one family":                      {apps: app(cilium, blocks("blocks: [{cidr: 10.0.0.1/32}, {cidr: 'fd00::1/128'}]"), service("a", "0", "", ", ipFamilies: [IPv6]"), service("b", "0", "", ", ipFamilies: [IPv6]")), want: "DEADLOCK"},
		"a range that nobody can read":           {apps: app(metal, pool("p", "-1", "addresses: ['<address>']"), both), want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}
