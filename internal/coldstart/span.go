package coldstart

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// span is a run of addresses that a pool gives out.
type span struct {
	first, last netip.Addr
	plain       bool // without those that end in .0 and .255, which some routers drop (MetalLB docs, avoidBuggyIPs)
}

func (s span) holds(a netip.Addr) bool {
	return s.first.Compare(a) <= 0 && a.Compare(s.last) <= 0 && s.gives(a)
}

func holds(list []span, a netip.Addr) bool {
	return list == nil || slices.ContainsFunc(list, func(s span) bool { return s.holds(a) })
}

func (s span) gives(a netip.Addr) bool {
	last := a.AsSlice()[a.BitLen()/8-1]
	return !s.plain || !a.Is4() || last != 0 && last != 255
}

// poolRanges returns the addresses of a pool as they are written: CIDRs, and ranges with a dash.
func poolRanges(pool manifest.Object) []string {
	ranges := textsOf(pool.Fields(), "spec", "addresses")
	for _, block := range append(slices.Clone(pool.List("spec", "blocks")), pool.List("spec", "cidrs")...) {
		cidr := textAt(block, "cidr")
		first := textAt(block, "start")
		last := textAt(block, "stop")
		if last == "" {
			last = first
		}
		ranges = append(ranges, cidr, first+"-"+last)
	}
	return slices.DeleteFunc(ranges, func(text string) bool { return strings.Trim(text, "- ") == "" })
}

// spans returns what a pool gives out; nil where that cannot be read, or nothing is stated: then it is taken to have enough.
func spans(pool manifest.Object) []span {
	var list []span
	edges := pool.String("spec", "allowFirstLastIPs") != "No" // Cilium docs, LB IPAM, CIDRs, Ranges and reserved IPs
	for _, text := range poolRanges(pool) {
		s := span{plain: pool.Get("spec", "avoidBuggyIPs") == true}
		if prefix, err := netip.ParsePrefix(strings.TrimSpace(text)); err == nil {
			s.first, s.last = prefix.Masked().Addr(), lastOf(prefix)
			if !edges && prefix.Addr().BitLen()-prefix.Bits() > 1 {
				s.first, s.last = s.first.Next(), s.last.Prev()
			}
		} else {
			first, last, _ := strings.Cut(text, "-")
			s.first, _ = netip.ParseAddr(strings.TrimSpace(first))
			s.last, _ = netip.ParseAddr(strings.TrimSpace(last))
		}
		if !s.first.IsValid() || !s.last.IsValid() || s.first.BitLen() != s.last.BitLen() {
			return nil
		}
		list = append(list, s)
	}
	return list
}

// lastOf returns the last address of a CIDR.
func lastOf(prefix netip.Prefix) netip.Addr {
	bytes := prefix.Masked().Addr().AsSlice()
	for bit := prefix.Bits(); bit < len(bytes)*8; bit++ {
		bytes[bit/8] |= 1 << (7 - bit%8)
	}
	last, _ := netip.AddrFromSlice(bytes)
	return last
}

// take returns some addresses for a Service, of its families, so many at most. Of a Service that states none any will do: which family is
// the cluster's first is not known.
func take(list []span, c *customer, most int) []netip.Addr {
	var found []netip.Addr
	families := c.families
	if list == nil {
		list, families = []span{{first: netip.IPv4Unspecified(), last: netip.AddrFrom4([4]byte{255, 255, 255, 255})}}, nil
	}
	for _, s := range list {
		family := "IPv6"
		if s.first.Is4() {
			family = "IPv4"
		}
		if len(families) > 0 && !slices.Contains(families, family) {
			continue
		}
		for a := s.first; len(found) < most && a.IsValid() && a.Compare(s.last) <= 0; a = a.Next() {
			if s.gives(a) {
				found = append(found, a)
			}
		}
	}
	return found
}
