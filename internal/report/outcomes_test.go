package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/coldstart"
)

// One cause that stops many Applications is told once, with the notes of each under its name.
func TestOneCauseIsToldOnce(t *testing.T) {
	chain := []coldstart.Link{link("a", 0, id("", "Secret", "a", "s"), "comes from nobody")}
	outcomes := []coldstart.Outcome{
		{Application: "a", Verdict: coldstart.Unknown, Chain: chain, Axiom: "Secret a/s"},
		{Application: "b", Verdict: coldstart.Unhealthy, Chain: chain, Axiom: "Secret a/s"},
		{Application: "c", Verdict: coldstart.Unknown, Chain: chain, Axiom: "Secret a/s", Notes: []string{"drifts"}},
		{Application: "d", Verdict: coldstart.Proven},
		{Application: "e", Verdict: coldstart.Proven, Notes: []string{"drifts"}},
		{Application: "f", Verdict: coldstart.Proven, Notes: []string{"drifts"}},
	}
	const cause = "    ▸ a wave 0 ▸ Secret a/s comes from nobody\n    would be settled by given: Secret a/s\n"
	for _, test := range []struct {
		verbose bool
		want    string
	}{
		{false, "  a, c: UNKNOWN\n" + cause + "    note: c: drifts\n  b: UNHEALTHY\n" + cause + "  e: PROVEN\n    note: drifts\n  f: PROVEN\n    note: drifts\n"},
		{true, "  a: UNKNOWN\n" + cause + "  b: UNHEALTHY\n" + cause + "  c: UNKNOWN\n" + cause + "    note: drifts\n  d: PROVEN\n  e: PROVEN\n    note: drifts\n  f: PROVEN\n    note: drifts\n"},
	} {
		var b strings.Builder
		writeOutcomes(&b, outcomes, test.verbose)
		if diff := cmp.Diff(test.want, b.String()); diff != "" {
			t.Errorf("verbose %v (-want +got):\n%s", test.verbose, diff)
		}
	}
}
