package coldstart

import (
	"net/netip"
	"testing"
)

// TestOwnRegistries states which images come from a host that the environment serves itself: where the first part of a reference with several
// parts has a dot or a port.
func TestOwnRegistries(t *testing.T) {
	of := func(host, image string) string {
		return written("networking.k8s.io/v1", "Ingress", "i", "1", "spec: {ingressClassName: c, rules: [{host: "+host+"}]}") +
			written("apps/v1", "Deployment", "web", "0", "spec: {template: {spec: {containers: [{name: c, image: '"+image+"'}]}}}")
	}
	const own, given = "runs pods whose image comes from ", "ability ingress-address"
	runStarts(t, map[string]start{
		"a host":                        {of("registry.example.com", "registry.example.com/web:1"), given, Deadlock, own + "registry.example.com"},
		"a host with a port":            {of("registry", "registry:5000/web"), given, Deadlock, own + "registry:5000"},
		"another host":                  {of("registry.example.com", "other.example.com/web:1"), given, Proven, ""},
		"a folder called like a host":   {of("library", "library/web:1"), given, Proven, ""},
		"an image called like a host":   {of("registry.example.com", "registry.example.com"), given, Proven, ""},
		"an image with a tag, the same": {of("web", "web:1"), given, Proven, ""},
	})
}

// TestInRange states which addresses lie in a prefix, or in a range with both of its ends.
func TestInRange(t *testing.T) {
	for text, want := range map[string][2]string{ // the addresses of 10.0.0.0 to 10.0.0.6 in it, from and to
		"10.0.0.2-10.0.0.4": {"10.0.0.2", "10.0.0.4"}, "10.0.0.2 - 10.0.0.4": {"10.0.0.2", "10.0.0.4"}, "10.0.0.3-10.0.0.3": {"10.0.0.3", "10.0.0.3"},
		"10.0.0.4/31": {"10.0.0.4", "10.0.0.5"}, "10.0.0.4-10.0.0.2": {}, "10.0.0.2-": {}, "-10.0.0.4": {}, "": {}, "10.0.0.2": {}, "fd00::/64": {},
	} {
		var got [2]string
		for address := netip.MustParseAddr("10.0.0.0"); address.Compare(netip.MustParseAddr("10.0.0.6")) <= 0; address = address.Next() {
			if !inRange(address, text) {
				continue
			}
			if got[1] = address.String(); got[0] == "" {
				got[0] = got[1]
			}
		}
		if got != want {
			t.Errorf("%q holds %v, want %v", text, got, want)
		}
	}
}
