package judge

import (
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

// TestProofs proves every archive without a cluster: what is true of a scenario, and was seen on the real one, gen must say.
func TestProofs(t *testing.T) {
	gen, err := BuildGen(t.Context(), repositoryRoot, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range loadScenarios(t, "*") {
		t.Run(s.Name, func(t *testing.T) {
			settings := healthSettings(t, stack.Argo3, s.Health)
			dir, scratch := t.TempDir(), t.TempDir()
			writeFiles(t, dir, s.fill(s.Repo, "file:///repository"))
			facts, err := s.facts()
			if err != nil {
				t.Fatal(err)
			}
			p, err := gen.Prove(t.Context(), dir, scratch, Around{Argo: stack.Argo3, Settings: settings, Facts: facts})
			if err != nil {
				t.Fatal(err)
			}
			checkProof(t, s, p)
			if t.Failed() {
				text, _ := yaml.Marshal(p)
				t.Logf("%s", text)
			}
		})
	}
}

// checkProof compares a proof with what the archive says is true.
func checkProof(t *testing.T, s Scenario, p Proof) {
	t.Helper()
	if p.Verdict != s.Want.Verdict {
		t.Errorf("gen proves %s, true is %s", p.Verdict, s.Want.Verdict)
	}
	if s.Axiom != "" && !slices.Contains(p.Axioms(), s.Axiom) {
		t.Errorf("gen lacks %q, true is %q", p.Axioms(), s.Axiom)
	}
	if b := s.Want.Blocked; b != "" && !slices.ContainsFunc(p.Applications, func(p Proved) bool { return p.Blocked != nil && p.Blocked.Kind+" "+p.Blocked.Name == b }) {
		t.Errorf("gen does not name %s as what blocks: %+v", b, p.Applications)
	}
	if m := s.Want.MayFail; m != "" && !slices.ContainsFunc(p.Applications, func(p Proved) bool {
		return slices.ContainsFunc(p.MayFail, func(x Moment) bool { return x.Object.Kind+" "+x.Object.Name == m })
	}) {
		t.Errorf("gen does not name %s as what an attempt may fail for: %+v", m, p.Applications)
	}
}
