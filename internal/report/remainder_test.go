package report

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestRemainder wants every form of a report to say what a cure comes to where that is not PROVEN.
func TestRemainder(t *testing.T) {
	service := manifest.ID{Version: "v1", Kind: "Service", Namespace: "team", Name: "edge"}
	chain := []coldstart.Link{{Application: "a", Object: service, Text: "waits for an address"}}
	for then, want := range map[*coldstart.Remainder]string{
		nil:                                     "cure: move it\n",
		{Verdict: coldstart.Retry, Attempts: 2}: "cure: move it\n      after which it ends RETRY(2)\n",
		{Verdict: coldstart.Deadlock, Chain: chain}:          "cure: move it\n      after which this remains, DEADLOCK:\n      ▸ Service team/edge waits for an address\n",
		{Verdict: coldstart.Unknown, Axiom: "Secret team/s"}: "cure: move it\n      after which this remains, UNKNOWN:\n      would be settled by given: Secret team/s\n",
	} {
		o := coldstart.Outcome{Application: "a", Verdict: coldstart.Deadlock, Cure: "move it", Then: then}
		if text := causeText(o); !strings.HasSuffix(text, want) {
			t.Errorf("%q, want %q at its end", text, want)
		}
		if then != nil && cureText(o) != "move it (after which it ends "+string(then.Verdict)+")" {
			t.Errorf("%q", cureText(o))
		}
	}
}
