package transform

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/coldstart-gitops/gen/internal/component"
)

// randomComponents draws components that need earlier ones, or any others where cycles is set; some share a wave, some have one
// by hand.
func randomComponents(t *rapid.T, cycles bool) []component.Component {
	n := rapid.IntRange(1, 9).Draw(t, "components")
	out := make([]component.Component, n)
	for i := range out {
		out[i] = comp(fmt.Sprintf("c%d", i))
		if rapid.IntRange(0, 3).Draw(t, "hand") == 0 {
			out[i] = inWave(out[i], rapid.IntRange(-3, 6).Draw(t, "wave"))
		}
		last := i - 1
		if cycles {
			last = n - 1
		}
		for range rapid.IntRange(0, 2).Draw(t, "needs") {
			if last < 0 {
				continue
			}
			out[i].Needs = append(out[i].Needs, fmt.Sprintf("c%d", rapid.IntRange(0, last).Draw(t, "need")))
		}
		if i > 0 && rapid.IntRange(0, 5).Draw(t, "with") == 0 {
			out[i].With = fmt.Sprintf("c%d", rapid.IntRange(0, i-1).Draw(t, "other"))
		}
	}
	return out
}

// TestWavesHold checks whatever comes out against the promises, without the solver's own words: waves by hand are kept,
// partners share a wave, needs come first (or together, if both waves are by hand), and no free wave could be lower.
func TestWavesHold(t *testing.T) {
	solved := 0
	rapid.Check(t, func(t *rapid.T) {
		components := randomComponents(t, rapid.Bool().Draw(t, "cycles"))
		order, err := Waves(lab, components, nil)
		if err != nil {
			return
		}
		solved++
		hand := map[string]bool{} // by wave group: a partner's wave by hand holds for both
		groups := groups(components)
		for _, c := range components {
			hand[groups[c.Name]] = hand[groups[c.Name]] || c.Wave != nil
		}
		for _, c := range components {
			wave := order.Waves[c.Name]
			if c.Wave != nil && wave != *c.Wave {
				t.Fatalf("%s: wave %d, by hand %d", c.Name, wave, *c.Wave)
			}
			if c.With != "" && wave != order.Waves[c.With] {
				t.Fatalf("%s: wave %d, but %d for %s", c.Name, wave, order.Waves[c.With], c.With)
			}
			for _, need := range c.Needs {
				a, b := groups[c.Name], groups[need]
				together := a == b || hand[a] && hand[b]
				if before := order.Waves[need]; before > wave || before == wave && !together {
					t.Fatalf("%s (wave %d) needs %s (wave %d)", c.Name, wave, need, before)
				}
			}
		}
		again, err := Waves(lab, components, nil)
		if err != nil || !cmp.Equal(order, again) {
			t.Fatalf("a second run differs: %v\n%s", err, cmp.Diff(order, again))
		}
	})
	if solved == 0 {
		t.Error("no drawn fleet had an order")
	}
}

// TestFreeFleetsAlwaysHaveAnOrder: without waves by hand, shared waves or cycles nothing can stand in the way, waves begin at 0
// and leave no gap.
func TestFreeFleetsAlwaysHaveAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		components := randomComponents(t, false)
		for i := range components {
			components[i].Wave, components[i].With = nil, ""
		}
		order, err := Waves(lab, components, nil)
		if err != nil {
			t.Fatal(err)
		}
		used := map[int]bool{}
		for _, wave := range order.Waves {
			used[wave] = true
		}
		for wave := range len(used) {
			if !used[wave] {
				t.Fatalf("wave %d is empty: %v", wave, order.Waves)
			}
		}
	})
}
