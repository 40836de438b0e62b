package environment

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// announce checks how the load balancer's addresses are announced.
func (f factChecker) announce(a Announce) {
	const path = "facts.loadBalancer.announce"
	switch {
	case a.L2 != nil && a.BGP != nil:
		f.add(path, "has both l2 and bgp: two ways would answer for one address; keep one")
	case a.L2 == nil && a.BGP == nil && f.stated(path) && !f.stated(path+".l2") && !f.stated(path+".bgp"):
		f.add(path, "has neither l2 nor bgp: nobody would learn of the addresses; state one")
	}
	if a.L2 != nil {
		f.links(a.L2.Links)
	}
	if a.BGP != nil {
		f.bgp(*a.BGP, path+".bgp")
	}
}

// links checks the links that announce by ARP.
func (f factChecker) links(links []string) {
	const path = "facts.loadBalancer.announce.l2.links"
	var expressions []*regexp.Regexp
	for i, link := range links {
		expression, err := regexp.Compile(link)
		if err != nil {
			f.add(itemPath(path, i), "%q is no regular expression: %v; write ^ens, for example", link, err)
			return
		}
		expressions = append(expressions, expression)
	}
	if len(links) == 0 && f.stated(path) {
		f.add(path, "is empty: no link would announce the addresses; list regular expressions for names of links")
		return
	}
	matches := func(n Node) bool {
		return slices.ContainsFunc(expressions, func(e *regexp.Regexp) bool { return e.MatchString(n.Link) })
	}
	if nodes := f.env.Facts.Nodes; len(nodes) > 0 && len(links) > 0 && !slices.ContainsFunc(nodes, matches) {
		f.add(path, "%s matches no link of any node, so nobody would announce the addresses; name links such as %s", quoteAll(links), nodes[0].Link)
	}
}

// bgp checks the neighbours.
func (f factChecker) bgp(b BGP, path string) {
	f.asn(path+".asn", b.ASN)
	if len(b.Peers) == 0 && f.stated(path+".peers") {
		f.add(path+".peers", "is empty: nobody would learn of the addresses; list the neighbours")
	}
	for i, p := range b.Peers {
		at := itemPath(path+".peers", i)
		f.asn(at+".asn", p.ASN)
		if p.Address.IsValid() && slices.ContainsFunc(b.Peers[:i], func(before Peer) bool { return before.Address == p.Address }) {
			f.add(at+".address", "%s stands there twice; keep one", p.Address)
		}
	}
}

// asn checks an AS number.
func (f factChecker) asn(path string, asn int64) {
	if f.stated(path) && (asn < 1 || asn >= math.MaxUint32) {
		f.add(path, "%d is no AS number; write one between 1 and %d", asn, uint32(math.MaxUint32-1))
	}
}

// frontProxy checks the machine before the load balancer.
func (f factChecker) frontProxy(p FrontProxy) {
	header := p.Protocol == "proxy-v1" || p.Protocol == "proxy-v2"
	switch {
	case header && len(p.From) == 0 && !f.stated("facts.frontProxy.from"):
		f.add("facts.frontProxy", "%s, but from is missing: it decides whose header is believed, and a header of anybody else forges the client's address; list the proxy's addresses", p.Protocol)
	case !header && p.Protocol != "" && len(p.From) > 0:
		f.add("facts.frontProxy.from", "means something for proxy-v1 and proxy-v2 only, since %s sends no header; take it out, or state the protocol", p.Protocol)
	}
	for i, prefix := range p.From {
		f.canonical(itemPath("facts.frontProxy.from", i), prefix)
	}
}

// services checks the registries, Vault and the issuer.
func (f factChecker) services() {
	f.mirrors(f.env.Facts.Mirrors)
	if v := f.env.Facts.Vault; v != nil {
		f.address("facts.vault.address", v.Address, "http", "https")
		for _, each := range []struct{ path, value string }{{"facts.vault.mount", v.Mount}, {"facts.vault.path", v.Path}} {
			if strings.Trim(each.value, "/") != each.value {
				f.add(each.path, "%q begins or ends with a slash: Vault's paths do not; write %s", each.value, strings.Trim(each.value, "/"))
			}
		}
	}
	a := f.env.Facts.ACME
	if a == nil {
		return
	}
	f.address("facts.acme.server", a.Server, "https")
	if a.Email != "" && !strings.Contains(a.Email, "@") {
		f.add("facts.acme.email", "%q is no mail address; write name@example.com", a.Email)
	}
	switch {
	case a.Solver == "dns01" && len(a.DNS01) == 0:
		f.add("facts.acme.dns01", "missing: it decides which DNS server proves the domain; state the solver as cert-manager has it")
	case a.Solver == "http01" && len(a.DNS01) > 0:
		f.add("facts.acme.dns01", "means something for solver: dns01 only; take it out, or state that solver")
	}
}

// mirrors checks the mirror map.
func (f factChecker) mirrors(mirrors []Mirror) {
	check := mirrorChecker{func(path, format string, args ...any) { f.add(path, format, args...) }}
	check.all(mirrors, "facts.mirrors")
}

// address holds that text is a URL of one of the schemes.
func (f factChecker) address(path, address string, schemes ...string) {
	if address != "" && !isURL(address, schemes...) {
		f.add(path, "%q is no address; write %s://host", address, schemes[len(schemes)-1])
	}
}

// isURL reports whether text is a URL of one of the schemes, with a host and nothing secret.
func isURL(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Host != "" && u.User == nil
}
