package transform

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/coldstart-gitops/gen/internal/component"
)

// TestWhy states the sentence for each way in which a component comes by its wave.
func TestWhy(t *testing.T) {
	all := []component.Component{
		comp("cilium"), with(comp("cilium-config", "cilium"), "cilium"), comp("argo", "cilium"), comp("web", "argo", "cilium"),
		inWave(comp("late", "hand"), 7), inWave(comp("hand"), 7), comp("alone"), with(comp("beside"), "alone"),
	}
	order, err := Waves(lab, all, bundles(t,
		"cilium", "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: cilium}, spec: {type: LoadBalancer}}",
		"cilium-config", "{apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, metadata: {name: p}}"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range all {
		got[c.Name] = order.Why(c, all)
	}
	mutual := "because cilium needs cilium-config: Service cilium/s waits for an address (CiliumLoadBalancerIPPool.cilium.io p), and cilium-config needs cilium: declared"
	want := map[string]string{
		"cilium":        "started together with cilium-config, " + mutual,
		"cilium-config": "started together with cilium, " + mutual,
		"argo":          "waits for cilium in wave 0",
		"web":           "waits for argo in wave 1",
		"late":          "its wave is set by hand; and finds hand by trying again, since both waves are set by hand",
		"hand":          "its wave is set by hand",
		"alone":         "started together with beside, because one of them asks for it",
		"beside":        "started together with alone, because one of them asks for it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUnrelatedChangesMoveNoWave adds a component that nobody needs, and takes it away: the waves of all others stay.
func TestUnrelatedChangesMoveNoWave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		components := randomComponents(t, false)
		before, err := Waves(lab, components, nil)
		if err != nil {
			return
		}
		added := comp("added")
		for i := range rapid.IntRange(0, len(components)).Draw(t, "needs") {
			added.Needs = append(added.Needs, fmt.Sprintf("c%d", i))
		}
		after, err := Waves(lab, append(components[:len(components):len(components)], added), nil)
		if err != nil {
			t.Fatalf("an unrelated component leaves no order: %v", err)
		}
		for name, wave := range before.Waves {
			if after.Waves[name] != wave {
				t.Fatalf("%s moved from wave %d to %d", name, wave, after.Waves[name])
			}
		}
	})
}
