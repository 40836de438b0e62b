package coldstart

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// reachable is the fact that a host outside of the cluster answers. A host that the environment serves itself is no given, whatever
// is stated: that is a circle which nobody sees on a cluster that runs. What breaks it is a bootstrap source, stated as such:
// another place from which the first start is served.
const reachable needs.Type = "reachable"

const bootstrapSource = "bootstrap-source "

// Host is a name or address that machines ask before anything runs on them: a mirror, a name server.
type Host struct {
	Name string
	Why  string // a clause whose subject are pods
}

// collectHosts says which hosts an object serves: an Ingress, a route, a Service with an address or a name of its own.
func (w *world) collectHosts(n *node) {
	o := n.task.Object
	var hosts []string
	switch {
	case n.id.Group == "networking.k8s.io" && n.id.Kind == "Ingress":
		for _, rule := range o.List("spec", "rules") {
			host := textAt(rule, "host")
			hosts = append(hosts, host)
		}
	case n.id.Group == "gateway.networking.k8s.io" && strings.HasSuffix(n.id.Kind, "Route"):
		if hosts = textsOf(o.Fields(), "spec", "hostnames"); len(hosts) == 0 {
			hosts = w.listenerHosts(n)
		}
	case strings.HasPrefix(n.id.Group, "traefik.") && strings.HasPrefix(n.id.Kind, "IngressRoute"):
		for _, route := range o.List("spec", "routes") {
			match := textAt(route, "match")
			hosts = append(hosts, hostsOfRule(match)...)
		}
	case n.id.Group == "networking.istio.io" && n.id.Kind == "VirtualService" && len(o.List("spec", "gateways")) > 0:
		hosts = textsOf(o.Fields(), "spec", "hosts")
	case n.id.Group == "" && n.id.Kind == "Service":
		hosts = append(splitList(o.Annotation("external-dns.alpha.kubernetes.io/hostname")), askedAddresses(o)...)
	}
	for _, host := range hosts {
		if host != "" {
			w.provide(named(reachable, "", host), n, true)
		}
	}
}

// listenerHosts are the hosts of a route that states none: those of the Gateways on which it hangs.
func (w *world) listenerHosts(route *node) []string {
	var hosts []string
	for _, ref := range route.task.Object.List("spec", "parentRefs") {
		name := textAt(ref, "name")
		for _, gateway := range w.called(route.app.on, "gateway.networking.k8s.io", "Gateway", name) {
			for _, listener := range gateway.task.Object.List("spec", "listeners") {
				host := textAt(listener, "hostname")
				hosts = append(hosts, host)
			}
		}
	}
	return hosts
}

var hostRule = regexp.MustCompile(`Host\(([^)]*)\)`)

// hostsOfRule reads the hosts of a Traefik rule: Host(`a`) || Host(`b`, `c`).
func hostsOfRule(rule string) []string {
	var hosts []string
	for _, match := range hostRule.FindAllStringSubmatch(rule, -1) {
		for _, host := range splitList(match[1]) {
			hosts = append(hosts, strings.Trim(host, "`\"' "))
		}
	}
	return hosts
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// addressAnnotations are those by which a Service asks for addresses (Cilium LB-IPAM and MetalLB docs).
var addressAnnotations = []string{"lbipam.cilium.io/ips", "io.cilium/lb-ipam-ips", "metallb.universe.tf/loadBalancerIPs", "metallb.io/loadBalancerIPs"}

func askedAddresses(service manifest.Object) []string {
	if service.String("spec", "type") != "LoadBalancer" {
		return nil
	}
	list := splitList(service.String("spec", "loadBalancerIP"))
	for _, key := range addressAnnotations {
		list = append(list, splitList(service.Annotation(key))...)
	}
	return list
}

// host returns the fact that a host answers. An address of a pool is served by every Service that may get it; a name below a
// wildcard is served by it unless a person states that it is outside.
func (w *world) host(name string) needs.Fact {
	fact := named(reachable, "", name)
	if w.ownHost(name) || w.given[fact.String()] {
		return fact
	}
	_, domain, _ := strings.Cut(name, ".")
	if wildcard := named(reachable, "", "*."+domain); len(w.provided[wildcard]) > 0 {
		return wildcard
	}
	return fact
}

// ownHost reports whether the environment serves a host itself, under that very name, or at an address of one of its pools.
func (w *world) ownHost(name string) bool {
	fact := named(reachable, "", name)
	address, err := netip.ParseAddr(name)
	if len(w.provided[fact]) > 0 || err != nil || !w.pooled(address) {
		return len(w.provided[fact]) > 0
	}
	for _, n := range w.ofKind(anywhere, "", "Service") {
		if n.task.Object.String("spec", "type") == "LoadBalancer" && len(askedAddresses(n.task.Object)) == 0 {
			w.provide(fact, n, true)
		}
	}
	return len(w.provided[fact]) > 0
}

// pooled reports whether an address lies in a pool of the environment.
func (w *world) pooled(address netip.Addr) bool {
	for _, n := range w.ofKind(anywhere, "cilium.io", "CiliumLoadBalancerIPPool") {
		for _, block := range n.task.Object.List("spec", "blocks") {
			text := func(key string) string { return textAt(block, key) }
			if inRange(address, text("cidr")) || inRange(address, text("start")+"-"+text("stop")) {
				return true
			}
		}
	}
	return slices.ContainsFunc(w.ofKind(anywhere, "metallb.io", "IPAddressPool"), func(n *node) bool {
		return slices.ContainsFunc(textsOf(n.task.Object.Fields(), "spec", "addresses"), func(text string) bool { return inRange(address, text) })
	})
}

// inRange reads "10.0.0.0/24" and "10.0.0.1-10.0.0.9".
func inRange(address netip.Addr, text string) bool {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Contains(address)
	}
	first, last, _ := strings.Cut(text, "-")
	from, err := netip.ParseAddr(strings.TrimSpace(first))
	to, otherErr := netip.ParseAddr(strings.TrimSpace(last))
	return err == nil && otherErr == nil && from.Compare(address) <= 0 && address.Compare(to) <= 0
}

