package pipeline

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
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
