package generators

import (
	"strings"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// bgp announces the addresses to the peers: one instance on the workers, one setting for all peers, one advertisement of
// every LoadBalancer address.
func (c ciliumOf) bgp(bgp environment.BGP) []manifest.Object {
	advertised := map[string]any{"advertise": "load-balancer"}
	cluster := object(c.stable(), "CiliumBGPClusterConfig", "", "default", c.onWorkers(map[string]any{
		"bgpInstances": []any{map[string]any{"name": "default", "localASN": bgp.ASN, "peers": peers(bgp.Peers)}},
	}))
	peer := object(c.stable(), "CiliumBGPPeerConfig", "", "default", map[string]any{"families": c.families(advertised)})
	advertisement := object(c.stable(), "CiliumBGPAdvertisement", "", "default", map[string]any{"advertisements": []any{map[string]any{
		"advertisementType": "Service",
		"service":           map[string]any{"addresses": list("LoadBalancerIP")},
		"selector":          everyService(),
	}}}).Set(advertised, "metadata", "labels")
	return []manifest.Object{cluster, peer, advertisement}
}

// everyService is a selector that all Services match: without one, Cilium advertises none.
func everyService() map[string]any {
	return map[string]any{"matchExpressions": []any{
		map[string]any{"key": "no-service-has-this-label", "operator": "DoesNotExist"},
	}}
}

// peers names each neighbour by its address, since names must be unique and addresses are.
func peers(declared []environment.Peer) []any {
	out := make([]any, len(declared))
	for i, peer := range declared {
		out[i] = map[string]any{
			"name":          "peer-" + strings.NewReplacer(".", "-", ":", "-").Replace(peer.Address.StringExpanded()),
			"peerASN":       peer.ASN,
			"peerAddress":   peer.Address.String(),
			"peerConfigRef": map[string]any{"name": "default"},
		}
	}
	return out
}

// families lists the address families of the pool, IPv4 first.
func (c ciliumOf) families(advertised map[string]any) []any {
	var v4, v6 bool
	for _, prefix := range c.env.Facts.LoadBalancer.Addresses {
		v4, v6 = v4 || prefix.Addr().Is4(), v6 || prefix.Addr().Is6()
	}
	var families []any
	for _, family := range []struct {
		name string
		used bool
	}{{"ipv4", v4}, {"ipv6", v6}} {
		if family.used {
			families = append(families, map[string]any{
				"afi": family.name, "safi": "unicast", "advertisements": map[string]any{"matchLabels": advertised},
			})
		}
	}
	return families
}
