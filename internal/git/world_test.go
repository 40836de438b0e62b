package git

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// serve serves a bare repository by git's own HTTP program, behind a password.
func serve(t *testing.T, url string) string {
	t.Helper()
	program := filepath.Join(sh(t, os.TempDir(), "--exec-path"), "git-http-backend")
	if _, err := os.Stat(program); err != nil {
		t.Skipf("no git-http-backend: %v", err)
	}
	sh(t, bare(url), "config", "http.receivepack", "true")
	backend := &cgi.Handler{Path: program, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(bare(url)), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=bot"}, Stderr: io.Discard}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "bot" || password != "s3cret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/remote.git"
}

func TestHTTP(t *testing.T) {
	url := remote(t)
	served := serve(t, url)
	w := clone(t, url)
	good := strings.Replace(served, "://", "://bot:s3cret@", 1)
	out, err := w.PublishOutputBranch(t.Context(), OutputBranch{Remote: good, Branch: "lab", SourceBranch: "main"}, w.render)
	if err != nil || out.Kind != Committed {
		t.Fatalf("%+v, %v", out, err)
	}
	for name, remote := range map[string]string{
		"wrong password": strings.Replace(served, "://", "://bot:hunter2@", 1),
		"no password":    served,
		"not found":      good + "x",
		"no server":      "http://bot:hunter2@127.0.0.1:1/remote.git",
	} {
		_, err := w.PublishOutputBranch(t.Context(), OutputBranch{Remote: remote, Branch: "lab", SourceBranch: "main"}, w.render)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		t.Logf("%s: %v", name, err)
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the password shows: %v", name, err)
		}
		var f *Failure
		if !errors.As(err, &f) || f.Stderr == "" {
			t.Errorf("%s: git's own words are missing: %v", name, err)
		}
	}
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"fatal: 'https://u:p@host/x' is bad":         "fatal: 'https://***@host/x' is bad",
		"https://token@host":                         "https://***@host",
		"https://u:p@ss@host/x and ssh://git@h/y":    "https://***@host/x and ssh://***@h/y",
		"https://host/x?private_token=abc&a=b":       "https://host/x?private_token=***&a=b",
		"git@github.com:x/y.git and mail@example.de": "git@github.com:x/y.git and mail@example.de",
	} {
		if got := redact(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestNoProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Open(t.Context(), t.TempDir()); !errors.Is(err, ErrNoProgram) || !strings.Contains(err.Error(), "install git") {
		t.Errorf("got %v", err)
	}
}

func TestNoRepository(t *testing.T) {
	_, err := Open(t.Context(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "not a git repository") || !strings.Contains(err.Error(), "git init") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("an absent folder: no error")
	}
}

func TestOpenBelowTop(t *testing.T) {
	w := clone(t, remote(t))
	r := open(t, filepath.Join(w.dir, "environments"))
	if r.Prefix() != "environments" || filepath.Base(r.Top()) != "clone" {
		t.Errorf("top %s, prefix %s", r.Top(), r.Prefix())
	}
}

// A machine without user.name: git's message is kept, and the help names the commands.
func TestNoIdentity(t *testing.T) {
	w := clone(t, remote(t))
	empty := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(empty, []byte("[user]\n useConfigOnly = true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", empty)
	_, err := w.PublishSameBranch(t.Context(), SameBranch{}, w.render)
	if err == nil || !strings.Contains(err.Error(), "Please tell me who you are") || !strings.Contains(err.Error(), "git config user.name NAME") {
		t.Errorf("got %v", err)
	}
}

func TestSigned(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("no ssh-keygen to sign with")
	}
	w := clone(t, remote(t))
	key := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key+".allowed", append([]byte("test@example.internal "), public...), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, setting := range [][2]string{{"gpg.format", "ssh"}, {"user.signingKey", key}, {"gpg.ssh.allowedSignersFile", key + ".allowed"}, {"commit.gpgSign", "true"}} {
		sh(t, w.dir, "config", setting[0], setting[1])
	}
	if got := w.same(); got.Kind != Committed {
		t.Fatalf("got %+v", got)
	}
	sh(t, w.dir, "verify-commit", "HEAD")
	sh(t, w.dir, "config", "user.signingKey", key+".absent")
	w.commitUnsigned("environments/lab")
	if _, err := w.PublishSameBranch(t.Context(), SameBranch{}, w.render); err == nil || !strings.Contains(err.Error(), "key.absent") {
		t.Errorf("a key that is missing: got %v", err)
	}
}

func (w work) commitUnsigned(name string) {
	w.write(name, "1")
	sh(w.t, w.dir, "add", name)
	sh(w.t, w.dir, "commit", "--quiet", "--no-gpg-sign", "--message", name)
}

// What git sets for hooks, and what scripts set, must not lead us to another repository or index.
func TestCallersEnvironment(t *testing.T) {
	url := remote(t)
	w, other := clone(t, url), clone(t, remote(t))
	for name, value := range map[string]string{
		"GIT_DIR": filepath.Join(other.dir, ".git"), "GIT_WORK_TREE": other.dir, "GIT_INDEX_FILE": filepath.Join(t.TempDir(), "index"),
		"GIT_OBJECT_DIRECTORY": t.TempDir(), "GIT_PREFIX": "x/", "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de",
	} {
		t.Setenv(name, value)
	}
	before := sh(t, other.dir, "for-each-ref")
	w = open(t, w.dir)
	if got := w.same(); got.Kind != Committed || got.Help != "" {
		t.Fatalf("got %+v", got)
	}
	if after := sh(t, other.dir, "for-each-ref"); after != before {
		t.Errorf("another repository changed:\n%s\n%s", before, after)
	}
	if _, err := w.Resolve(t.Context(), "nothing"); err == nil || !strings.Contains(err.Error(), "Needed a single revision") {
		t.Errorf("not plain English: %v", err)
	}
}

func TestConfigurationFromOutsideStays(t *testing.T) {
	w := clone(t, remote(t))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "user.name")
	t.Setenv("GIT_CONFIG_VALUE_0", "Robot")
	w.same()
	if got := sh(t, w.dir, "log", "-1", "--format=%an"); got != "Robot" {
		t.Errorf("author %s", got)
	}
}

