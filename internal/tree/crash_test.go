package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// errCrash ends a run as a kill would: nothing after it reaches the folder.
var errCrash = errors.New("killed")

// faulty fails at one operation, before it or in the middle, and at all that follow if it is dead then.
type faulty struct {
	Writer
	at, count int
	half      bool
	err       error
	dead      bool // after the error nothing works: the process is gone
}

func (f *faulty) fails() bool {
	f.count++
	return f.count-1 == f.at || f.dead && f.count-1 > f.at
}

func (f *faulty) Write(name string, data []byte) error {
	if f.fails() {
		if f.half && f.count-1 == f.at {
			_ = f.Writer.Write(name, data[:len(data)/2])
		}
		return f.err
	}
	return f.Writer.Write(name, data)
}

func (f *faulty) Rename(from, to string) error {
	if f.fails() {
		return f.err
	}
	return f.Writer.Rename(from, to)
}

func (f *faulty) Remove(name string) error {
	if f.fails() {
		return f.err
	}
	return f.Writer.Remove(name)
}

// steps are the states that the crash tests go through: growth, change, removal of files, components and environments, a
// file that becomes a folder and back, a file that moves to another owner.
func steps() []model {
	grown, shrunk, turned := fleet(), fleet(), fleet()
	grown["lab/cilium"]["components/cilium/a.yaml"] = strings.Repeat("a", 100)
	grown["lab/cilium"]["components/cilium/c.yaml"] = "c"
	grown["stage"] = map[string]string{"root.yaml": "root"}
	grown["stage/podinfo"] = map[string]string{"components/podinfo/p.yaml": "p"}
	delete(shrunk, "prod")
	delete(shrunk, "prod/cilium")
	delete(shrunk, "lab/podinfo")
	delete(shrunk["lab/cilium"], "components/cilium/b.yaml")
	delete(turned["lab"], "root.yaml")
	turned["lab/cilium"]["root.yaml/x"] = "x"
	delete(turned["lab/podinfo"], "components/podinfo/p.yaml")
	turned["lab/cilium"]["components/podinfo/p.yaml"] = "p"
	return []model{nil, fleet(), grown, shrunk, turned, fleet(), nil}
}

// A crash at every file operation, before it and in its middle, then a run: the folder equals that of an undisturbed run.
// Meanwhile it says that it was interrupted, unless it stands at the beginning or at the end.
func TestCrashAtEveryOperation(t *testing.T) {
	states := steps()
	operations := 0
	for i := 1; i < len(states); i++ {
		before, after := newMemory(), newMemory()
		mustSync(t, before, Scope{}, states[i-1])
		mustSync(t, after, Scope{}, states[i])
		for _, half := range []bool{false, true} {
			for at := 0; ; at++ {
				m := memory{cloneFS(before.MapFS)}
				w := &faulty{Writer: m, at: at, half: half, err: errCrash, dead: true}
				_, err := build(t, states[i]).Sync(t.Context(), scan(t, m, Scope{}), w)
				if err == nil {
					break
				}
				operations++
				if !errors.Is(err, errCrash) {
					t.Fatal(err)
				}
				checkInterrupted(t, m, states[i-1], states[i])
				mustSync(t, m, Scope{}, states[i])
				if d := cmp.Diff(after.text(), m.text()); d != "" {
					t.Fatalf("step %d, crash at operation %d, half %t (-undisturbed +got)\n%s", i, at, half, d)
				}
			}
		}
	}
	t.Logf("%d crashes", operations)
	if operations < 200 {
		t.Errorf("only %d crashes", operations)
	}
}

func cloneFS(m fstest.MapFS) fstest.MapFS {
	out := fstest.MapFS{}
	for name, file := range m {
		copied := *file
		out[name] = &copied
	}
	return out
}

// checkInterrupted wants a folder that holds a mixture to say so.
func checkInterrupted(t *testing.T, m memory, before, after model) {
	t.Helper()
	s := scan(t, m, Scope{})
	if len(s.Interrupted()) > 0 {
		return
	}
	for _, want := range []model{before, after} {
		diff, err := build(t, want).Diff(s)
		if err == nil && len(kinds(diff)) == 0 {
			return
		}
	}
	t.Fatalf("a mixture that does not say so:\n%s", strings.Join(m.text(), "\n"))
}

