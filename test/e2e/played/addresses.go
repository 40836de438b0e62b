package played

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// pool is a set of addresses and the Services that may have one.
type pool struct {
	name   string
	ranges []span
	takes  func(*kube.Object) bool
	asked  bool // only Services that ask for it, or for an address of it, have one
}

// span is a range of addresses, both ends included.
type span struct{ first, last netip.Addr }

func (s span) holds(a netip.Addr) bool { return s.first.Compare(a) <= 0 && a.Compare(s.last) <= 0 }

// provider gives Services addresses out of pools. Addresses that Services share are not played.
type provider struct {
	serves func(class string) bool
	asks   []string // annotations by which a Service asks for addresses
	named  []string // annotations by which it asks for a pool
	whole  bool     // it gives all addresses that are asked for, or none
	pools  []pool
}

// assign gives each waiting Service that the provider serves what it may have.
func (w *World) assign(ctx context.Context, p provider) error {
	services, err := w.Client.List(ctx, "v1", "Service", "")
	if err != nil {
		return err
	}
	used := map[netip.Addr]bool{}
	for _, s := range services {
		for _, spot := range spots(&s) {
			if a, err := netip.ParseAddr(spot.ip); err == nil {
				used[a] = true
			}
		}
	}
	for _, s := range services {
		if kube.Field(&s, "spec", "type") != "LoadBalancer" || len(spots(&s)) > 0 || !p.serves(kube.Field(&s, "spec", "loadBalancerClass")) {
			continue
		}
		var given []spot
		for _, a := range p.choose(&s, used) {
			used[a] = true
			given = append(given, spot{ip: a.String()})
		}
		if len(given) == 0 {
			continue
		}
		w.once("played: %s gets %s", kube.Name(&s), given[0].ip)
		if err := w.status(ctx, &s, given); err != nil {
			return err
		}
	}
	return nil
}

// choose gives a Service the addresses that it asks for, else one of each of its families.
func (p provider) choose(s *kube.Object, used map[netip.Addr]bool) []netip.Addr {
	wanted := wantedAddresses(s, p.asks)
	var out []netip.Addr
	for _, a := range wanted {
		if !used[a] && p.holds(s, a) {
			out = append(out, a)
		}
	}
	if p.whole && len(out) < len(wanted) {
		return nil
	}
	if len(wanted) > 0 {
		return out
	}
	families, _, _ := unstructured.NestedStringSlice(s.Object, "spec", "ipFamilies")
	for _, family := range families {
		if a, found := p.free(s, family == "IPv4", used); found {
			out = append(out, a)
		}
	}
	return out
}

func (p provider) holds(s *kube.Object, a netip.Addr) bool {
	return slices.ContainsFunc(p.open(s, true), func(o pool) bool {
		return slices.ContainsFunc(o.ranges, func(r span) bool { return r.holds(a) })
	})
}

// free is the first free address of a family, looked for among the first 256 of each range.
func (p provider) free(s *kube.Object, four bool, used map[netip.Addr]bool) (netip.Addr, bool) {
	for _, o := range p.open(s, false) {
		for _, r := range o.ranges {
			for a, n := r.first, 0; a.Is4() == four && r.holds(a) && n < 256; a, n = a.Next(), n+1 {
				if !used[a] {
					return a, true
				}
			}
		}
	}
	return netip.Addr{}, false
}

// open are the pools out of which a Service may have an address.
func (p provider) open(s *kube.Object, byAddress bool) []pool {
	name := annotated(s, p.named)
	var out []pool
	for _, o := range p.pools {
		if o.takes(s) && (name == "" || name == o.name) && (!o.asked || byAddress || name != "") {
			out = append(out, o)
		}
	}
	return out
}

func annotated(o *kube.Object, keys []string) string {
	for _, key := range keys {
		if text := o.GetAnnotations()[key]; text != "" {
			return text
		}
	}
	return ""
}

// wantedAddresses are those that a Service asks for, by its field and by an annotation.
func wantedAddresses(s *kube.Object, asks []string) []netip.Addr {
	var out []netip.Addr
	for _, text := range strings.Split(kube.Field(s, "spec", "loadBalancerIP")+","+annotated(s, asks), ",") {
		if a, err := netip.ParseAddr(strings.TrimSpace(text)); err == nil && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// parseSpan reads a CIDR, two addresses with a dash between, or one address.
func parseSpan(text string) (span, bool) {
	if prefix, err := netip.ParsePrefix(strings.TrimSpace(text)); err == nil {
		return span{prefix.Masked().Addr(), lastOf(prefix)}, true
	}
	from, to, found := strings.Cut(text, "-")
	if !found {
		to = from
	}
	first, err := netip.ParseAddr(strings.TrimSpace(from))
	if err != nil {
		return span{}, false
	}
	last, err := netip.ParseAddr(strings.TrimSpace(to))
	return span{first, last}, err == nil
}

func lastOf(prefix netip.Prefix) netip.Addr {
	b := prefix.Masked().Addr().AsSlice()
	for i := prefix.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// selects reads a label selector; one that cannot be read selects nothing.
func selects(raw map[string]any) labels.Selector {
	var s metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &s); err != nil {
		return labels.Nothing()
	}
	selector, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}
