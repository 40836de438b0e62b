package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// TestFold states that a fleet's proof says each thing once: what many Applications lack, why many are not known, and notes alike.
func TestFold(t *testing.T) {
	route := id("example.com", "Route", "web", "r")
	lacks := func(app string, object manifest.ID) coldstart.Outcome {
		return coldstart.Outcome{Application: app, Verdict: coldstart.Unknown, Axiom: "kind Route.example.com", Chain: []coldstart.Link{
			link(app, 0, object, "is of a kind"), {Text: "kind Route.example.com comes from nobody"},
		}}
	}
	unseen := func(app, why string) coldstart.Outcome {
		return coldstart.Outcome{Application: app, Verdict: coldstart.Unknown, Axiom: why}
	}
	noted := coldstart.Outcome{Application: "noted", Verdict: coldstart.Proven, Notes: []string{
		"Certificate.cert-manager.io a/one may be refused", "Certificate.cert-manager.io a/two may be refused", "an attempt may fail: x", "an attempt may fail: y",
	}}
	list := []coldstart.Outcome{lacks("a", route), unseen("b", "a chart"), lacks("c", id("example.com", "Route", "web", "s")), unseen("d", "another chart"), unseen("e", "a chart"), noted}
	var b strings.Builder
	proof := coldstart.Proof{Verdict: coldstart.Unknown, Outcomes: list, Drafts: []string{"kind Route.example.com", "kind X"}, Judged: true}
	if err := WriteProofs(&b, []pipeline.Proved{{Name: "fleet", Proof: proof}}, false); err != nil {
		t.Fatal(err)
	}
	want := `fleet: UNKNOWN
  Applications: 5 UNKNOWN, 1 PROVEN
  a, c: UNKNOWN
    ▸ a wave 0 ▸ Route.example.com web/r is of a kind (and the like in 1 more; -v shows all)
    ▸ kind Route.example.com comes from nobody
    would be settled by given: kind Route.example.com
  b, e: UNKNOWN
    not known: a chart
  d: UNKNOWN
    not known: another chart
  noted: PROVEN
    note: Certificate.cert-manager.io a/one (and 1 more) may be refused
    note: an attempt may fail: x
    note: an attempt may fail: y
  next: --write-given drafts the list ` + "`given:`" + ` of what would settle it (2 facts); what is not in the folder can be rendered into it
  always given: ` + always + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.Reset()
	if err := WriteProofs(&b, []pipeline.Proved{{Name: "fleet", Proof: proof}}, true); err != nil {
		t.Fatal(err)
	}
	for _, all := range []string{"  c: UNKNOWN\n    ▸ c wave 0 ▸ Route.example.com web/s is of a kind\n", "  e: UNKNOWN\n", "a/two may be refused"} {
		if !strings.Contains(b.String(), all) {
			t.Errorf("-v says nothing of %q in\n%s", all, b.String())
		}
	}
}

// TestFoldKeeps states that what has a verdict of its own is told in full: each object that makes an Application fail.
func TestFoldKeeps(t *testing.T) {
	var list []coldstart.Outcome
	for i := range 3 {
		name := fmt.Sprint("app", i)
		list = append(list, coldstart.Outcome{Application: name, Verdict: coldstart.Fails, Chain: []coldstart.Link{
			link(name, 0, id("", "ConfigMap", "gone", name), "lives in a namespace"), {Text: "namespace gone comes from nobody"},
		}})
	}
	var b strings.Builder
	writeOutcomes(&b, list, false)
	for i := range 3 {
		if want := fmt.Sprintf("  app%[1]d: FAILS\n    ▸ app%[1]d wave 0 ▸ ConfigMap gone/app%[1]d lives in a namespace\n", i); !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestPageNamesKind states that the page says of what kind an object is that has no name.
func TestPageNamesKind(t *testing.T) {
	chain := []coldstart.Link{link("app", 0, id("example.com", "Nameless", "", ""), "has no name")}
	proof := coldstart.Proof{Verdict: coldstart.Fails, Outcomes: []coldstart.Outcome{{Application: "app", Verdict: coldstart.Fails, Chain: chain}}}
	var b strings.Builder
	if err := WriteProofPage(&b, []pipeline.Proved{{Name: "fleet", Proof: proof}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `<span class="kind">Nameless</span>`) {
		t.Error("the page says nothing of the kind")
	}
}
