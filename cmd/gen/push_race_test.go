package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

const racers = 10

// remoteFleet is a bare repository whose main holds a model, and what every clone of it runs with.
type remoteFleet struct {
	url string
	env []string
}

// newRemoteFleet publishes the model of one environment; page is the content of its one ConfigMap.
func newRemoteFleet(t *testing.T, git, page string) remoteFleet {
	t.Helper()
	url := filepath.Join(t.TempDir(), "remote.git")
	gitIn(t, t.TempDir(), "init", "--quiet", "--bare", "-b", "main", url)
	f := remoteFleet{url: "file://" + url, env: append([]string{"GEN_CACHE=" + t.TempDir()}, identity...)}
	first := t.TempDir()
	gitIn(t, first, "init", "--quiet", "-b", "main")
	files := plainFleet(git)
	files["environments/manifests/plain/page.yaml"] = configMap("page", page)
	writeFiles(t, first, files)
	commitAll(t, first, "the model")
	gitIn(t, first, "push", "--quiet", f.url, "main")
	return f
}

func (f remoteFleet) clone(t *testing.T) child {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	gitIn(t, t.TempDir(), "clone", "--quiet", f.url, dir)
	return child{dir: dir, env: f.env}
}

// git runs git in the remote.
func (f remoteFleet) git(t *testing.T, args ...string) string {
	t.Helper()
	return gitIn(t, strings.TrimPrefix(f.url, "file://"), args...)
}

func commitAll(t *testing.T, dir, message string) string {
	t.Helper()
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "--quiet", "-m", message)
	return gitIn(t, dir, "rev-parse", "HEAD")
}

// pushing is a running `gen push`.
type pushing struct {
	cmd           *exec.Cmd
	out, messages strings.Builder
}