// A server that refuses says why, in its own words, and nothing is taken for a race.
func TestServerRefuses(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	hook := filepath.Join(bare(url), "hooks", "pre-receive")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho main is protected >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := w.PublishSameBranch(t.Context(), SameBranch{}, w.render)
	if err == nil || !strings.Contains(err.Error(), "main is protected") || !strings.Contains(err.Error(), "pushing to the branch main of origin") {
		t.Errorf("got %v", err)
	}
	if got := sh(t, w.dir, "rev-list", "--count", "HEAD"); got != "1" {
		t.Errorf("the work tree moved: %s commits", got)
	}
}

func TestCancelled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the hook is a shell script")
	}
	url := remote(t)
	w := clone(t, url)
	hook := filepath.Join(w.dir, ".git", "hooks", "pre-push")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nexec sleep 15\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	begun := time.Now()
	_, err := w.PublishSameBranch(ctx, SameBranch{}, w.render)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if elapsed := time.Since(begun); elapsed > 12*time.Second {
		t.Errorf("took %s", elapsed)
	}
}

func TestRenderErrorEndsPublishing(t *testing.T) {
	url := remote(t)
	w := clone(t, url)
	budget := errors.New("3 deletions, 2 allowed")
	fail := func(context.Context, string, string) (Edit, error) { return Edit{}, budget }
	if _, err := w.PublishSameBranch(t.Context(), SameBranch{}, fail); !errors.Is(err, budget) {
		t.Errorf("same branch: %v", err)
	}
	if _, err := w.PublishOutputBranch(t.Context(), OutputBranch{Branch: "lab"}, fail); !errors.Is(err, budget) {
		t.Errorf("output branch: %v", err)
	}
	if refs := sh(t, bare(url), "for-each-ref", "--format=%(refname)"); refs != "refs/heads/main" {
		t.Errorf("refs %s", refs)
	}
}

// The bytes are committed as they are, whatever git's configuration does to files of a work tree.
