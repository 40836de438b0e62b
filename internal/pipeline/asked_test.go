package pipeline

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/environment"
)

// TestAsked states which hosts of a site are handed to the proof as those that machines ask first: given or not, the environment must
// not serve them itself (docs/decisions/0017).
func TestAsked(t *testing.T) {
	facts := environment.Facts{
		Mirrors: []environment.Mirror{{Endpoint: "https://registry.example.com:5000/x"}, {Endpoint: "::no url"}},
		Network: &environment.Network{DNS: []netip.Addr{netip.MustParseAddr("10.0.0.53")}},
		NTP:     []string{"time.example.com"},
	}
	var got []string
	for _, host := range asked(facts) {
		if !strings.Contains(host.Why, host.Name) {
			t.Errorf("%s: the reason %q does not name it", host.Name, host.Why)
		}
		got = append(got, host.Name)
	}
	if text := strings.Join(got, " "); text != "registry.example.com 10.0.0.53 time.example.com" {
		t.Errorf("got %s", text)
	}
}
