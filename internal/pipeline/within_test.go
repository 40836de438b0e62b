package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
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

func TestPlacedSaysOnceWhatIsWrongInManyEnvironments(t *testing.T) {
	var plans []Plan
	var problems [][]error
	for i := range 9 {
		plans = append(plans, Plan{
			Environment: &environment.Environment{Name: fmt.Sprintf("e%d", i)},
			Components:  []component.Component{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		})
		of := []error{errors.New("every"), nil, nil}
		switch {
		case i == 0:
			of[1] = &render.Refusal{Reasons: []string{"one"}}
		case i == 1:
			of[1] = errors.New("other")
		case i < 4:
			of[2] = errors.New("every")
		}
		problems = append(problems, of)
	}
	err := errors.Join(placed(plans, problems)...)
	want := "e0,e1,e2,e3,e4,e5 and 3 more/a: every\ne0/b: one\ne1/b: other\ne2,e3/c: every"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	var refusal *render.Refusal
	if !errors.As(err, &refusal) {
		t.Error("that a guard refused is lost")
	}
}
