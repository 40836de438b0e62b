package coldstart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// reads is a Deployment of wave 0 whose pods read objects by name.
func reads(name, kind string, names ...string) manifest.Object {
	var from []any
	for _, each := range names {
		from = append(from, map[string]any{strings.ToLower(kind[:1]) + kind[1:] + "Ref": map[string]any{"name": each}})
	}
	return withWave(0)(plain("apps/v1", "Deployment", "default", name, map[string]any{"template": map[string]any{"spec": map[string]any{
		"containers": []any{map[string]any{"name": "c", "envFrom": from}},
	}}}))
}

// knots are Applications side by side, each with a ConfigMap behind a Deployment that reads those of others.
func knots(n int, of func(i int) []string, last ...manifest.Object) Input {
	in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments}
	for i := range n {
		a := Application{Object: child(fmt.Sprintf("a-%03d", i), 0), Objects: []manifest.Object{withWave(1)(plain("v1", "ConfigMap", "default", knot(i), nil))}}
		if names := of(i); names != nil {
			a.Objects = append(a.Objects, reads("d", "ConfigMap", names...))
		} else {
			a.Objects = append(a.Objects, last...)
		}
		in.Applications = append(in.Applications, a)
	}
	return in
}

func knot(i int) string { return fmt.Sprintf("c-%03d", i) }

// TestDenseCircles has every Application wait for every other: the shortest circle is found by steps that grow with the number of
// needs, and not with the number of paths.
func TestDenseCircles(t *testing.T) {
	const n = 40
	in := knots(n, func(i int) []string {
		var names []string
		for j := range n {
			if j != i {
				names = append(names, knot(j))
			}
		}
		return names
	})
	proof, w := run(in)
	for _, o := range proof.Outcomes {
		if o.Verdict != Deadlock || len(o.Chain) != 4 {
			t.Errorf("%s is %s after %d links, want DEADLOCK after 4", o.Application, o.Verdict, len(o.Chain))
		}
	}
	if most := 10 * n * n * n; w.reasons.steps == 0 || w.reasons.steps > most {
		t.Errorf("%d steps for %d Applications, want at most %d", w.reasons.steps, n, most)
	}
}

// TestLongCircle is certain, however long it is; nobody reads all of it.
func TestLongCircle(t *testing.T) {
	for _, n := range []int{2, 5, 30, 100} {
		proof, _ := run(knots(n, func(i int) []string { return []string{knot((i + 1) % n)} }))
		for _, o := range proof.Outcomes {
			if want := min(2*n, chainLength+1); o.Verdict != Deadlock || len(o.Chain) != want {
				t.Fatalf("%d in a circle: %s is %s after %d links, want DEADLOCK after %d", n, o.Application, o.Verdict, len(o.Chain), want)
			}
		}
	}
}

// TestLongChain ends as what stands at its end does, with the fact that settles it.
func TestLongChain(t *testing.T) {
	tests := map[string]struct {
		last  manifest.Object
		want  Verdict
		axiom string
	}{
		"nobody knows of a Secret":  {reads("d", "Secret", "token"), Unknown, "Secret default/token"},
		"nobody brings a namespace": {withWave(0)(plain("v1", "ServiceAccount", "nowhere", "s", nil)), Fails, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			const n = 60
			proof, _ := run(knots(n, func(i int) []string {
				if i == n-1 {
					return nil
				}
				return []string{knot(i + 1)}
			}, tt.last))
			for _, o := range proof.Outcomes {
				if o.Verdict != tt.want || o.Axiom != tt.axiom {
					t.Fatalf("%s is %s, settled by %q; want %s, %q", o.Application, o.Verdict, o.Axiom, tt.want, tt.axiom)
				}
			}
		})
	}
}

// TestUnknownBesideACircle: one way out that nobody knows of leaves the end open; one thing that surely never comes does not.
func TestUnknownBesideACircle(t *testing.T) {
	circle := func(i int) []string { return []string{knot(1 - i)} }
	open := knots(2, circle)
	open.Applications[1].Objects = append(open.Applications[1].Objects, reads("e", "Secret", "token"))
	if proof := Prove(open); proof.Outcomes[0].Verdict != Deadlock || proof.Outcomes[1].Verdict != Deadlock {
		t.Errorf("a circle beside what nobody knows: %s", proof.Verdict)
	}
	out := knots(2, circle)
	out.Applications = append(out.Applications, Application{Object: child("z", 0), Objects: []manifest.Object{
		reads("z", "Secret", "token"), withWave(1)(plain("v1", "ConfigMap", "default", knot(0), nil)),
	}})
	if proof := Prove(out); proof.Outcomes[1].Verdict != Unknown || proof.Outcomes[1].Axiom != "Secret default/token" {
		t.Errorf("a circle with a way out that nobody knows: %s", proof.Outcomes[1].Verdict)
	}
}

// nest is a chain of Applications, each of which brings the next, and a ConfigMap behind it.
func nest(depth int) Input {
	in := Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments}
	name := func(i int) string { return fmt.Sprintf("n-%04d", i) }
	for i := range depth {
		a := Application{Object: child(name(i), 0), Objects: []manifest.Object{withWave(1)(plain("v1", "ConfigMap", "default", name(i), nil))}}
		if i < depth-1 {
			a.Objects = append(a.Objects, child(name(i+1), 0))
		}
		in.Applications = append(in.Applications, a)
	}
	return in
}

func BenchmarkNest(b *testing.B) {
	in := nest(200)
	for b.Loop() {
		if proof, _ := run(in); proof.Verdict != Proven {
			b.Fatal(proof.Verdict)
		}
	}
}
