package coldstart

import (
	"context"
	"errors"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestProveUntil states that a proof ends soon once nobody waits for it: before it begins, while objects are judged, in the middle of a
// proof that looks for a cure. The health check is asked for every object of every proof, so it counts the looks.
func TestProveUntil(t *testing.T) {
	in := abreast(1, 300, 50)
	for i := range in.Applications[:300] { // each has a cure of its own to be looked for
		name := in.Applications[i].Object.ID().Name
		in.Applications[i].Objects = []manifest.Object{
			withWave(1)(plain("v1", "ConfigMap", "kube-system", name, nil)), reader("kube-system", name, name),
		}
	}
	prove := func(most int) (asked int, err error) {
		ctx, stop := context.WithCancelCause(t.Context())
		defer stop(nil)
		if most == 0 {
			stop(errStop)
		}
		counted := in
		counted.Health = func(o manifest.Object) (*argocd.Health, error) {
			if asked++; asked == most {
				stop(errStop)
			}
			return onlyDeployments(o)
		}
		_, err = ProveUntil(ctx, counted)
		return asked, err
	}
	whole, err := prove(-1)
	if err != nil || whole < 3000 {
		t.Fatalf("%d looks, %v", whole, err)
	}
	for _, most := range []int{0, 100, whole / 2, whole - 100} {
		if asked, err := prove(most); !errors.Is(err, errStop) || asked > most+10 {
			t.Errorf("stopped at look %d of %d: %d looks, %v", most, whole, asked, err)
		}
	}
}

var errStop = errors.New("stopped")
