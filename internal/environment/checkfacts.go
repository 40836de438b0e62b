package environment

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// factChecker holds the joined facts of one environment against each other.
type factChecker struct {
	joiner
	env *Environment
}

// add notes a mistake in a fact, at its place.
func (f factChecker) add(path, format string, args ...any) {
	if f.own.broken[path] || f.site != nil && f.site.broken[path] {
		return // it holds a reference, which is noted, or could not be read
	}
	f.c.add(f.find(path), path, format, args...)
}

// check checks every fact that is stated. What the decoder refused already is zero here, and passed over.
func (f factChecker) check() {
	facts := f.env.Facts
	if facts.Domain != "" && !dnsName.MatchString(facts.Domain) {
		f.add("facts.domain", "%q is no DNS domain; write it in lower case and without a dot at its end, like lab.example.com", facts.Domain)
	}
	for i, server := range facts.NTP {
		if server != "" && !isHost(server) {
			f.add(itemPath("facts.ntp", i), "%q is no host name or address; write ntp.example.com", server)
		}
	}
	if facts.Network != nil {
		f.network(*facts.Network)
	}
	if facts.ControlPlane != nil {
		f.controlPlane(*facts.ControlPlane)
	}
	f.nodes(facts.Nodes)
	if facts.LoadBalancer != nil {
		f.pool(facts.LoadBalancer.Addresses)
		f.announce(facts.LoadBalancer.Announce)
	}
	if facts.FrontProxy != nil {
		f.frontProxy(*facts.FrontProxy)
	}
	f.services()
}

// dnsName is a lower-case DNS name.
var dnsName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// isHost reports whether text is a host name or an address.
func isHost(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil || dnsName.MatchString(strings.ToLower(text))
}

// claimed is an address or a subnet that is taken, and by what.
type claimed struct {
	path   string
	what   string
	prefix netip.Prefix
}

// subnets are the subnets that must not overlap, in the order in which they are claimed.
func (f factChecker) subnets() []claimed {
	n := f.env.Facts.Network
	if n == nil {
		return nil
	}
	return slices.DeleteFunc([]claimed{
		{"facts.network.nodes", "the nodes' subnet", n.Nodes},
		{"facts.network.pods", "the pods' subnet", n.Pods},
		{"facts.network.services", "the Services' subnet", n.Services},
	}, func(c claimed) bool { return !c.prefix.IsValid() })
}

// network checks the subnets and resolvers.
func (f factChecker) network(n Network) {
	subnets := f.subnets()
	for i, s := range subnets {
		f.canonical(s.path, s.prefix)
		for _, before := range subnets[:i] {
			if s.prefix.Overlaps(before.prefix) {
				f.add(s.path, "%s overlaps %s, %s: addresses in both reach one of the two only; choose another subnet", s.prefix, before.what, before.prefix)
			}
		}
	}
	f.roomy("facts.network.pods", n.Pods, "one node's pods alone take a /24")
	f.roomy("facts.network.services", n.Services, "the cluster's DNS and every Service take an address each")
	if n.Gateway.IsValid() && !(n.Gateway.Is6() && n.Gateway.IsLinkLocalUnicast()) { // a router of IPv6 answers by its link's address
		f.inNodes("facts.network.gateway", n.Gateway, "the gateway")
	}
	for i, address := range n.DNS {
		path := itemPath("facts.network.dns", i)
		f.notInCluster(path, address, "nodes ask it before the cluster runs")
		f.once(path, address, n.DNS[:i])
	}
}

// roomy holds that a subnet has room for 256 addresses.
func (f factChecker) roomy(path string, subnet netip.Prefix, why string) {
	if subnet.IsValid() && subnet.Addr().BitLen()-subnet.Bits() < 8 {
		f.add(path, "%s is too small: %s; write a subnet of at least 256 addresses", subnet, why)
	}
}

// canonical holds that a subnet is written as one.
func (f factChecker) canonical(path string, subnet netip.Prefix) {
	if subnet.IsValid() && subnet != subnet.Masked() {
		f.add(path, "%s is an address inside of a subnet: a subnet is written without it; write %s", subnet, subnet.Masked())
	}
}

// inNodes holds that an address can be one of the nodes' subnet.
func (f factChecker) inNodes(path string, address netip.Addr, what string) {
	n := f.env.Facts.Network
	if n == nil || !n.Nodes.IsValid() {
		return
	}
	switch first, last := edges(n.Nodes); {
	case !n.Nodes.Contains(address):
		f.add(path, "%s is outside of the nodes' subnet %s, so no node reaches %s without a router; write an address inside", address, n.Nodes, what)
	case first != last && (address == first || address == last) && address.Is4() && n.Nodes.Bits() < 31:
		f.add(path, "%s is the subnet's own or its broadcast address; write another one", address)
	}
}

// edges are the first and the last address of a subnet.
func edges(subnet netip.Prefix) (first, last netip.Addr) {
	first = subnet.Masked().Addr()
	bytes := first.AsSlice()
	for bit := subnet.Bits(); bit < first.BitLen(); bit++ {
		bytes[bit/8] |= 1 << (7 - bit%8)
	}
	last, _ = netip.AddrFromSlice(bytes)
	return first, last
}

// notInCluster holds that an address is none of a pod or a Service.
func (f factChecker) notInCluster(path string, address netip.Addr, why string) {
	for _, s := range f.subnets() {
		if s.path != "facts.network.nodes" && s.prefix.Contains(address) {
			f.add(path, "%s is in %s, %s: %s; write an address outside", address, s.what, s.prefix, why)
		}
	}
}

// once holds that an address is listed once.
func (f factChecker) once(path string, address netip.Addr, before []netip.Addr) {
	if address.IsValid() && slices.Contains(before, address) {
		f.add(path, "%s stands there twice; keep one", address)
	}
}

