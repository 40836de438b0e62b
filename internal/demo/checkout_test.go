package demo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/coldstart-gitops/gen/internal/demo"
)

func model(text string) fstest.MapFS {
	return fstest.MapFS{"environments/fleet.yaml": {Data: []byte(text), Mode: 0o644}}
}

func TestCheckoutKeepsWhatAPersonChanged(t *testing.T) {
	folder, fleet := t.TempDir(), filepath.Join(t.TempDir(), "fleet")
	file := filepath.Join(fleet, "environments", "fleet.yaml")
	var remotes []string
	for run, want := range []string{"sample", "changed"} {
		w, err := demo.Start(t.Context(), demo.Options{Dir: folder})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time there is nothing to commit
			if err := w.Checkout(t.Context(), fleet, model("sample")); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("run %d: the model is %q, %v; want %q", run, got, err, want)
		}
		if commits := strings.Fields(git(t, w, fleet, "log", "--format=%H")); len(commits) != run+1 {
			t.Errorf("run %d: %d commits; want %d", run, len(commits), run+1)
		}
		remotes = append(remotes, git(t, w, fleet, "remote", "get-url", "origin"))
		if remotes[run] != w.Remote() {
			t.Errorf("run %d: origin is %s; want %s", run, remotes[run], w.Remote())
		}
		if err := os.WriteFile(file, []byte("changed"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckoutRefusesAFolderOfOthers(t *testing.T) {
	w, dir := start(t), t.TempDir()
	own := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(own, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := w.Checkout(t.Context(), dir, model("sample"))
	if err == nil || !strings.Contains(err.Error(), "name an empty folder") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
}

// A hook of git runs programs with GIT_DIR and the like set, and people sign commits or have hooks of their own.
func TestCheckoutIsDeafToAPersonsGit(t *testing.T) {
	home := t.TempDir()
	config := "[user]\n\tuseConfigOnly = true\n[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n[core]\n\thooksPath = " + home + "\n"
	hook := filepath.Join(home, "pre-commit")
	for name, text := range map[string]string{filepath.Join(home, ".gitconfig"): config, hook: "#!/bin/sh\nexit 1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("GIT_DIR", filepath.Join(home, "elsewhere"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(home, "index"))
	w, fleet := start(t), filepath.Join(t.TempDir(), "fleet")
	if err := w.Checkout(t.Context(), fleet, model("sample")); err != nil {
		t.Error(err)
	}
}
