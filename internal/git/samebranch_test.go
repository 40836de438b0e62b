package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (w work) same() Outcome {
	w.t.Helper()
	out, err := w.PublishSameBranch(w.t.Context(), SameBranch{Sources: []string{"environments"}, Output: []string{"output"}}, w.render)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestSameBranch(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	w.commit("environments/lab", "1")
	w.write("output/lab.yaml", "what gen render wrote before\n")
	w.write("output/foreign", "mine")
	if got := w.same(); got.Kind != Committed || got.Help != "" {
		t.Fatalf("got %+v", got)
	}
	want := []string{"environments/base: base", "environments/lab: 1", "output/base.yaml: rendered base", "output/lab.yaml: rendered 1"}
	if d := cmp.Diff(want, files(t, bare(url), "main")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d := cmp.Diff("?? output/foreign", sh(t, w.dir, "status", "--porcelain")); d != "" {
		t.Errorf("status (-want +got)\n%s", d)
	}
	message := sh(t, w.dir, "log", "-1", "--format=%B")
	if want := "Render all\n\nSource-Commit: " + sh(t, w.dir, "rev-parse", "HEAD~1"); message != want {
		t.Errorf("message %q, want %q", message, want)
	}
	if got := w.same(); got.text() != "unchanged the branch holds this output already" {
		t.Errorf("second run: %+v", got)
	}
	if got := sh(t, bare(url), "rev-list", "--count", "main"); got != "3" {
		t.Errorf("%s commits, want 3", got)
	}
}

func TestSameBranchDeletes(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	w.commit("environments/old/x", "1")
	w.same()
	sh(t, w.dir, "rm", "--quiet", "environments/old/x")
	sh(t, w.dir, "commit", "--quiet", "--message", "old is gone")
	if got := w.same(); got.Kind != Committed || got.Help != "" {
		t.Fatalf("got %+v", got)
	}
	want := []string{"environments/base: base", "output/base.yaml: rendered base"}
	if d := cmp.Diff(want, files(t, bare(url), "main")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if status := sh(t, w.dir, "status", "--porcelain"); status != "" {
		t.Errorf("status %s", status)
	}
}

// A pipeline whose branch moved on renders the newer commit, and never merges text.
func TestSameBranchMovedOn(t *testing.T) {
	url := remote(t)
	pipeline, person := clone(t, url), clone(t, url)
	pipeline.write("output/base.yaml", "what gen render wrote before\n")
	person.commit("environments/lab", "1")
	sh(t, person.dir, "push", "--quiet")
	if got := pipeline.same(); got.Kind != Committed || got.Help != "" {
		t.Fatalf("got %+v", got)
	}
	want := []string{"environments/base: base", "environments/lab: 1", "output/base.yaml: rendered base", "output/lab.yaml: rendered 1"}
	if d := cmp.Diff(want, files(t, bare(url), "main")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if status := sh(t, pipeline.dir, "status", "--porcelain"); status != "" {
		t.Errorf("status %s", status)
	}
}

func TestSameBranchRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		before     func(w, other work)
		want, help string
	}{
		"uncommitted source": {
			func(w, _ work) { w.write("environments/base", "changed") },
			"refused only committed sources are published, and these are not committed: environments/base", "`git add environments && git commit`, or `git stash --include-untracked`",
		},
		"unknown source": {
			func(w, _ work) { w.write("environments/new file", "new") },
			"refused only committed sources are published, and these are not committed: environments/new file", "`git add environments && git commit`, or `git stash --include-untracked`",
		},
		"diverged": {func(w, other work) {
			other.commit("environments/other", "1")
			sh(other.t, other.dir, "push", "--quiet")
			w.commit("environments/mine", "1")
		}, "refused main moved on, and HEAD has commits that it does not have", "`git pull --rebase origin main && gen push`"},
		"detached": {
			func(w, _ work) { sh(w.t, w.dir, "switch", "--quiet", "--detach") },
			"refused HEAD is on no branch", detachedHelp,
		},
		"diverged with output": {
			func(w, other work) {
				other.commit("environments/other", "1")
				sh(other.t, other.dir, "push", "--quiet")
				w.commit("output/lab.yaml", "1")
			}, "refused main moved on, and HEAD has commits that it does not have",
			"`git pull --rebase origin main && gen push`; where generated files conflict, `git restore --source=HEAD --staged --worktree ':/output' && git -c core.editor=true rebase --continue`, until the rebase ends, then `gen push`, which renders them anew",
		},
		"no commit": {
			func(w, _ work) { sh(w.t, w.dir, "switch", "--quiet", "--orphan", "empty") },
			"refused there is no commit yet, so there are no sources to render", "`git add environments && git commit`",
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := remote(t)
			w, other := clone(t, url), clone(t, url)
			w.t, other.t = t, t
			test.before(w, other)
			before := sh(t, bare(url), "for-each-ref")
			got := w.same()
			if got.text() != test.want || got.Help != test.help {
				t.Errorf("got %s; %s", got.text(), got.Help)
			}
			if after := sh(t, bare(url), "for-each-ref"); after != before {
				t.Errorf("the remote changed:\n%s\n%s", before, after)
			}
		})
	}
}

// The branch moved on, and a file that it changes is changed here too, without being a source: what was published stays
// published, what is not committed stays as it is, and the help says how to follow.
func TestWorkTreeThatCannotFollow(t *testing.T) {
	url := remote(t)
	first := clone(t, url)
	first.commit("README", "1")
	sh(t, first.dir, "push", "--quiet")
	pipeline, person := clone(t, url), clone(t, url)
	person.commit("README", "2")
	sh(t, person.dir, "push", "--quiet")
	pipeline.write("README", "mine")
	got := pipeline.same()
	if got.Kind != Committed || !strings.Contains(got.Help, "`git reset --hard "+got.Commit[:12]+"`") {
		t.Errorf("got %+v", got)
	}
	if readme, err := os.ReadFile(filepath.Join(pipeline.dir, "README")); err != nil || string(readme) != "mine" {
		t.Errorf("README is %q, %v", readme, err)
	}
	if tip := sh(t, bare(url), "rev-parse", "main"); tip != got.Commit {
		t.Errorf("the branch is at %s", tip)
	}
}

// A repository whose objects have SHA-256 names.
func TestSHA256(t *testing.T) {
	dir := t.TempDir()
	if out, err := try(dir, "init", "--quiet", "--bare", "--object-format=sha256", "remote.git"); err != nil {
		t.Skipf("this git has no SHA-256: %s", out)
	}
	sh(t, dir, "init", "--quiet", "--object-format=sha256", "work")
	w := open(t, filepath.Join(dir, "work"))
	sh(t, w.dir, "remote", "add", "origin", "file://"+filepath.Join(dir, "remote.git"))
	w.commit("environments/old", "1")
	w.commit("environments/lab", "1")
	sh(t, w.dir, "push", "--quiet", "origin", "HEAD:main")
	if got := w.same(); got.Kind != Committed || got.Help != "" {
		t.Fatalf("got %+v", got)
	}
	sh(t, w.dir, "rm", "--quiet", "environments/old")
	sh(t, w.dir, "commit", "--quiet", "--message", "old is gone")
	if got := w.same(); got.Kind != Committed || got.Help != "" {
		t.Fatalf("got %+v", got)
	}
	if got := w.output(""); got.Kind != Committed {
		t.Fatalf("got %+v", got)
	}
	want := []string{"environments/lab: 1", "output/lab.yaml: rendered 1"}
	if d := cmp.Diff(want, files(t, filepath.Join(dir, "remote.git"), "main")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// A file that becomes a folder, and a folder that becomes a file, in the branch and in the work tree.
func TestFileBecomesFolder(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	w.write("output/foreign", "mine")
	w.same()
	for _, step := range []struct {
		edit Edit
		want []string
	}{
		{Edit{Write: map[string][]byte{"output/x/y": []byte("1")}}, []string{"output/base.yaml: rendered base", "output/x/y: 1"}},
		{Edit{Write: map[string][]byte{"output/x": []byte("2")}, Delete: []string{"output/x/y"}}, []string{"output/base.yaml: rendered base", "output/x: 2"}},
		{Edit{Write: map[string][]byte{"output/x/z": []byte("3")}, Delete: []string{"output/x"}}, []string{"output/base.yaml: rendered base", "output/x/z: 3"}},
	} {
		got, err := w.PublishSameBranch(t.Context(), SameBranch{Output: []string{"output"}}, func(context.Context, string, string) (Edit, error) { return step.edit, nil })
		if err != nil || got.Kind != Committed || got.Help != "" {
			t.Fatalf("%+v, %v", got, err)
		}
		if d := cmp.Diff(step.want, files(t, bare(url), "main")[1:]); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		if d := cmp.Diff("?? output/foreign", sh(t, w.dir, "status", "--porcelain")); d != "" {
			t.Errorf("status (-want +got)\n%s", d)
		}
	}
}

// Continuous integration checks a commit out without its branch, which is named then.
func TestSameBranchDetached(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	sh(t, w.dir, "switch", "--quiet", "--detach")
	request := SameBranch{Branch: "main", Sources: []string{"environments"}, Output: []string{"output"}}
	got, err := w.PublishSameBranch(t.Context(), request, w.render)
	if err != nil || got.Kind != Committed || got.Help != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	if head := sh(t, w.dir, "rev-parse", "HEAD"); head != got.Commit || sh(t, bare(url), "rev-parse", "main") != head {
		t.Errorf("HEAD is %s, published was %s", head, got.Commit)
	}
	if out, err := try(w.dir, "symbolic-ref", "HEAD"); err == nil {
		t.Errorf("HEAD is on %s", out)
	}
	// What it checks out for a pull request is a merge with the target branch, which nobody made.
	sh(t, w.dir, "push", "--quiet", "origin", "HEAD:refs/heads/request")
	sh(t, w.dir, "switch", "--quiet", "--create", "target", "main")
	w.commit("environments/target", "1")
	sh(t, w.dir, "switch", "--quiet", "--detach")
	sh(t, w.dir, "merge", "--quiet", "-m", "merge request into target", got.Commit)
	request.Branch = "request"
	before := sh(t, bare(url), "for-each-ref")
	got, err = w.PublishSameBranch(t.Context(), request, w.render)
	if err != nil || got.Kind != Refused || !strings.Contains(got.Reason, "pushing would merge the branch") || !strings.Contains(got.Help, "git fetch origin request") {
		t.Errorf("%+v, %v", got, err)
	}
	if after := sh(t, bare(url), "for-each-ref"); after != before {
		t.Errorf("the remote changed:\n%s\n%s", before, after)
	}
}
