package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// Facts about network policies, which only allow: who is selected by one is shut, but for what some policy lets through.
const (
	ingressOpen needs.Type = "let-in"  // a policy lets the API server in to the pods of the Service Namespace/Name
	egressOpen  needs.Type = "let-out" // a policy lets the pods of the workload Kind Namespace/Name out to the API server
)

// policies returns the network policies that select the pods of a workload and are about one direction.
func (w *world) policiesOn(n *node, direction string) []*node {
	if needs.PodSpec(n.task.Object)["hostNetwork"] == true { // the node's own network is not held by policies
		return nil
	}
	var list []*node
	for _, p := range w.policies[n.key(n.id.Namespace)] {
		selector := p.task.Object.Map("spec", "podSelector")
		if matchesSelector(selector, needs.PodLabels(n.task.Object)) && slices.Contains(directions(p), direction) {
			list = append(list, p)
		}
	}
	return list
}

// directions returns the policy types, with their default.
func directions(p *node) []string {
	if types := textsOf(p.task.Object.Fields(), "spec", "policyTypes"); len(types) > 0 {
		return types
	}
	if p.task.Object.Get("spec", "egress") != nil {
		return []string{"Ingress", "Egress"}
	}
	return []string{"Ingress"}
}

// shut reports whether policies hold the pods of a Service back from everybody whom no policy lets in, and says who lets the API
// server in.
func (w *world) shut(n *node, namespace, service string) bool {
	fact, shut := n.here(named(ingressOpen, namespace, service)), false
	for _, p := range w.provided[n.here(named(endpoints, namespace, service))] {
		for _, policy := range w.policiesOn(p.node, "Ingress") {
			shut = true
			if letsThrough(policy, "ingress", "from") && !slices.Contains(w.provided[fact], provision{policy, false}) {
				w.provide(fact, policy, false)
			}
		}
	}
	return shut
}

// letOut returns the need of a workload that talks to the API server, being granted something there, to be let out to it.
func (w *world) letOut(n *node) []need {
	if !w.asks[n] {
		return nil
	}
	fact := needs.Fact{Type: egressOpen, Kind: n.id.Kind, Name: n.id.Namespace + "/" + n.id.Name}
	held := ""
	for _, policy := range w.policiesOn(n, "Egress") {
		switch {
		case letsThrough(policy, "egress", "to"):
			w.provide(fact, policy, false)
		case w.mayHold(policy, n):
			held = policy.id.Name
		}
	}
	if held == "" {
		return nil
	}
	return []need{wants(fact, "runs pods that must reach the API server, from which the NetworkPolicy "+held+" holds them back,")}
}

// letsThrough reports whether a rule of a policy is about the API server: it names no peers, or addresses. Peers by labels are
// pods, which the API server is not.
func letsThrough(policy *node, rules, peers string) bool {
	for _, rule := range policy.task.Object.List("spec", rules) {
		list := listOf(rule, peers)
		if len(list) == 0 || slices.ContainsFunc(list, func(peer any) bool { return valueAt(peer, "ipBlock") != nil }) {
			return true
		}
	}
	return false
}
