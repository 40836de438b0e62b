package pipeline

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/environment"
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

func TestFromRootNamesFilesAsTheRootSeesThem(t *testing.T) {
	mistakes := environment.Mistakes{
		{Origin: environment.Origin{File: "lab.yaml", Line: 35, Column: 3}, Field: "facts", Message: "why"},
		{Origin: environment.Origin{Layer: "component cilium"}, Message: "built in"},
	}
	want := "environments/lab.yaml:35:3: facts: why\ncomponent cilium: built in"
	if diff := cmp.Diff(want, fromRoot(mistakes).Error()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if mistakes[0].Origin.File != "lab.yaml" {
		t.Error("the loader's own mistakes were changed")
	}
}
