package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/render"
)

func TestWithinNamesTheComponentOnEveryLine(t *testing.T) {
	err := within{"lab/cilium", errors.Join(errors.New("first\n  detail"), fs.ErrNotExist)}
	want := "lab/cilium: first\n  detail\nlab/cilium: file does not exist"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
}

func TestWithinNamesNoPlaceTwice(t *testing.T) {
	err := within{"lab", errors.Join(errors.New("first"), errors.New("lab/cilium: second\n  detail"), errors.New("lab: third"))}
	want := "lab: first\nlab/cilium: second\n  detail\nlab: third"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestPlacedSaysOnceWhatIsWrongInManyEnvironments(t *testing.T) {
	var all []met
	for i := range 9 {
		env := fmt.Sprintf("e%d", i)
		all = append(all, met{env, "a", errors.New("every")}, met{env, "d", nil})
		switch {
		case i == 0:
			all = append(all, met{env, "b", &render.Refusal{Reasons: []string{"one"}}})
		case i == 1:
			all = append(all, met{env, "b", errors.New("other")})
		case i < 4:
			all = append(all, met{env, "c", errors.New("every")}, met{env, "", errors.New("first\nsecond")})
		}
	}
	err := errors.Join(placed(all)...)
	want := "e0,e1,e2,e3,e4,e5 and 3 more/a: every\ne0/b: one\ne1/b: other\ne2,e3/c: every\ne2,e3: first\ne2,e3: second"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	var refusal *render.Refusal
	if !errors.As(err, &refusal) {
		t.Error("that a guard refused is lost")
	}
}
