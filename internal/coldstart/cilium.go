package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// Facts about policies of Cilium, which deny by default in every direction that a rule is about (Cilium docs, Policy Enforcement Modes).
// Where the API server stands for Cilium, on a node of the cluster or outside, is not known: what no rule lets through is UNKNOWN.
const (
	ciliumIn  needs.Type = "cilium-lets-in"  // Cilium's policies let the API server in to the pods of the Service Namespace/Name
	ciliumOut needs.Type = "cilium-lets-out" // they let the pods of the workload Kind Namespace/Name out to the API server
)

// apiEntities are the entities among which the API server may be (Cilium docs, Layer 3 Examples, Entities based).
var apiEntities = []string{"kube-apiserver", "all", "world", "cluster", "host", "remote-node"}

// ciliumRules returns the rules of Cilium's policies that select the pods of a workload, each with the policy that holds it.
func (w *world) ciliumRules(n *node) map[*node][]any {
	if needs.PodSpec(n.task.Object)["hostNetwork"] == true {
		return nil
	}
	labels := map[string]any{"io.kubernetes.pod.namespace": n.id.Namespace}
	for key, value := range needs.PodLabels(n.task.Object) {
		labels[key] = value
	}
	found := map[*node][]any{}
	for _, in := range []string{n.key(n.id.Namespace), n.key("")} {
		for _, p := range w.cilium[in] {
			for _, rule := range append(slices.Clone(p.task.Object.List("specs")), p.task.Object.Get("spec")) {
				selector, stated := valueAt(rule, "endpointSelector").(map[string]any)
				if stated && matchesSelector(plainKeys(selector), labels) {
					found[p] = append(found[p], rule)
				}
			}
		}
	}
	return found
}

// plainKeys takes the sources (k8s:, any:) from the keys of a selector.
func plainKeys(selector map[string]any) map[string]any {
	plain := func(key string) string { return strings.TrimPrefix(strings.TrimPrefix(key, "k8s:"), "any:") }
	labels, expressions := map[string]any{}, []any{}
	given, _ := selector["matchLabels"].(map[string]any)
	for key, value := range given {
		labels[plain(key)] = value
	}
	for _, expression := range listOf(selector, "matchExpressions") {
		key := textAt(expression, "key")
		expressions = append(expressions, map[string]any{"key": plain(key), "operator": valueAt(expression, "operator"), "values": valueAt(expression, "values")})
	}
	return map[string]any{"matchLabels": labels, "matchExpressions": expressions}
}

// ciliumShuts names a policy of Cilium which shuts a workload off in one direction (ingress from, egress to) without any that lets the
// API server through; nil where none does.
func (w *world) ciliumShuts(n *node, direction, peers string) *node {
	var shut *node
	for p, rules := range w.ciliumRules(n) {
		for _, rule := range rules {
			if valueAt(rule, direction) == nil || valueAt(rule, "enableDefaultDeny", direction) == false {
				continue
			}
			if slices.ContainsFunc(listOf(rule, direction), func(r any) bool { return letsAPI(r, peers) }) {
				return nil
			}
			if shut == nil || p.id.Compare(shut.id) < 0 {
				shut = p
			}
		}
	}
	return shut
}

// ciliumLetOut returns the need of a workload that talks to the API server to be let out to it by Cilium.
func (w *world) ciliumLetOut(n *node) []need {
	if len(w.cilium) == 0 || !w.asks[n] {
		return nil
	}
	p := w.ciliumShuts(n, "egress", "to")
	if p == nil || !w.mayHold(p, n) {
		return nil
	}
	fact := named(ciliumOut, "", n.id.Kind+" "+n.id.Namespace+"/"+n.id.Name)
	return []need{wants(fact, "runs pods that must reach the API server, from which the "+p.id.Kind+" "+p.id.Name+" seems to hold them back,")}
}

// ciliumLetIn returns the fact that the API server is let in to the pods of a Service, where policies of Cilium seem to shut it out.
func (w *world) ciliumLetIn(n *node, namespace, service string) []needs.Fact {
	if len(w.cilium) == 0 {
		return nil
	}
	for _, p := range w.provided[n.here(named(endpoints, namespace, service))] {
		if w.ciliumShuts(p.node, "ingress", "from") != nil {
			return []needs.Fact{named(ciliumIn, namespace, service)}
		}
	}
	return nil
}

// letsAPI reports whether one rule may let the API server through: by an entity, an address, a name, or ports without peers.
func letsAPI(rule any, peers string) bool {
	if slices.ContainsFunc(textsOf(rule, peers+"Entities"), func(e string) bool { return slices.Contains(apiEntities, e) }) {
		return true
	}
	for _, key := range []string{"CIDR", "CIDRSet", "FQDNs", "Nodes"} {
		if len(listOf(rule, peers+key)) > 0 {
			return true
		}
	}
	return valueAt(rule, peers+"Endpoints") == nil && valueAt(rule, peers+"Entities") == nil && valueAt(rule, "toPorts") != nil
}
