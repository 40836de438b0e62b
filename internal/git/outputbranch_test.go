package git

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (w work) output(source string) Outcome {
	w.t.Helper()
	out, err := w.PublishOutputBranch(w.t.Context(), OutputBranch{Branch: "output/lab", Source: source, SourceBranch: "main"}, w.render)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestOutputBranch(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	first := w.commit("environments/lab", "1")
	sh(t, w.dir, "push", "--quiet")
	if got := w.output(""); got.Kind != Committed || got.Branch != "output/lab" {
		t.Fatalf("got %+v", got)
	}
	other := clone(t, url, "--branch", "output/lab")
	other.commit("output/foreign", "mine")
	other.commit("README", "mine")
	sh(t, other.dir, "push", "--quiet")
	sh(t, w.dir, "mv", "environments/lab", "environments/prod")
	second := w.commit("environments/base", "2")
	if got := w.output(""); got.Kind != Refused || got.Help != "`git push origin HEAD:main && gen push`, or merge it there" {
		t.Fatalf("unpushed source: %+v", got)
	}
	sh(t, w.dir, "push", "--quiet")
	if got := w.output(second); got.Kind != Committed {
		t.Fatalf("got %+v", got)
	}
	want := []string{"README: mine", "output/base.yaml: rendered 2", "output/foreign: mine", "output/prod.yaml: rendered 1"}
	if d := cmp.Diff(want, files(t, bare(url), "output/lab")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if got := w.output(second); got.text() != "unchanged the branch holds this output already" {
		t.Errorf("again: %+v", got)
	}
	if got := w.output(first); got.text() != "superseded the branch shows the output of the newer source "+second[:12] {
		t.Errorf("older: %+v", got)
	}
	if got := sh(t, bare(url), "rev-list", "--count", "output/lab"); got != "4" {
		t.Errorf("%s commits, want 4", got)
	}
}

func TestOutputBranchLateAfterUnchanged(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	first := w.commit("environments/lab", "1")
	second := w.commit("environments/lab", "2")
	w.commit("environments/lab", "broken")
	third := w.commit("environments/lab", "1")
	w.commit("environments/prod", "pending")
	sh(t, w.dir, "push", "--quiet")
	for _, step := range []struct {
		source string
		want   Kind
	}{{first, Committed}, {third, Unchanged}, {second, Superseded}} {
		if got := w.output(step.source); got.Kind != step.want {
			t.Fatalf("got %+v, want %s", got, step.want)
		}
	}
	if got := files(t, bare(url), "output/lab")[1]; got != "output/lab.yaml: rendered 1" {
		t.Error(got)
	}
}

func TestOutputBranchOfOthers(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	sh(t, w.dir, "push", "--quiet", "origin", "HEAD:output/lab")
	if got := w.output(""); got.text() != "refused no commit on output/lab was made by gen, so the branch is someone else's" {
		t.Errorf("got %+v", got)
	}
}

func TestOutputBranchInAnotherRepository(t *testing.T) {
	url, target := remote(t), remote(t)
	w := clone(t, url)
	out, err := w.PublishOutputBranch(t.Context(), OutputBranch{Remote: target, Branch: "lab", SourceBranch: "main"}, w.render)
	if err != nil || out.Kind != Committed {
		t.Fatal(out, err)
	}
	if d := cmp.Diff([]string{"output/base.yaml: rendered base"}, files(t, bare(target), "lab")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if strings.Contains(sh(t, bare(url), "for-each-ref"), "lab") {
		t.Error("the source repository got a branch")
	}
}

func TestOutputBranchPartedSources(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	sh(t, w.dir, "switch", "--quiet", "--create", "side")
	side := w.commit("environments/side", "1")
	sh(t, w.dir, "switch", "--quiet", "main")
	mine := w.commit("environments/mine", "1")
	sh(t, w.dir, "push", "--quiet")
	if got := w.output(mine); got.Kind != Committed {
		t.Fatalf("got %+v", got)
	}
	sh(t, w.dir, "merge", "--quiet", "--no-edit", "side")
	sh(t, w.dir, "push", "--quiet")
	if got := w.output(side); got.Kind != Superseded || !strings.Contains(got.Reason, "the merge holds both") {
		t.Errorf("side: %+v", got)
	}
	out, err := w.PublishOutputBranch(t.Context(), OutputBranch{Branch: "output/lab", Source: side}, w.render)
	if err != nil || out.Kind != Refused {
		t.Errorf("without a source branch: %+v, %v", out, err)
	}
	sh(t, w.dir, "reset", "--quiet", "--hard", "HEAD~2")
	rewritten := w.commit("environments/mine", "2")
	sh(t, w.dir, "push", "--quiet", "--force")
	ci := clone(t, url) // knows nothing of the commit that is gone
	out, err = ci.PublishOutputBranch(t.Context(), OutputBranch{Branch: "output/lab"}, ci.render)
	if err != nil || out.Kind != Refused || !strings.Contains(out.Help, "name the source branch in the model") {
		t.Errorf("rewritten source, without a source branch: %+v, %v", out, err)
	}
	if got := ci.output(rewritten); got.Kind != Committed {
		t.Errorf("rewritten source: %+v", got)
	}
	if d := cmp.Diff([]string{"output/base.yaml: rendered base", "output/mine.yaml: rendered 2"}, files(t, bare(url), "output/lab")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestFarBehind(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	old := w.commit("environments/lab", "1")
	w.output("") // not pushed: refused
	sh(t, w.dir, "push", "--quiet")
	if got := w.output(sh(t, w.dir, "rev-parse", "HEAD~1")); got.Kind != Committed {
		t.Fatalf("got %+v", got)
	}
	tree := sh(t, w.dir, "rev-parse", "HEAD^{tree}")
	tip := old
	for range farBehind + 1 {
		tip = sh(t, w.dir, "commit-tree", tree, "-p", tip, "-m", "more")
	}
	sh(t, w.dir, "push", "--quiet", "origin", tip+":main")
	if got := w.output(old); got.Kind != Superseded || !strings.Contains(got.Reason, "more than 100 commits behind main") {
		t.Errorf("got %+v", got)
	}
}
