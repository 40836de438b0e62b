package coldstart

import (
	"fmt"
	"testing"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// brokenFleet is a fleet in which every third Application of the first half reads what one of the second half brings, five waves later;
// at most so many do.
func brokenFleet(n, faults int) Input {
	in := fleet(n)
	for i := 0; i < n/2 && faults > 0; i += 3 {
		late, early := &in.Applications[i+n/2], &in.Applications[i]
		*late = late.at(i%10 + 5)
		name := fmt.Sprintf("late-%03d", i)
		late.Objects = append(late.Objects, plain("v1", "ConfigMap", "kube-system", name, nil))
		early.Objects = append(early.Objects, reader("kube-system", fmt.Sprintf("reader-%03d", i), name))
		faults--
	}
	root := &in.Applications[n]
	for i := range n {
		root.Objects[i] = in.Applications[i].Object
	}
	return in
}

// at is the Application in another wave.
func (a Application) at(wave int) Application {
	a.Object = withWave(wave)(a.Object)
	a.Objects = append([]manifest.Object{}, a.Objects...)
	return a
}

// TestCureOfFleet counts the proofs that the search for cures takes: few where one thing is wrong, and no more than the limit where many
// are.
func TestCureOfFleet(t *testing.T) {
	for _, test := range []struct {
		faults, most int
		bounded      bool
	}{{1, 1, false}, {2, 4, false}, {17, 12, true}} {
		in := brokenFleet(100, test.faults)
		proof := Prove(in)
		if proof.Verdict != Deadlock || proof.Tried > test.most || proof.Bounded != test.bounded {
			t.Errorf("%d faults: %s, %d proofs tried, want at most %d; ended early %v", test.faults, proof.Verdict, proof.Tried, test.most, proof.Bounded)
		}
		for _, o := range proof.Outcomes {
			if o.Verdict == Unhealthy && o.Cure == "" || o.Application == "root" && o.Cure == "" {
				t.Errorf("%d faults: %s has no cure: %v", test.faults, o.Application, o.Chain)
			}
		}
	}
}

// BenchmarkProveBroken proves 10 000 objects in 100 Applications, 17 of which wait for what comes later, and looks for cures.
func BenchmarkProveBroken(b *testing.B) { benchmarkBroken(b, 100, 17) }

// BenchmarkProveBrokenLarge proves 100 000 objects broken in one place.
func BenchmarkProveBrokenLarge(b *testing.B) { benchmarkBroken(b, 1000, 1) }

func benchmarkBroken(b *testing.B, n, faults int) {
	b.Helper()
	in := brokenFleet(n, faults)
	b.ReportAllocs()
	for b.Loop() {
		if proof := Prove(in); proof.Verdict != Deadlock {
			b.Fatal(proof.Verdict)
		}
	}
}
