package git

import (
	"errors"
	"strings"
	"testing"
)

func TestShallow(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	first := w.commit("environments/lab", "1")
	sh(t, w.dir, "push", "--quiet")
	w.output("")
	w.commit("environments/lab", "2")
	sh(t, w.dir, "push", "--quiet")
	shallow := clone(t, url, "--depth=1")
	_, err := shallow.PublishOutputBranch(t.Context(), OutputBranch{Branch: "output/lab", SourceBranch: "main"}, shallow.render)
	if !errors.Is(err, ErrShallow) || !strings.Contains(err.Error(), "git fetch --unshallow") {
		t.Errorf("publishing: got %v", err)
	}
	sh(t, w.dir, "switch", "--quiet", "--detach", first)
	w.commit("environments/side", "1")
	sh(t, w.dir, "push", "--quiet", "origin", "HEAD:refs/heads/side")
	sh(t, shallow.dir, "fetch", "--quiet", "--depth=1", "origin", "side")
	if _, err := shallow.MergeBase(t.Context(), "HEAD", "FETCH_HEAD"); !errors.Is(err, ErrShallow) {
		t.Errorf("merge base: got %v", err)
	}
	sh(t, shallow.dir, "fetch", "--quiet", "--unshallow", "origin", "main", "side")
	if got, err := shallow.MergeBase(t.Context(), "HEAD", "FETCH_HEAD"); err != nil || got == "" {
		t.Errorf("merge base with the whole history: %s, %v", got, err)
	}
	if got := shallow.same(); got.Kind != Committed {
		t.Errorf("same branch: %+v", got)
	}
}

func TestShallowSameBranch(t *testing.T) {
	w := clone(t, remote(t), "--depth=1")
	if got := w.same(); got.Kind != Committed {
		t.Errorf("got %+v", got)
	}
}

func TestMergeBase(t *testing.T) {
	w := clone(t, remote(t))
	base := sh(t, w.dir, "rev-parse", "HEAD")
	mine := w.commit("environments/mine", "1")
	sh(t, w.dir, "switch", "--quiet", "--create", "side", base)
	side := w.commit("environments/side", "1")
	if got, err := w.MergeBase(t.Context(), mine, side); err != nil || got != base {
		t.Errorf("got %s, %v, want %s", got, err, base)
	}
	sh(t, w.dir, "switch", "--quiet", "--orphan", "alone")
	alone := w.commit("environments/alone", "1")
	if _, err := w.MergeBase(t.Context(), mine, alone); err == nil || !strings.Contains(err.Error(), "they share no commit") {
		t.Errorf("got %v", err)
	}
	if _, err := w.MergeBase(t.Context(), "--all", mine); err == nil {
		t.Error("an option as revision: no error")
	}
}