func (c child) startPush(t *testing.T) *pushing {
	t.Helper()
	p := &pushing{cmd: c.command(t, "022", "push", "-o", "json")}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.messages
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// outcome waits for the end, and returns what the run says of its one branch.
func (p *pushing) outcome(t *testing.T) pushedRow {
	t.Helper()
	waitErr := p.cmd.Wait()
	var rows []pushedRow
	if err := json.Unmarshal([]byte(p.out.String()), &rows); err != nil || len(rows) != 1 {
		t.Errorf("gen push: %v, %v\n%s%s", waitErr, err, p.out.String(), p.messages.String())
		return pushedRow{}
	}
	return rows[0]
}

// freshOutput is git's name of the folder that a fresh clone renders from a commit.
func (f remoteFleet) freshOutput(t *testing.T, commit string) string {
	t.Helper()
	fresh := f.clone(t)
	gitIn(t, fresh.dir, "checkout", "--quiet", "--detach", commit)
	fresh.env = append(slices.Clone(fresh.env), "GEN_CACHE="+t.TempDir())
	fresh.run(t, "022", "render", "-q")
	gitIn(t, fresh.dir, "add", "-f", "output")
	return gitIn(t, fresh.dir, "rev-parse", gitIn(t, fresh.dir, "write-tree")+":output/lab")
}

// Ten pipelines of ten successive source commits push to an output branch at once, each in a checkout as CI makes one: the history is
// linear, what stays is a fresh render of the newest source, and an older source that comes last is superseded and writes nothing.
func TestTenPipelines(t *testing.T) {
	fleet := newRemoteFleet(t, `branch: "env/{env}", mode: output-branch, sourceBranch: main`, "first")
	person := fleet.clone(t)
	var sources []string
	var pipelines []child
	for i := range racers {
		writeFiles(t, person.dir, map[string]string{"environments/manifests/plain/page.yaml": configMap("page", fmt.Sprint(i))})
		sources = append(sources, commitAll(t, person.dir, fmt.Sprintf("source %d", i)))
	}
	gitIn(t, person.dir, "push", "--quiet")
	for _, source := range sources {
		p := fleet.clone(t)
		gitIn(t, p.dir, "checkout", "--quiet", "--detach", source)
		pipelines = append(pipelines, p)
	}
	outcomes := pushAtOnce(t, pipelines)
	written := 0
	for i, o := range outcomes {
		t.Logf("source %d: %s %s", i, o.Action, o.Reason)
		switch o.Action {
		case "committed":
			written++
		case "superseded", "unchanged":
		default:
			t.Errorf("source %d ended as %+v", i, o)
		}
	}
	if last := outcomes[racers-1].Action; last != "committed" {
		t.Errorf("the newest source ended as %s", last)
	}
	fleet.checkLinear(t, sources, written)
	want := fleet.freshOutput(t, sources[racers-1])
	if got := fleet.git(t, "rev-parse", "env/lab:output/lab"); got != want {
		t.Errorf("the branch holds the folder %s; a fresh render of the newest source is %s", got, want)
	}
	before := fleet.git(t, "for-each-ref")
	if late := pipelines[3].startPush(t).outcome(t); late.Action != "superseded" {
		t.Errorf("an older source that comes last: %+v", late)
	}
	if after := fleet.git(t, "for-each-ref"); after != before {
		t.Errorf("the remote changed:\n%s\n%s", before, after)
	}
	if status := gitIn(t, pipelines[3].dir, "status", "--porcelain"); status != "" {
		t.Errorf("the work tree changed: %s", status)
	}
}

// pushAtOnce pushes from every clone at the same time, started in any order.
func pushAtOnce(t *testing.T, clones []child) []pushedRow {
	t.Helper()
	running := make([]*pushing, len(clones))
	for _, i := range rand.Perm(len(clones)) {
		running[i] = clones[i].startPush(t)
	}
	outcomes := make([]pushedRow, len(clones))
	for i, p := range running {
		outcomes[i] = p.outcome(t)
	}
	return outcomes
}

// checkLinear wants one commit an outcome and no merge on the branch, each from a newer source than the one before.
func (f remoteFleet) checkLinear(t *testing.T, sources []string, written int) {
	t.Helper()
	history := strings.Fields(f.git(t, "log", "--reverse", "--format=%(trailers:key=Source-Commit,valueonly)", "env/lab"))
	if merges := f.git(t, "rev-list", "--count", "--merges", "env/lab"); len(history) != written || merges != "0" {
		t.Errorf("%d commits for %d outcomes, %s merges", len(history), written, merges)
	}
	position := -1
	for _, source := range history {
		next := slices.Index(sources, source)
		if next <= position {
			t.Errorf("source %d came after source %d", next, position)
		}
		position = next
	}
}

// Ten clones with an edit each push to one branch at once. Who is refused runs exactly the command that the message tells, as
// often as it takes; in the end all ten edits and their render are there. Every other clone has committed its output with its
// edit, as a person does before a review, so that generated files conflict.
func TestTenClones(t *testing.T) {
	fleet := newRemoteFleet(t, "branch: main", "first")
	var clones []child
	for i := range racers {
		c := fleet.clone(t)
		writeFiles(t, c.dir, map[string]string{fmt.Sprintf("environments/manifests/plain/edit%d.yaml", i): configMap(fmt.Sprintf("edit%d", i), fmt.Sprint(i))})
		if i%2 == 1 {
			c.run(t, "022", "render", "-q")
		}
		commitAll(t, c.dir, fmt.Sprintf("edit %d", i))
		clones = append(clones, c)
	}
	var race errgroup.Group
	for _, i := range rand.Perm(racers) {
		race.Go(func() error { return clones[i].pushUntilDone(t) })
	}
	if err := race.Wait(); err != nil {
		t.Fatal(err)
	}
	last := fleet.clone(t)
	if merges := gitIn(t, last.dir, "rev-list", "--count", "--merges", "HEAD"); merges != "0" {
		t.Errorf("%s merges", merges)
	}
	for i := range racers {
		for _, name := range []string{"environments/manifests/plain/edit%d.yaml", "output/lab/components/plain/configmap_plain_edit%d.yaml"} {
			if _, err := os.Stat(filepath.Join(last.dir, fmt.Sprintf(name, i))); err != nil {
				t.Error(err)
			}
		}
	}
	want := fleet.freshOutput(t, "HEAD")
	if got := gitIn(t, last.dir, "rev-parse", "HEAD:output/lab"); got != want {
		t.Errorf("the branch holds the folder %s; a fresh render is %s", got, want)
	}
	last.run(t, "022", "check")
}

// commandInTicks finds the commands that a message tells to run.
var commandInTicks = regexp.MustCompile("`([^`]+)`")

// pushUntilDone pushes; where that is refused it runs the command of the message in a shell, and where that stops in a conflict,
// what the message says for it.
func (c child) pushUntilDone(t *testing.T) error {
	t.Helper()
	out, err := c.shell(t, "gen push")
	for range 5 * racers {
		if err == nil {
			return nil
		}
		commands := commandInTicks.FindAllStringSubmatch(out, -1)
		if len(commands) == 0 || commands[0][1] != "git pull --rebase origin main && gen push" {
			return fmt.Errorf("gen push: %w, and no command in\n%s", err, out)
		}
		if out, err = c.shell(t, commands[0][1]); err == nil || !c.rebasing() {
			continue
		}
		if len(commands) < 3 {
			return fmt.Errorf("a conflict, and no command for it was told: %s", out)
		}
		for rounds := 0; c.rebasing(); rounds++ {
			if out, err = c.shell(t, commands[1][1]); rounds > racers {
				return fmt.Errorf("%s: %w: %s", commands[1][1], err, out)
			}
		}
		out, err = c.shell(t, commands[2][1])
	}
	return fmt.Errorf("never got through: %s", out)
}

func (c child) shell(t *testing.T, command string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), c.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// rebasing reports whether a rebase stopped in a conflict.
func (c child) rebasing() bool {
	_, err := os.Stat(filepath.Join(c.dir, ".git", "rebase-merge"))
	return err == nil
}
