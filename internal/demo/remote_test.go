package demo_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coldstart-gitops/gen/internal/demo"
)

// git runs the git program in dir, with nobody's configuration but the world's.
func git(t *testing.T, w *demo.World, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(w, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryGit(w *demo.World, dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.internal", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.internal")
	cmd.Env = append(cmd.Env, w.GitEnv()...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func TestRemoteTakesALargePush(t *testing.T) {
	w, dir := start(t), t.TempDir()
	git(t, w, dir, "clone", "--quiet", "https://"+demo.HostGit+"/"+demo.FleetRepository, "one")
	one := filepath.Join(dir, "one")
	noise := make([]byte, 3<<20) // git sends a pack above 1 MiB in chunks
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	if err := os.WriteFile(filepath.Join(one, "noise"), noise, 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, w, one, "add", ".")
	git(t, w, one, "commit", "--quiet", "-m", "noise")
	git(t, w, one, "push", "--quiet", "origin", "HEAD:main")
	git(t, w, dir, "clone", "--quiet", w.Remote(), "two")
	got, err := os.ReadFile(filepath.Join(dir, "two", "noise"))
	if err != nil || !bytes.Equal(got, noise) {
		t.Errorf("the second clone has other bytes: %v", err)
	}
}

func TestRemoteLosesNoConcurrentPush(t *testing.T) {
	w, dir := start(t), t.TempDir()
	git(t, w, dir, "clone", "--quiet", w.Remote(), "seed")
	git(t, w, filepath.Join(dir, "seed"), "commit", "--quiet", "--allow-empty", "-m", "first")
	git(t, w, filepath.Join(dir, "seed"), "push", "--quiet", "origin", "HEAD:main")
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		git(t, w, dir, "clone", "--quiet", w.Remote(), name)
		git(t, w, filepath.Join(dir, name), "commit", "--quiet", "--allow-empty", "-m", name)
	}
	won := make([]bool, len(names))
	var pushes sync.WaitGroup
	for i, name := range names {
		pushes.Go(func() {
			_, err := tryGit(w, filepath.Join(dir, name), "push", "--quiet", "origin", "HEAD:main")
			won[i] = err == nil
		})
	}
	pushes.Wait()
	winner := ""
	for i, name := range names {
		if won[i] {
			winner += name
		}
	}
	git(t, w, dir, "clone", "--quiet", w.Remote(), "last")
	if head := git(t, w, filepath.Join(dir, "last"), "log", "--format=%s", "-1"); len(winner) != 1 || head != winner {
		t.Errorf("pushes of %q succeeded, and the branch holds %q", winner, head)
	}
}

func TestTwoWorldsKeepApart(t *testing.T) {
	a, b, dir := start(t), start(t), t.TempDir()
	git(t, a, dir, "clone", "--quiet", "https://"+demo.HostGit+"/"+demo.FleetRepository, "a")
	git(t, a, filepath.Join(dir, "a"), "commit", "--quiet", "--allow-empty", "-m", "only in a")
	git(t, a, filepath.Join(dir, "a"), "push", "--quiet", "origin", "HEAD:main")
	if refs := git(t, b, dir, "ls-remote", "https://"+demo.HostGit+"/"+demo.FleetRepository); refs != "" {
		t.Errorf("the other world has %s", refs)
	}
	a.Down()
	if _, _, err := get(t.Context(), b, "https://charts.cilium.example.internal/"); err != nil {
		t.Errorf("taking one world down reaches the other: %v", err)
	}
}

func TestRemoteKeepsWhatItsFolderHolds(t *testing.T) {
	folder, dir := t.TempDir(), t.TempDir()
	var heads []string
	for _, name := range []string{"first", "second"} {
		w, err := demo.Start(t.Context(), demo.Options{Dir: folder})
		if err != nil {
			t.Fatal(err)
		}
		if name == "first" {
			git(t, w, dir, "clone", "--quiet", w.Remote(), name)
			git(t, w, filepath.Join(dir, name), "commit", "--quiet", "--allow-empty", "-m", name)
			git(t, w, filepath.Join(dir, name), "push", "--quiet", "origin", "HEAD:main")
		}
		heads = append(heads, git(t, w, dir, "ls-remote", w.Remote(), "main"))
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if heads[0] == "" || heads[0] != heads[1] {
		t.Errorf("the next world on the same folder has %q; want %q", heads[1], heads[0])
	}
}
