package coldstart

import (
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// freeAddress is the fact that of the pools which fit the Service Namespace/Name an address is left for it.
const freeAddress needs.Type = "free-address"

// customer is a Service that takes an address from pools. One that its controller makes of another object is waited for by that one.
type customer struct {
	holder   *node
	service  manifest.Object
	pools    []*node
	families []string
	key      string // by which it shares its address; empty where it does not
}

// enroll keeps a Service that only pools give an address, until all of them are known.
func (w *world) enroll(holder, n *node, pools []*node) {
	c := &customer{holder: holder, service: n.task.Object, pools: pools, families: textsOf(n.task.Object.Fields(), "spec", "ipFamilies")}
	c.key = c.sharingKey()
	known := func(other *customer) bool { return other.service.ID() == n.id && other.holder.app.on == holder.app.on }
	if len(pools) > 0 && !slices.ContainsFunc(w.customers, known) {
		w.customers = append(w.customers, c)
	}
}

// wanted returns the addresses that a Service asks a pool for.
func (c *customer) wanted(pool *node) []netip.Addr {
	annotations := ciliumAsks
	if pool.id.Group == "metallb.io" {
		annotations = metalAsks
	}
	var list []netip.Addr
	for _, text := range asked(c.service, annotations...) {
		if address, err := netip.ParseAddr(text); err == nil {
			list = append(list, address)
		}
	}
	return list
}

// share tells Services for which the pools may have no address left that they wait for one: those that come before may take all. A
// controller gives addresses in the order in which it sees the Services.
func (w *world) share() {
	stock := map[*node][]span{}
	var scarce []*customer
	for _, c := range w.customers {
		for _, pool := range c.pools {
			if _, known := stock[pool]; !known {
				stock[pool] = spans(pool.task.Object)
			}
		}
		enough := func(pool *node) bool {
			return len(c.wanted(pool)) == 0 && len(take(stock[pool], c, len(w.customers))) == len(w.customers)
		}
		if !slices.ContainsFunc(c.pools, enough) {
			scarce = append(scarce, c)
		}
	}
	for _, c := range scarce {
		k := w.contended(c, scarce, stock)
		c.holder.localize(k)
		c.holder.healthy = append(c.holder.healthy, k...)
	}
}

// contended returns what a Service waits for whose pools are shared with others: pools that are more than the others can take, or nobody.
func (w *world) contended(c *customer, all []*customer, stock map[*node][]span) []need {
	var rivals []*customer
	for _, r := range all {
		if r != c && r.holder.app.on == c.holder.app.on && w.mayHold(r.holder, c.holder) {
			rivals = append(rivals, r)
		}
	}
	if len(rivals) == 0 {
		return nil
	}
	pools := w.earliest(c)
	for i := range pools {
		if w.leaves(c, rivals, stock, pools[:i+1]) {
			return poolNeeds(pools[:i+1])
		}
	}
	var names []string
	for _, r := range rivals {
		if slices.ContainsFunc(c.pools, func(pool *node) bool { return slices.Contains(r.pools, pool) }) {
			names = append(names, r.service.ID().Namespace+"/"+r.service.ID().Name)
		}
	}
	if len(names) > 3 {
		names = append(names[:2], strconv.Itoa(len(names)-2)+" more")
	}
	k := wants(named(freeAddress, c.service.ID().Namespace, c.service.ID().Name),
		"wants an address of its own from "+namesOf(c.pools)+", which may have none left once "+strings.Join(names, ", ")+" have theirs: one of them stays without,")
	return []need{k}
}

// poolNeeds returns the pools without which an address may not be left, where one alone is not enough.
func poolNeeds(pools []*node) []need {
	var list []need
	for _, pool := range pools[min(1, len(pools)-1):] {
		if len(pools) > 1 {
			list = append(list, wants(needs.Fact{Type: needs.Exists, Group: pool.id.Group, Kind: pool.id.Kind, Namespace: pool.id.Namespace, Name: pool.id.Name}, "waits for an address, which others may take from the pools before"))
		}
	}
	return list
}

// earliest returns the pools that fit a Service, those first that are there before it.
func (w *world) earliest(c *customer) []*node {
	list := slices.Clone(c.pools)
	late := func(pool *node) int {
		switch {
		case pool.app.in.Bootstrap || w.stands(pool, c.holder):
			return -1
		case pool.app == c.holder.app:
			return pool.step
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b *node) int { return late(a) - late(b) })
	return list
}

// leaves reports whether some address of the pools is left for a Service once as many of its rivals as can have one.
func (w *world) leaves(c *customer, rivals []*customer, stock map[*node][]span, pools []*node) bool {
	owner, full := map[netip.Addr]*shared{}, map[netip.Addr]bool{} // full are those from which no search gets any further
	for _, group := range gather(append(slices.Clone(rivals), c)) {
		group.choices = group.candidates(stock, pools, len(rivals)+1)
		seen := maps.Clone(full)
		if group.place(owner, seen) {
			continue
		}
		if full = seen; slices.Contains(group.members, c) {
			return false
		}
	}
	return true
}

// shared are Services that share one address.
type shared struct {
	members []*customer
	choices []netip.Addr
}

// gather puts Services together that may share an address: a key says so, and no port is that of two (MetalLB docs, IP address sharing;
// Cilium docs, LB IPAM, sharing keys: within a namespace, unless annotated). The last one stays last.
func gather(list []*customer) []*shared {
	var groups []*shared
	for _, c := range list {
		if c.key == "" {
			groups = append(groups, &shared{members: []*customer{c}})
			continue
		}
		at := slices.IndexFunc(groups, func(g *shared) bool {
			return !slices.ContainsFunc(g.members, func(other *customer) bool { return !c.sharesWith(other) })
		})
		if at < 0 {
			groups = append(groups, &shared{members: []*customer{c}})
			continue
		}
		g := groups[at]
		g.members = append(g.members, c)
		groups = append(slices.Delete(groups, at, at+1), g)
	}
	return groups
}

func (c *customer) sharesWith(other *customer) bool {
	if c.key == "" || c.key != other.key {
		return false
	}
	mine := ports(c.service)
	return !slices.ContainsFunc(ports(other.service), func(p string) bool { return slices.Contains(mine, p) })
}

// ports returns what a Service listens on, protocol and number.
func ports(service manifest.Object) []string {
	var list []string
	for _, port := range service.List("spec", "ports") {
		protocol := textAt(port, "protocol")
		if protocol == "" {
			protocol = "TCP"
		}
		if number, ok := valueAt(port, "port").(int64); ok {
			list = append(list, protocol+strconv.FormatInt(number, 10))
		}
	}
	return list
}

// candidates returns the addresses that Services may be given: those that one of them asks for, else of each pool as many as there are
// Services.
func (g *shared) candidates(stock map[*node][]span, pools []*node, most int) []netip.Addr {
	var list []netip.Addr
	first := slices.MaxFunc(g.members, func(a, b *customer) int { return len(a.wanted(a.pools[0])) - len(b.wanted(b.pools[0])) })
	for _, pool := range pools {
		wanted := first.wanted(pool)
		switch {
		case !slices.Contains(first.pools, pool):
		case len(wanted) == 0:
			list = append(list, take(stock[pool], first, most)...)
		default:
			list = append(list, slices.DeleteFunc(wanted, func(a netip.Addr) bool { return !holds(stock[pool], a) })...)
		}
	}
	return list
}

// place gives Services an address, moving others to other ones where that helps.
func (g *shared) place(owner map[netip.Addr]*shared, seen map[netip.Addr]bool) bool {
	for _, address := range g.choices {
		if seen[address] {
			continue
		}
		seen[address] = true
		if owner[address] == nil || owner[address].place(owner, seen) {
			owner[address] = g
			return true
		}
	}
	return false
}

// sharingKey is the key by which a Service shares its address; empty where it does not.
func (c *customer) sharingKey() string {
	for _, name := range []string{"metallb.universe.tf/allow-shared-ip", "metallb.io/allow-shared-ip"} {
		if key := c.service.Annotation(name); key != "" {
			return key
		}
	}
	for _, name := range []string{"lbipam.cilium.io/sharing-key", "io.cilium/lb-ipam-sharing-key"} {
		if key := c.service.Annotation(name); key != "" && c.service.Annotation("lbipam.cilium.io/sharing-cross-namespace") != "" {
			return key
		} else if key != "" {
			return c.service.ID().Namespace + " " + key
		}
	}
	return ""
}
