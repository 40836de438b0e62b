package coldstart

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTimeline states what the stages say of a fleet that hangs in its second wave: the first has passed, the third is never reached.
func TestTimeline(t *testing.T) {
	in := set(1, 0)
	proof := Prove(in)
	got := map[string][]string{}
	for _, o := range proof.Outcomes {
		lines := []string{"under " + o.Parent}
		for _, s := range o.Stages {
			line := fmt.Sprintf("%s %d %s, %d objects, creates %v", s.Phase, s.Wave, s.State, s.Objects, s.Children)
			for _, g := range s.Gates {
				line += fmt.Sprintf(", %s %t", g.Object, g.Well)
			}
			lines = append(lines, line)
		}
		got[o.Application] = lines
	}
	want := map[string][]string{
		"root": {"under ", "Sync 0 stopped, 1 objects, creates [next], Application.argoproj.io argo-system/next false", "Sync 1 not reached, 1 objects, creates [made]"},
		"next": {"under root", "Sync 0 stopped, 1 objects, creates [], Deployment.apps made/d false"},
		"made": {"under root", "Sync 0 not reached, 2 objects, creates []"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, o := range Prove(fleet(3)).Outcomes {
		for _, s := range o.Stages {
			if s.State != Passed {
				t.Errorf("%s: %s %d %s in a proven fleet", o.Application, s.Phase, s.Wave, s.State)
			}
		}
	}
}
