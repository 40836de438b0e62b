package transform

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
)

func TestWavesFromDeclaredNeeds(t *testing.T) {
	tests := map[string]struct {
		components []component.Component
		want       map[string]int
		err        string
	}{
		"none":  {want: map[string]int{}},
		"chain": {components: []component.Component{comp("c", "b"), comp("b", "a"), comp("a")}, want: map[string]int{"a": 0, "b": 1, "c": 2}},
		"shared wave": {
			components: []component.Component{comp("cilium"), with(comp("cilium-config", "cilium"), "cilium"), comp("x", "cilium-config")},
			want:       map[string]int{"cilium": 0, "cilium-config": 0, "x": 1},
		},
		"by hand, higher": {
			components: []component.Component{comp("a"), inWave(comp("b", "a"), 7), comp("c", "b")},
			want:       map[string]int{"a": 0, "b": 7, "c": 8},
		},
		"by hand below zero pulls its needs along": {
			components: []component.Component{comp("a"), comp("b", "a"), inWave(comp("c", "b"), -1), comp("d")},
			want:       map[string]int{"a": -3, "b": -2, "c": -1, "d": 0},
		},
		"by hand, contradicted": {
			components: []component.Component{comp("a"), comp("b", "a"), inWave(comp("c", "b", "a"), 1), inWave(comp("d"), 3), inWave(comp("e", "d"), 2)},
			err: `lab.yaml:3:5: components.e.wave: 2 contradicts wave 3 of d, which it needs; set it to 3 or more:
  e needs d: declared`,
		},
		"by hand, needs too high": {
			components: []component.Component{inWave(comp("a"), 2), comp("b", "a"), inWave(comp("c", "b"), 3)},
			err: `lab.yaml:3:5: components.c.wave: 3 is too low, its need b starts in wave 3; set it to 4 or more, or take it out:
  c needs b: declared`,
		},
		"equal waves by hand": {
			components: []component.Component{inWave(comp("a", "b"), 1), inWave(comp("b", "a"), 1)},
			want:       map[string]int{"a": 1, "b": 1},
		},
		"cycle": {
			components: []component.Component{comp("a", "b"), comp("b", "c"), comp("c", "a")},
			err: "ordering components: a ▸ b ▸ c ▸ a wait for each other; take a need away, move the object that makes it into a component of its own, or set one `wave:` by hand on all of them, so that they start together:\n" +
				"  a needs b: declared\n  b needs c: declared\n  c needs a: declared",
		},
		"two waves by hand in one group": {
			components: []component.Component{inWave(comp("a"), 1), inWave(with(comp("b"), "a"), 2)},
			err:        "lab.yaml:3:5: components.b.wave: 2 contradicts wave 1 of a: the two start together; give both one wave",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			order, err := Waves(lab, tt.components, nil)
			if got := text(err); got != tt.err {
				t.Fatalf("error (-want +got):\n%s", cmp.Diff(tt.err, got))
			}
			if diff := cmp.Diff(tt.want, order.Waves); diff != "" {
				t.Errorf("waves (-want +got):\n%s", diff)
			}
		})
	}
}
