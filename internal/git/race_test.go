package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
)

const racers = 10

// Ten pipelines of ten successive source commits push at once: the history is linear, what stays is the newest source's
// output, and an older source that comes last is superseded with nothing written.
func TestTenPipelinesOneOutputBranch(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	var sources []string
	for i := range racers {
		sources = append(sources, w.commit("environments/lab", fmt.Sprint(i)))
	}
	sh(t, w.dir, "push", "--quiet")
	outcomes := make([]Outcome, racers)
	var group errgroup.Group
	var pipelines []work
	for range racers {
		pipelines = append(pipelines, clone(t, url))
	}
	for _, i := range rand.Perm(racers) {
		pipeline := pipelines[i]
		group.Go(func() (err error) {
			outcomes[i], err = pipeline.PublishOutputBranch(t.Context(), OutputBranch{Branch: "output/lab", Source: sources[i], SourceBranch: "main"}, pipeline.render)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	checkRace(t, url, sources, outcomes)
	before := sh(t, bare(url), "for-each-ref")
	if got := w.output(sources[3]); got.Kind != Superseded {
		t.Errorf("an older source that comes last: %+v", got)
	}
	if after := sh(t, bare(url), "for-each-ref"); after != before {
		t.Errorf("the remote changed:\n%s\n%s", before, after)
	}
}

func checkRace(t *testing.T, url string, sources []string, outcomes []Outcome) {
	t.Helper()
	written := 0
	for i, outcome := range outcomes {
		t.Logf("source %d: %s", i, outcome.text())
		switch outcome.Kind {
		case Committed:
			written++
		case Refused:
			t.Errorf("source %d: %+v", i, outcome)
		}
	}
	if last := outcomes[len(outcomes)-1].Kind; last != Committed {
		t.Errorf("the newest source ended as %s", last)
	}
	want := []string{"output/base.yaml: rendered base", fmt.Sprintf("output/lab.yaml: rendered %d", len(sources)-1)}
	if d := cmp.Diff(want, files(t, bare(url), "output/lab")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	history := strings.Fields(sh(t, bare(url), "log", "--reverse", "--format=%(trailers:key=Source-Commit,valueonly)", "output/lab"))
	if len(history) != written || sh(t, bare(url), "rev-list", "--count", "--merges", "output/lab") != "0" {
		t.Errorf("%d commits for %d outcomes, or merges", len(history), written)
	}
	position := -1
	for _, source := range history {
		next := indexOf(sources, source)
		if next <= position {
			t.Errorf("source %d came after source %d", next, position)
		}
		position = next
	}
}

func indexOf(list []string, want string) int {
	for i, item := range list {
		if item == want {
			return i
		}
	}
	return -1
}

// Ten clones with an edit each push to one branch at once. Who is refused runs the command that he is told, as often as it
// takes; in the end all ten edits and their output are there.
func TestTenClonesOneBranch(t *testing.T) {
	url := remote(t)
	var group errgroup.Group
	var people []work
	for i := range racers {
		people = append(people, clone(t, url))
		people[i].commit(fmt.Sprintf("environments/e%d", i), fmt.Sprint(i))
	}
	for _, person := range people {
		group.Go(func() error { return publishStubbornly(t.Context(), person) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	w := clone(t, url)
	want := []string{"environments/base: base"}
	for i := range racers {
		want = append(want, fmt.Sprintf("environments/e%d: %d", i, i))
	}
	want = append(want, "output/base.yaml: rendered base")
	for i := range racers {
		want = append(want, fmt.Sprintf("output/e%d.yaml: rendered %d", i, i))
	}
	if d := cmp.Diff(want, files(t, w.dir, "HEAD")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if merges := sh(t, w.dir, "rev-list", "--count", "--merges", "HEAD"); merges != "0" {
		t.Errorf("%s merges", merges)
	}
}

func publishStubbornly(ctx context.Context, w work) error {
	for range 3 * racers {
		out, err := w.PublishSameBranch(ctx, SameBranch{Sources: []string{"environments"}, Output: []string{"output"}}, w.render)
		if err != nil || out.Kind != Refused {
			return err
		}
		if out.Help != "`git pull --rebase origin main && gen push`" {
			return fmt.Errorf("the help is %q", out.Help)
		}
		command := "git pull --rebase origin main"
		if text, err := try(w.dir, strings.Fields(command)[1:]...); err != nil {
			return fmt.Errorf("%s: %w: %s", command, err, text)
		}
	}
	return fmt.Errorf("never got through")
}

// A race that is lost at each attempt ends with the word to run again.
func TestLostRaces(t *testing.T) {
	url := remote(t)
	w, other := clone(t, url), clone(t, url)
	rounds := 0
	out, err := w.PublishSameBranch(t.Context(), SameBranch{Attempts: 2}, func(ctx context.Context, source, base string) (Edit, error) {
		rounds++
		sh(t, other.dir, "pull", "--quiet")
		other.commit("environments/other", fmt.Sprint(rounds))
		sh(t, other.dir, "push", "--quiet")
		return w.render(ctx, source, base)
	})
	if err != nil || out.Kind != Refused || rounds != 2 || out.Help != "`gen push`" {
		t.Errorf("%d rounds, %+v, %v", rounds, out, err)
	}
}

// TestPublishChild is no test: TestKilled runs it in processes that it kills.
func TestPublishChild(t *testing.T) {
	dir := os.Getenv("GEN_TEST_PUBLISH")
	if dir == "" {
		t.Skip("runs as the child of TestKilled")
	}
	w := open(t, dir)
	if _, err := w.PublishOutputBranch(t.Context(), OutputBranch{Branch: "output/lab", SourceBranch: "main"}, w.render); err != nil {
		t.Fatal(err)
	}
}

// Publishing is killed at random moments: whatever is on the branch is whole, and the next run ends as if nothing was.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	url := remote(t)
	w := clone(t, url)
	for round := range 12 {
		for i := range 20 {
			w.write(fmt.Sprintf("environments/f%d", i), fmt.Sprintf("%d of round %d", i, round))
		}
		w.commit("environments/base", fmt.Sprint(round))
		sh(t, w.dir, "add", "environments")
		sh(t, w.dir, "commit", "--quiet", "--amend", "--no-edit")
		sh(t, w.dir, "push", "--quiet")
		child := exec.Command(os.Args[0], "-test.run=^TestPublishChild$")
		child.Env = append(os.Environ(), "GEN_TEST_PUBLISH="+w.dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(400 * time.Millisecond))
		_ = child.Process.Kill()
		_ = child.Wait()
		checkWhole(t, w, url)
		w.output("")
		checkWhole(t, w, url)
	}
	sh(t, bare(url), "fsck", "--full", "--strict")
}

// checkWhole wants the tip of the branch, if there is one, to be exactly the output of the source that it names.
func checkWhole(t *testing.T, w work, url string) {
	t.Helper()
	tip, err := try(bare(url), "rev-parse", "--verify", "--quiet", "output/lab")
	if err != nil {
		return
	}
	source := sh(t, bare(url), "log", "-1", "--format=%(trailers:key=Source-Commit,valueonly)", tip)
	edit, err := w.render(t.Context(), source, "")
	if err != nil {
		t.Fatal(err)
	}
	want := mapText(texts(edit.Write))
	if d := cmp.Diff(want, files(t, bare(url), tip)); d != "" {
		t.Fatalf("a mixture (-want +got)\n%s", d)
	}
}

func texts(m map[string][]byte) map[string]string {
	out := map[string]string{}
	for name, data := range m {
		out[name] = string(data)
	}
	return out
}