// answers returns the need for what stands behind a URL or host:port: a Service of the cluster, or a host.
func (w *world) answers(address, why string) []need {
	host := hostOf(address)
	parts := strings.Split(host, ".")
	switch {
	case host == "", w.givenText(bootstrapSource + host):
		return nil
	case len(parts) >= 3 && parts[2] == "svc", len(parts) == 2 && w.hasService(parts[1], parts[0]):
		return []need{wants(named(endpoints, parts[1], parts[0]), why)}
	}
	fact := w.host(host)
	return append([]need{wants(fact, why)}, w.backed(fact, why)...)
}

// backed returns the need for the pods behind a host that the environment serves itself: an Ingress may have its address and lead
// to nothing.
func (w *world) backed(host needs.Fact, why string) []need {
	var list []need
	for _, p := range w.provided[host] {
		for _, name := range backends(p.node.task.Object, host.Name) {
			if fact := p.node.here(named(endpoints, p.node.id.Namespace, name)); len(w.provided[fact]) > 0 {
				list = append(list, wants(fact, why))
			}
		}
	}
	return list[:min(len(list), 1)] // of several Ingresses with one host, the first
}

// backends names the Services to which an Ingress leads for a host, or a route for any; a Service leads to itself.
func backends(o manifest.Object, host string) []string {
	var names []string
	add := func(name any) {
		if text, ok := name.(string); ok {
			names = append(names, text)
		}
	}
	switch o.ID().Kind {
	case "Service":
		add(o.ID().Name)
	case "Ingress":
		for _, rule := range o.List("spec", "rules") {
			for _, path := range listOf(rule, "http", "paths") {
				if valueAt(rule, "host") == host {
					add(valueAt(path, "backend", "service", "name"))
				}
			}
		}
	default:
		for _, rule := range o.List("spec", "rules") {
			for _, ref := range listOf(rule, "backendRefs") {
				add(valueAt(ref, "name"))
			}
		}
	}
	return names
}

func (w *world) hasService(namespace, name string) bool {
	return slices.ContainsFunc(w.called(anywhere, "", "Service", name), func(n *node) bool { return n.id.Namespace == namespace })
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Hostname()
	}
	if _, rest, ok := strings.Cut(address, "@"); ok { // git@host:path
		address = rest
	}
	host, _, _ := strings.Cut(address, "/")
	host, _, _ = strings.Cut(host, ":")
	return host
}

// own returns the need for a host where the environment serves it itself; other hosts are taken to answer.
func (w *world) own(address, why string) []need {
	list := w.answers(address, why+", which this environment serves itself")
	if len(list) > 0 && (list[0].fact.Type == endpoints || w.ownHost(hostOf(address))) {
		return list
	}
	return nil
}

// ownRepositories returns the need of an Application for its git hosts where this environment serves them.
func (w *world) ownRepositories(a *app) []need {
	if a.in.Bootstrap {
		return nil
	}
	var list []need
	for _, repo := range a.repositories() {
		list = append(list, w.own(repo, "is read from "+repo)...)
	}
	return list
}

// issuerFlags begin the arguments and name the variables by which a program is told of an identity provider that it asks when it
// starts (oauth2-proxy docs).
var issuerFlags = []string{"--oidc-issuer-url=", "OAUTH2_PROXY_OIDC_ISSUER_URL="}

// podHosts returns what the pods of a workload wait for that the environment serves itself: the registry of an image, an identity
// provider, and whatever the machines ask.
func (w *world) podHosts(n *node) []need {
	spec := needs.PodSpec(n.task.Object)
	if spec == nil || n.id.Kind == "CronJob" {
		return nil
	}
	var list []need
	for _, c := range containers(spec) {
		image := textAt(c, "image")
		if registry, _, ok := strings.Cut(image, "/"); ok && strings.ContainsAny(registry, ".:") {
			list = append(list, w.own(registry, "runs pods whose image comes from "+registry)...)
		}
		words := append(textsOf(c, "command"), textsOf(c, "args")...)
		for _, env := range listOf(c, "env") {
			name := textAt(env, "name")
			value := textAt(env, "value")
			words = append(words, name+"="+value)
		}
		for _, word := range words {
			for _, flag := range issuerFlags {
				if issuer, ok := strings.CutPrefix(word, flag); ok {
					list = append(list, w.own(issuer, "runs pods that ask "+issuer+" who may come in")...)
				}
			}
		}
	}
	for _, host := range w.in.Hosts {
		list = append(list, w.own(host.Name, host.Why)...)
	}
	return list
}