// A disk that is full, a folder that is read-only: the error names the file and what to do, what stood there is still owned,
// and the next run ends as if nothing had happened.
func TestWriteErrors(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EROFS, fs.ErrPermission} {
		after := newMemory()
		mustSync(t, after, Scope{}, steps()[2])
		for at := 0; ; at++ {
			m := newMemory()
			mustSync(t, m, Scope{}, fleet())
			w := &faulty{Writer: m, at: at, half: true, err: cause}
			_, err := build(t, steps()[2]).Sync(t.Context(), scan(t, m, Scope{}), w)
			if err == nil {
				break
			}
			if !errors.Is(err, cause) || !strings.Contains(err.Error(), "run the command again") {
				t.Fatal(err)
			}
			for name := range m.MapFS {
				if strings.Contains(name, tempPrefix) {
					t.Fatalf("%v at operation %d leaves %s", cause, at, name)
				}
			}
			mustSync(t, m, Scope{}, steps()[2])
			if d := cmp.Diff(after.text(), m.text()); d != "" {
				t.Fatalf("%v at operation %d (-undisturbed +got)\n%s", cause, at, d)
			}
		}
	}
}

// An environment that was interrupted stays so while others are rendered, and each component by itself.
func TestInterruptedIsKept(t *testing.T) {
	m := newMemory()
	mustSync(t, m, Scope{}, fleet())
	changed := fleet()
	for owner := range changed {
		changed[owner]["new.yaml"] = "new " + owner
	}
	delete(changed["lab/podinfo"], "new.yaml")
	delete(changed["lab/cilium"], "new.yaml")
	changed["lab/cilium"]["other.yaml"] = "new"
	delete(changed["prod/cilium"], "new.yaml")
	w := &faulty{Writer: m, at: 10, err: errCrash, dead: true}
	if _, err := build(t, changed).Sync(t.Context(), scan(t, m, Scope{}), w); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	all := func(scope Scope) string { return fmt.Sprint(scan(t, m, scope).Interrupted()) }
	if got := all(Scope{}); got != "[lab lab/cilium prod]" {
		t.Fatalf("got %s", got)
	}
	mustSync(t, m, Scope{Environments: []string{"lab"}, Components: []string{"cilium"}}, model{"lab/cilium": changed["lab/cilium"]})
	if got := all(Scope{}); got != "[lab prod]" {
		t.Errorf("after lab/cilium: %s", got)
	}
	if got := all(Scope{Environments: []string{"lab"}}); got != "[lab]" {
		t.Errorf("lab alone: %s", got)
	}
	mustSync(t, m, Scope{}, changed)
	if got := all(Scope{}); got != "[]" {
		t.Errorf("in the end: %s", got)
	}
}

// TestSyncChild is no test: TestKilled runs it in processes that it kills.
func TestSyncChild(t *testing.T) {
	dir := os.Getenv("GEN_TEST_SYNC")
	if dir == "" {
		t.Skip("runs as the child of TestKilled")
	}
	for round := 0; ; round++ {
		syncDisk(t, dir, big(round))
	}
}

// big is a model of some hundred files that all change from round to round, and partly come and go.
func big(round int) model {
	out := model{}
	for i := range 6 {
		files := map[string]string{}
		for j := range 20 {
			if (i+j+round)%3 > 0 {
				files[fmt.Sprintf("components/c%d/f%d.yaml", i, j)] = strings.Repeat(fmt.Sprintf("%d %d %d\n", i, j, round), 50)
			}
		}
		out[fmt.Sprintf("e%d/c%d", (i+round)%3, i)] = files
	}
	return out
}

func syncDisk(t tester, dir string, m model) []Change {
	t.Helper()
	disk, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = disk.Close() }()
	changes, err := build(t, m).Sync(t.Context(), scan(t, disk.FS(), Scope{}), disk)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// kill -9 at 50 random moments on a real disk: every file is whole or absent, and a run ends as an undisturbed one.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	want := diskText(t, fresh(t, big(7)))
	interrupted := 0
	dir := t.TempDir()
	for range 50 {
		child := exec.Command(os.Args[0], "-test.run=^TestSyncChild$")
		child.Env = append(os.Environ(), "GEN_TEST_SYNC="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20*time.Millisecond + rand.N(100*time.Millisecond))
		_ = child.Process.Kill()
		_ = child.Wait()
		if len(scan(t, os.DirFS(dir), Scope{}).Interrupted()) > 0 {
			interrupted++
		}
		syncDisk(t, dir, big(7))
		if d := cmp.Diff(want, diskText(t, dir)); d != "" {
			t.Fatalf("(-undisturbed +got)\n%s", d)
		}
	}
	t.Logf("%d of 50 kills interrupted a run", interrupted)
	if interrupted == 0 {
		t.Error("no kill interrupted a run: the test shows nothing")
	}
}

func fresh(t *testing.T, m model) string {
	t.Helper()
	dir := t.TempDir()
	syncDisk(t, dir, m)
	return dir
}

func diskText(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			out = append(out, name+"/")
			return err
		}
		data, err := fs.ReadFile(os.DirFS(dir), name)
		out = append(out, name+": "+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
