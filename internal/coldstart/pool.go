package coldstart

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// pooledFor is the fact that a pool of addresses which fits the Service Namespace/Name is served. It takes the place of the ability to
// give any Service an address where not every pool fits.
const pooledFor needs.Type = "address-pool"

// classAbility is the ability to serve Services of a class, which their usual controllers leave alone.
const classAbility = "load-balancer-address of class "

// ciliumClasses are the loadBalancerClasses whose addresses Cilium's LB IPAM gives (Cilium docs, LB IPAM, load balancer class).
var ciliumClasses = []string{"", "io.cilium/bgp-control-plane", "io.cilium/l2-announcer"}

// The annotations by which a Service asks for addresses.
var (
	ciliumAsks = []string{"lbipam.cilium.io/ips", "io.cilium/lb-ipam-ips"}
	metalAsks  = []string{"metallb.universe.tf/loadBalancerIPs", "metallb.io/loadBalancerIPs"}
)

// addressed returns what a Service of type LoadBalancer needs before it has an address: somebody of its class, and a pool that fits it.
// holder is the object that waits for it, the Service or what it is made of.
func (w *world) addressed(holder, n *node, k need) need {
	class := n.task.Object.String("spec", "loadBalancerClass")
	var fit, plain []*node
	var lacks []string
	pools := w.pools(n.app.on)
	for _, pool := range pools {
		if why := w.misses(pool, n, class); why != "" {
			lacks = append(lacks, pool.id.Name+": "+why)
		} else {
			fit = append(fit, pool)
		}
		if slices.ContainsFunc(w.provided[n.here(k.fact)], func(p provision) bool { return p.node == pool }) {
			plain = append(plain, pool)
		}
	}
	others := func(p provision) bool { return !isPool(p.node.id) }
	if (class != "" || !w.given[n.here(k.fact).String()]) && !slices.ContainsFunc(w.provided[n.here(k.fact)], others) {
		w.enroll(holder, n, fit)
	}
	classed := needs.Fact{Type: needs.Ability, Name: classAbility + class}
	switch {
	case len(fit) == 0 && !slices.Contains(ciliumClasses, class):
		return wants(classed, "waits for an address of the loadBalancerClass "+class)
	case class != "" && (w.isGiven(n.here(classed)) || len(w.provided[n.here(classed)]) > 0):
		return wants(classed, "waits for an address of the loadBalancerClass "+class)
	case class == "" && (slices.Equal(fit, plain) || w.isGiven(n.here(k.fact)) || slices.ContainsFunc(w.provided[n.here(k.fact)], others)):
		return k
	case len(pools) == 0:
		return k
	}
	fact := named(pooledFor, n.id.Namespace, n.id.Name)
	for _, pool := range fit {
		w.provide(fact, pool, true)
	}
	if len(fit) == 0 {
		k.why += ", and no pool fits (" + strings.Join(lacks, "; ") + "),"
	}
	return wants(fact, k.why)
}

// pools returns the pools of Cilium and MetalLB on a cluster.
func (w *world) pools(on string) []*node {
	list := slices.Clone(w.ofKind(on, "cilium.io", "CiliumLoadBalancerIPPool"))
	return append(list, w.ofKind(on, "metallb.io", "IPAddressPool")...)
}

// misses says why a pool gives a Service no address, or nothing.
func (w *world) misses(pool, n *node, class string) string {
	if pool.id.Group == "metallb.io" {
		return cmp.Or(w.metalHome(pool), w.missesMetal(pool.task.Object, n, class))
	}
	spec, service := pool.task.Object, n.task.Object
	labels := map[string]any{"io.kubernetes.service.namespace": n.id.Namespace, "io.kubernetes.service.name": n.id.Name}
	for key, value := range service.Map("metadata", "labels") {
		labels[key] = value
	}
	switch {
	case spec.Get("spec", "disabled") == true:
		return "is disabled"
	case !slices.Contains(ciliumClasses, class):
		return "is not for Services of class " + class
	case !matchesSelector(spec.Map("spec", "serviceSelector"), labels):
		return "its serviceSelector is for others"
	}
	return outsideOf(poolRanges(spec), asked(service, ciliumAsks...), service)
}