// controlPlane checks where the API server answers.
func (f factChecker) controlPlane(c ControlPlane) {
	if c.Endpoint != "" {
		f.endpoint(c.Endpoint)
	}
	if !c.VIP.IsValid() {
		return
	}
	const path = "facts.controlPlane.vip"
	f.inNodes(path, c.VIP, "the API server")
	f.notInCluster(path, c.VIP, "nodes reach the API server before the cluster runs")
	for i, node := range f.env.Facts.Nodes {
		if node.Address.IsValid() && node.Address.Addr() == c.VIP {
			f.add(path, "%s is the address of node %s (%s): the nodes share this address, so it must be none of theirs; write a free one",
				c.VIP, node.Name, f.find(itemPath("facts.nodes", i)))
		}
	}
	if n := f.env.Facts.Network; n != nil && (n.Gateway == c.VIP || slices.Contains(n.DNS, c.VIP)) {
		f.add(path, "%s is the gateway or a resolver: two machines would answer for it; write a free address", c.VIP)
	}
}

// endpoint checks the API server's address for clients.
func (f factChecker) endpoint(endpoint string) {
	const path = "facts.controlPlane.endpoint"
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
		f.add(path, "%q is no https://host:port; write https://10.10.0.10:6443", endpoint)
	case u.Port() == "":
		f.add(path, "%q has no port: clients would try 443, where no API server listens; write %s:6443", endpoint, strings.TrimSuffix(endpoint, "/"))
	default:
		if port, err := strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			f.add(path, "%q has no possible port; write one between 1 and 65535, usually 6443", endpoint)
		}
	}
}

// nodes checks the machines.
func (f factChecker) nodes(nodes []Node) {
	names, addresses := map[string]int{}, map[netip.Addr]int{}
	controlPlanes := 0
	for i, n := range nodes {
		path := itemPath("facts.nodes", i)
		if n.Role == "controlplane" {
			controlPlanes++
		}
		if first, twice := names[n.Name]; n.Name != "" && twice {
			f.add(path+".name", "node %s stands in %s already: machines of one name replace each other in Kubernetes; rename one", n.Name, f.find(itemPath("facts.nodes", first)+".name"))
		} else if n.Name != "" && !label.MatchString(n.Name) {
			f.add(path+".name", "%q cannot be a node's name; write %s", n.Name, labelForm)
		}
		names[n.Name] = i
		if !n.Address.IsValid() {
			continue
		}
		if first, twice := addresses[n.Address.Addr()]; twice {
			f.add(path+".address", "%s is the address of node %s already; write its own", n.Address.Addr(), nodes[first].Name)
		}
		addresses[n.Address.Addr()] = i
		f.nodeAddress(path+".address", n)
	}
	if len(nodes) > 0 && controlPlanes == 0 {
		f.add("facts.nodes", "none has role: controlplane: nothing would run the API server; give one node, or three, that role")
	}
}

// nodeAddress checks the address of one node.
func (f factChecker) nodeAddress(path string, n Node) {
	address := n.Address.Addr()
	f.inNodes(path, address, "the node")
	network := f.env.Facts.Network
	if network == nil {
		return
	}
	if network.Nodes.Contains(address) && n.Address.Bits() != network.Nodes.Bits() {
		f.add(path, "%s has another prefix length than the nodes' subnet %s, so the node would look for its neighbours in the wrong place; write %s/%d",
			n.Address, network.Nodes, address, network.Nodes.Bits())
	}
	if address == network.Gateway {
		f.add(path, "%s is the gateway's; write the node's own address", address)
	}
}

// pool checks the load balancer's addresses.
func (f factChecker) pool(pool []netip.Prefix) {
	for i, p := range pool {
		path := itemPath("facts.loadBalancer.addresses", i)
		if !p.IsValid() {
			continue
		}
		f.canonical(path, p)
		for j, before := range pool[:i] {
			if before.IsValid() && p.Overlaps(before) {
				f.add(path, "%s overlaps %s, item %d of the list; keep one", p, before, j)
			}
		}
		for _, s := range f.subnets() {
			if s.path != "facts.network.nodes" && p.Overlaps(s.prefix) {
				f.add(path, "%s overlaps %s, %s: nobody outside would reach it; choose other addresses", p, s.what, s.prefix)
			}
		}
		for _, taken := range f.taken() {
			if p.Contains(taken.prefix.Addr()) {
				f.add(path, "%s holds %s, %s (%s): two machines would answer for it; choose other addresses", p, taken.what, taken.prefix.Addr(), f.find(taken.path))
			}
		}
	}
}

// taken are the single addresses that a pool must leave out.
func (f factChecker) taken() []claimed {
	single := func(path, what string, a netip.Addr) claimed {
		if !a.IsValid() {
			return claimed{}
		}
		return claimed{path, what, netip.PrefixFrom(a, a.BitLen())}
	}
	var all []claimed
	if n := f.env.Facts.Network; n != nil {
		all = append(all, single("facts.network.gateway", "the gateway", n.Gateway))
		for i, a := range n.DNS {
			all = append(all, single(itemPath("facts.network.dns", i), "a resolver", a))
		}
	}
	if c := f.env.Facts.ControlPlane; c != nil {
		all = append(all, single("facts.controlPlane.vip", "the API server's address", c.VIP))
	}
	for i, n := range f.env.Facts.Nodes {
		if n.Address.IsValid() {
			all = append(all, single(itemPath("facts.nodes", i)+".address", "node "+n.Name, n.Address.Addr()))
		}
	}
	return slices.DeleteFunc(all, func(c claimed) bool { return c.path == "" })
}
