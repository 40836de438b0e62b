package coldstart

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// resolves is the fact that the pods of the workload Kind Namespace/Name can look up names although policies let nothing out to port 53: a
// DNS cache on each node answers, since no policy holds traffic to a pod's own node (Kubernetes docs, network policies).
const resolves needs.Type = "look-up"

// mute returns a policy that holds the pods of a workload back from DNS; nil where none does, or another lets them. Where rules of Cilium
// select them, too, those may let them.
func (w *world) mute(n *node) *node {
	policies := w.policiesOn(n, "Egress")
	if slices.ContainsFunc(policies, letsLookUp) || len(policies) > 0 && len(w.ciliumRules(n)) > 0 {
		return nil
	}
	i := slices.IndexFunc(policies, func(p *node) bool { return w.mayHold(p, n) })
	if i < 0 {
		return nil
	}
	return policies[i]
}

// letsLookUp reports whether a rule of a policy may be about the cluster's DNS: it names its port or none, and everybody, addresses, or
// namespaces among which its own may be.
func letsLookUp(policy *node) bool {
	return slices.ContainsFunc(policy.task.Object.List("spec", "egress"), func(rule any) bool {
		ports, peers := listOf(rule, "ports"), listOf(rule, "to")
		return (len(ports) == 0 || slices.ContainsFunc(ports, isDNS)) &&
			(len(peers) == 0 || policy.id.Namespace == "kube-system" || slices.ContainsFunc(peers, mayHoldDNS))
	})
}

// isDNS reports whether a port of a policy may be that of DNS: 53, or what CoreDNS is behind it.
func isDNS(port any) bool {
	switch number := valueAt(port, "port").(type) {
	case nil:
		return true
	case int64:
		last, ranged := valueAt(port, "endPort").(int64)
		return number == 53 || ranged && number <= 53 && 53 <= last || number == 5353 || number == 1053 || number == 8053 // behind the Service
	default:
		return true // a name of a port
	}
}

// mayHoldDNS reports whether the cluster's DNS may be among peers: kube-system's is by its name, others' by labels that are not known.
func mayHoldDNS(peer any) bool {
	selector, stated := valueAt(peer, "namespaceSelector").(map[string]any)
	if valueAt(peer, "ipBlock") != nil {
		return true
	}
	if !stated {
		return false
	}
	const name = "kubernetes.io/metadata.name"
	labels, _ := selector["matchLabels"].(map[string]any)
	for key, value := range labels {
		text, _ := value.(string)
		if key == name && text != "kube-system" && !strings.Contains(text, "dns") {
			return false
		}
	}
	for _, e := range listOf(selector, "matchExpressions") {
		if valueAt(e, "key") == name && valueAt(e, "operator") == "In" {
			return slices.ContainsFunc(textsOf(e, "values"), func(v string) bool { return v == "kube-system" || strings.Contains(v, "dns") })
		}
	}
	return true
}

// lookedUp returns what an object needs whose controller asks servers by name.
func (w *world) lookedUp(n *node, addresses ...string) []need {
	byName := func(address string) bool {
		host := hostOf(address)
		_, err := netip.ParseAddr(strings.Trim(host, "[]"))
		return host != "" && err != nil
	}
	if !slices.ContainsFunc(addresses, byName) {
		return nil
	}
	var held *need
	for _, p := range w.provided[n.here(named(controller, "", dotted(n.id)))] {
		policy := w.mute(p.node)
		if policy == nil {
			return nil
		}
		fact := named(resolves, "", p.node.id.Kind+" "+p.node.id.Namespace+"/"+p.node.id.Name)
		k := wants(fact, "is served by "+p.node.id.String()+", which cannot look up the name of its server: the NetworkPolicy "+policy.id.Name+" lets no port 53 out to kube-system,")
		held = &k
	}
	if held == nil {
		return nil
	}
	return []need{*held}
}

// muteNotes names the workloads of an Application that cannot look up names, policy by policy.
func (w *world) muteNotes(a *app) []string {
	if len(w.policies) == 0 {
		return nil
	}
	var order []*node
	held := map[*node][]string{}
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			if needs.PodSpec(n.task.Object) == nil || none(n.task.Object) {
				continue
			}
			if policy := w.mute(n); policy != nil {
				if held[policy] == nil {
					order = append(order, policy)
				}
				held[policy] = append(held[policy], n.id.Kind+" "+n.id.Name)
			}
		}
	}
	var notes []string
	for _, policy := range order {
		names := held[policy]
		if len(names) > 3 {
			names = append(names[:2], plural(len(names)-2, "more workload"))
		}
		notes = append(notes, policy.id.String()+" lets no port 53 out to kube-system, and no other policy does: pods of "+strings.Join(names, ", ")+" cannot look up names")
	}
	return notes
}
