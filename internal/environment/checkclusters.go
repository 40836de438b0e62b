package environment

import (
	"cmp"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// own is something that one cluster has for itself, and where the model says so. Subnets of pods and Services are none: they end
// at the cluster's edge, and may be the same in every cluster.
type own struct {
	env    *Environment
	number int // of the environment in the fleet
	path   string
	at     Origin
	what   string // "the Vault mount"
	text   string // what it is, as a message shows it
	breaks string // what follows where two clusters have it
	prefix netip.Prefix
}

// clash is what two clusters or more take for their own.
type clash struct {
	own
	first  own
	shared []string // environments that take it from one place, such as a site
}

// checkClusters holds that no two environments describe one cluster, or two that take each other's addresses, names or logins:
// within one environment everything may be right, and a copy of a file of which a line was forgotten is.
func (m *model) checkClusters(all []*Environment) {
	equal, prefixes := map[string]own{}, []own{}
	var found []clash
	for i, e := range all {
		for _, o := range ownNames(e, i) {
			key := o.what + "\x00" + o.text
			if first, taken := equal[key]; taken {
				found = append(found, clash{own: o, first: first})
			} else {
				equal[key] = o
			}
		}
		prefixes = append(prefixes, ownAddresses(e, i)...)
	}
	for _, c := range gather(append(found, overlaps(prefixes)...)) {
		m.addClash(c)
	}
}

// addClash notes a clash at the later of its two places.
func (m *model) addClash(c clash) {
	if c.at == c.first.at && c.path == c.first.path {
		m.c.add(c.at, c.path, "%s, %s, holds for environments %s alike: %s; take it out here, and state each cluster's own in its environment's file",
			c.text, c.what, strings.Join(c.shared, ", "), c.breaks)
		return
	}
	others, theirs := strings.Join(c.shared[1:], ", "), c.first
	if c.text == theirs.text && c.what == theirs.what {
		m.c.add(c.at, c.path, "%s is %s of environment %s (%s), and of environment %s too: %s; write this cluster's own, or correct it there",
			c.text, c.what, theirs.env.Name, theirs.at, others, c.breaks)
		return
	}
	m.c.add(c.at, c.path, "%s, %s of environment %s, overlaps %s, %s of environment %s (%s): %s; write this cluster's own, or correct it there",
		c.text, c.what, others, theirs.text, theirs.what, theirs.env.Name, theirs.at, c.breaks)
}

// gather makes one clash of those that come from one place, such as a site that many environments name.
func gather(found []clash) []clash {
	var list []clash
	seen := map[[2]string]int{}
	for _, c := range found {
		key := [2]string{c.at.String(), c.path}
		i, again := seen[key]
		if !again {
			i, seen[key] = len(list), len(list)
			c.shared = []string{c.first.env.Name}
			list = append(list, c)
		}
		list[i].shared = append(list[i].shared, c.env.Name)
	}
	return list
}

// own makes one entry of what an environment has for itself.
func (e *Environment) own(number int, path, what, text, breaks string) own {
	at := e.Positions[path]
	if at.File == "" {
		at = Origin{"environment " + e.Name, e.File, 1, 1}
	}
	return own{env: e, number: number, path: path, at: at, what: what, text: text, breaks: breaks}
}

// ownNames are the names under which a cluster alone is known. A text with a reference is a mistake of its own.
func ownNames(e *Environment, number int) []own {
	var list []own
	add := func(path, what, text, breaks string) {
		if text != "" && !strings.Contains(text, "${") {
			list = append(list, e.own(number, path, what, text, breaks))
		}
	}
	add("facts.domain", "the domain", e.Facts.Domain, "both clusters would serve the same names, and who asks reaches one of the two")
	if c := e.Facts.ControlPlane; c != nil {
		add("facts.controlPlane.endpoint", "the API server's address", strings.ToLower(strings.TrimSuffix(c.Endpoint, "/")), "nodes and people would reach the other cluster's API server")
	}
	if v := e.Facts.Vault; v != nil && v.Address != "" && v.Mount != "" {
		add("facts.vault.mount", "the auth mount at Vault "+hostOf(v.Address), v.Mount,
			"a mount trusts one cluster's tokens, so whichever cluster is set up last cuts the other off from its secrets")
	}
	return list
}

// hostOf is an address as far as it says whom one reaches: http and https, and a slash at the end, are one Vault.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	host := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(u.Host, ":443"), ":80"))
	return host + strings.TrimSuffix(u.Path, "/")
}

// ownAddresses are the addresses for which a cluster alone answers.
func ownAddresses(e *Environment, number int) []own {
	const breaks = "two clusters would answer for one address, and who asks reaches either"
	var list []own
	add := func(path, what, text string, prefix netip.Prefix) {
		if prefix.IsValid() {
			o := e.own(number, path, what, text, breaks)
			o.prefix = prefix.Masked()
			list = append(list, o)
		}
	}
	for i, n := range e.Facts.Nodes {
		a := n.Address.Addr()
		add(itemPath("facts.nodes", i)+".address", "the address of node "+n.Name, a.String(), netip.PrefixFrom(a, a.BitLen()))
	}
	if c := e.Facts.ControlPlane; c != nil {
		add("facts.controlPlane.vip", "the control plane's shared address", c.VIP.String(), netip.PrefixFrom(c.VIP, c.VIP.BitLen()))
	}
	if l := e.Facts.LoadBalancer; l != nil {
		for i, p := range l.Addresses {
			add(itemPath("facts.loadBalancer.addresses", i), "the load balancer's pool", p.String(), p)
		}
	}
	return list
}

// meet reports whether two entries of different environments can be reached by the same people: private addresses of two sites
// cannot, so that one plan of addresses may serve many sites.
func meet(a, b own) bool {
	apart := a.env.Site != "" && b.env.Site != "" && a.env.Site != b.env.Site
	return a.number != b.number && !(apart && a.prefix.Addr().IsPrivate() && b.prefix.Addr().IsPrivate())
}

// overlaps finds, for each entry, the first one of another environment before it that it overlaps. Of two prefixes that overlap
// one holds the other, so that in the order of their addresses those that hold an entry are all still open when it comes.
func overlaps(list []own) []clash {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(list[a].prefix.Addr().Compare(list[b].prefix.Addr()), cmp.Compare(list[a].prefix.Bits(), list[b].prefix.Bits()))
	})
	first := map[int]int{} // of an entry's number, the first that it overlaps
	var open []int
	for _, i := range order {
		open = slices.DeleteFunc(open, func(o int) bool { return !list[o].prefix.Overlaps(list[i].prefix) })
		for _, o := range open {
			early, late := min(i, o), max(i, o)
			if before, there := first[late]; meet(list[early], list[late]) && (!there || early < before) {
				first[late] = early
			}
		}
		open = append(open, i)
	}
	var found []clash
	for _, late := range slices.Sorted(maps.Keys(first)) {
		found = append(found, clash{own: list[late], first: list[first[late]]})
	}
	return found
}
