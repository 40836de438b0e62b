package git

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain keeps the machine's own git configuration away, and gives all tests one temporary folder: runs that are killed on purpose
// leave theirs in it.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "gen-git-test-")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "TMPDIR": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(home, "config"),
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	config := "[user]\n name = Test\n email = test@example.internal\n[init]\n defaultBranch = main\n[gc]\n auto = 0\n[maintenance]\n auto = false\n[receive]\n autogc = false\n"
	if err := os.WriteFile(filepath.Join(home, "config"), []byte(config), 0o644); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// sh runs git in dir and returns what it prints.
func sh(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := try(dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = environment(os.Environ())
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// remote makes a bare repository whose main holds environments/base, and returns its URL.
func remote(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	sh(t, dir, "init", "--quiet", "--bare", "remote.git")
	url := "file://" + filepath.Join(dir, "remote.git")
	work := clone(t, url)
	work.commit("environments/base", "base")
	sh(t, work.dir, "push", "--quiet", "origin", "HEAD:main")
	return url
}

// work is a clone.
type work struct {
	*Repository
	t   testing.TB
	dir string
}

func clone(t testing.TB, url string, args ...string) work {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	sh(t, os.TempDir(), append(append([]string{"clone", "--quiet"}, args...), url, dir)...)
	return open(t, dir)
}

func open(t testing.TB, dir string) work {
	t.Helper()
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return work{r, t, dir}
}

func (w work) write(name, content string) {
	w.t.Helper()
	file := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// commit writes a file, commits it, and returns the commit.
func (w work) commit(name, content string) string {
	w.t.Helper()
	w.write(name, content)
	sh(w.t, w.dir, "add", name)
	sh(w.t, w.dir, "commit", "--quiet", "--message", name)
	return sh(w.t, w.dir, "rev-parse", "HEAD")
}

// render is a stand-in for the real one: every file x of environments/ gives output/x.yaml, "removed" ones are deleted.
func (w work) render(ctx context.Context, source, base string) (Edit, error) {
	return render(ctx, w.Repository, source, base)
}

func render(ctx context.Context, r *Repository, source, base string) (Edit, error) {
	sources, err := r.Files(ctx, source, Folder{Path: "environments"})
	if err != nil {
		return Edit{}, err
	}
	want, err := contents(sources)
	if err != nil {
		return Edit{}, err
	}
	have, err := r.Files(ctx, base, Folder{Path: "output"})
	if err != nil {
		return Edit{}, err
	}
	old, err := contents(have)
	if err != nil {
		return Edit{}, err
	}
	edit := Edit{Write: map[string][]byte{}, Message: "Render all"}
	for name, content := range want {
		edit.Write["output/"+name+".yaml"] = []byte("rendered " + content + "\n")
	}
	for name := range old {
		if _, ok := edit.Write["output/"+name]; !ok && !strings.HasPrefix(name, "foreign") {
			edit.Delete = append(edit.Delete, "output/"+name)
		}
	}
	return edit, nil
}

func contents(fsys fs.FS) (map[string]string, error) {
	out := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		out[name] = string(data)
		return err
	})
	return out, err
}

// files lists what a revision of a repository holds as "path: content".
func files(t testing.TB, dir, rev string) []string {
	t.Helper()
	var out []string
	for name := range strings.SplitSeq(sh(t, dir, "ls-tree", "-r", "--name-only", rev), "\n") {
		if name != "" {
			out = append(out, name+": "+sh(t, dir, "show", rev+":"+name))
		}
	}
	return out
}

// bare returns the folder of a file:// remote.
func bare(url string) string { return strings.TrimPrefix(url, "file://") }

func (o Outcome) text() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s", o.Kind, o.Reason))
}

func mapText(m map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, path.Clean(name)+": "+string(bytes.TrimSpace([]byte(m[name]))))
	}
	return out
}