// missesMetal follows MetalLB's docs, usage and advanced IPAddressPool configuration.
func (w *world) missesMetal(spec manifest.Object, n *node, class string) string {
	service := n.task.Object
	wanted := asked(service, metalAsks...)
	byName := service.Annotation("metallb.io/address-pool") + service.Annotation("metallb.universe.tf/address-pool")
	namespaces, selectors := textsOf(spec.Fields(), "spec", "serviceAllocation", "namespaces"), spec.List("spec", "serviceAllocation", "namespaceSelectors")
	services := spec.List("spec", "serviceAllocation", "serviceSelectors")
	matches := func(labels map[string]any) func(any) bool {
		return func(item any) bool { selector, _ := item.(map[string]any); return matchesSelector(selector, labels) }
	}
	switch {
	case !w.metalServes(n, class):
		return "is not for Services of class " + class
	case byName != "" && byName != spec.ID().Name:
		return "the Service names the pool " + byName
	case spec.Get("spec", "autoAssign") == false && len(wanted) == 0 && byName == "":
		return "is given out on request alone (autoAssign)"
	case len(namespaces)+len(selectors) > 0 && !slices.Contains(namespaces, n.id.Namespace) && !slices.ContainsFunc(selectors, matches(w.namespaceLabels(n, n.id.Namespace))):
		return "its serviceAllocation is for other namespaces"
	case len(services) > 0 && !slices.ContainsFunc(services, matches(service.Map("metadata", "labels"))):
		return "its serviceAllocation is for other Services"
	}
	return outsideOf(textsOf(spec.Fields(), "spec", "addresses"), wanted, service)
}

// metalServes reports whether MetalLB takes Services of a class: those of the one that its controller is told (--lb-class), else of none.
func (w *world) metalServes(n *node, class string) bool {
	told := ""
	for _, p := range w.provided[n.here(named(controller, "", "IPAddressPool.metallb.io"))] {
		for _, f := range flags(p.node) {
			if f.name == "lb-class" {
				told = f.value
			}
		}
	}
	return class == told
}

// asked returns the addresses that a Service asks for, by its field or by annotations.
func asked(service manifest.Object, annotations ...string) []string {
	list := splitList(service.String("spec", "loadBalancerIP"))
	for _, key := range annotations {
		list = append(list, splitList(service.Annotation(key))...)
	}
	return list
}

// outsideOf says why ranges hold none of the addresses that a Service asks for, or none of its family. Ranges that cannot be read, or
// none at all, are taken to hold what is asked for.
func outsideOf(ranges, wanted []string, service manifest.Object) string {
	var four, six, unread bool
	for _, text := range ranges {
		first, _, _ := strings.Cut(text, "-")
		first, _, _ = strings.Cut(strings.TrimSpace(first), "/")
		address, err := netip.ParseAddr(first)
		four, six, unread = four || err == nil && address.Is4(), six || err == nil && address.Is6(), unread || err != nil && strings.Trim(text, "-") != ""
	}
	if unread || !four && !six {
		return ""
	}
	for _, text := range wanted {
		address, err := netip.ParseAddr(text)
		if err == nil && !slices.ContainsFunc(ranges, func(r string) bool { return inRange(address, r) }) {
			return text + ", for which the Service asks, is outside of it"
		}
	}
	families := textsOf(service.Fields(), "spec", "ipFamilies")
	if len(families) > 0 && (!four || !slices.Contains(families, "IPv4")) && (!six || !slices.Contains(families, "IPv6")) {
		return "has no address of the family " + strings.Join(families, ", ")
	}
	return ""
}
