package chart

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gitRepo is a real repository.
type gitRepo struct {
	t   testing.TB
	dir string
	url string
}

// newRepo makes a repository with one commit of the files.
func newRepo(t testing.TB, content map[string]string) gitRepo {
	t.Helper()
	dir := t.TempDir()
	r := gitRepo{t: t, dir: dir, url: "file://" + dir}
	r.run("init", "--quiet", "--initial-branch=main")
	// As the large hosts allow it.
	r.run("config", "uploadpack.allowAnySHA1InWant", "true")
	r.commit(content)
	return r
}

// run runs git in the repository.
func (r gitRepo) run(args ...string) string {
	r.t.Helper()
	command := exec.CommandContext(r.t.Context(), "git", args...)
	command.Dir = r.dir
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := command.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files and commits all.
func (r gitRepo) commit(content map[string]string) string {
	r.t.Helper()
	write(r.t, r.dir, content)
	r.run("add", "--all")
	r.run("commit", "--quiet", "--allow-empty", "--message=x")
	return r.run("rev-parse", "HEAD")
}

func TestResolveAndOpenGit(t *testing.T) {
	repo := newRepo(t, own)
	// What this machine or the repository says of line endings and filters must not change a byte.
	repo.commit(map[string]string{".gitattributes": "*.yaml eol=crlf\n*.md export-ignore\n", "charts/own/templates/id.yaml": "$Id$\n"})
	commit := repo.run("rev-parse", "HEAD")
	repo.run("tag", "v1.0.0")
	want, err := readFolder(rooted(t, repo.dir), "charts/own")
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"main", "v1.0.0", commit} {
		t.Run(ref, func(t *testing.T) {
			source := Source{Git: repo.url, Ref: ref, Path: "charts/own"}
			folder := t.TempDir()
			entry, err := quick(Options{Cache: folder}).Resolve(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Entry{Source: source, Commit: commit, Digest: treeDigest(want)}, entry); diff != "" {
				t.Errorf("entry (-want +got):\n%s", diff)
			}
			for name, cache := range map[string]string{"from the cache": folder, "from the repository": ""} {
				store := quick(Options{Cache: cache})
				content, err := store.Open(t.Context(), source, entry)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(listing(t, want), listing(t, content)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
				if fetched := store.Fetches(); (cache != "") != (fetched == 0) {
					t.Errorf("%s: Fetches() = %d", name, fetched)
				}
			}
		})
	}
}

func TestGitCommitWithoutServerSupport(t *testing.T) {
	repo := newRepo(t, own)
	repo.run("config", "uploadpack.allowAnySHA1InWant", "false")
	old := repo.run("rev-parse", "HEAD")
	repo.commit(map[string]string{"more": "x"})
	source := Source{Git: repo.url, Ref: old, Path: "charts/own"}
	if entry, err := quick(Options{}).Resolve(t.Context(), source); err != nil || entry.Commit != old {
		t.Errorf("entry = %v, %v", entry, err)
	}
	repo.run("commit", "--quiet", "--amend", "--message=y")
	lost := strings.Repeat("0", 39) + "1"
	_, err := quick(Options{}).Resolve(t.Context(), Source{Git: repo.url, Ref: lost, Path: "charts/own"})
	if err == nil || !strings.Contains(err.Error(), "no branch or tag holds this commit any more") {
		t.Errorf("error = %v", err)
	}
}

func TestGitMistakes(t *testing.T) {
	repo := newRepo(t, own)
	tests := map[string]struct {
		source Source
		want   string
	}{
		"unknown ref":      {Source{Git: repo.url, Ref: "nothing"}, "couldn't find remote ref nothing"},
		"short commit":     {Source{Git: repo.url, Ref: repo.run("rev-parse", "--short=8", "HEAD")}, "is a commit, write it in full"},
		"unknown path":     {Source{Git: repo.url, Ref: "main", Path: "charts/nothing"}, "charts/nothing: no such file or folder"},
		"no chart":         {Source{Git: repo.url, Ref: "main"}, "holds no Chart.yaml"},
		"no repository":    {Source{Git: "file:///nothing", Ref: "main"}, "running git fetch: "},
		"a program as URL": {Source{Git: "ext::sh -c touch% /tmp/x", Ref: "main"}, "write https://…"},
		"an option as URL": {Source{Git: "--upload-pack=touch", Ref: "main"}, "write https://…"},
		"an option as ref": {Source{Git: repo.url, Ref: "--upload-pack=touch"}, "is no name of a tag, branch or commit"},
		"a login":          {Source{Git: "https://me:secret@git.example/x.git", Ref: "main"}, "its URL holds a login"},
		"path out":         {Source{Git: repo.url, Ref: "main", Path: "../x"}, "it leaves its folder"},
		"no ref":           {Source{Git: repo.url}, "state a tag, a branch or a commit"},
		"a version too":    {Source{Git: repo.url, Ref: "main", Version: "1.0.0"}, "no name and no version"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := quick(Options{}).Resolve(t.Context(), test.source)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v\nwant one with %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows a password: %v", err)
			}
		})
	}
}

func TestGitRewrittenBranch(t *testing.T) {
	repo := newRepo(t, own)
	source := Source{Git: repo.url, Ref: "main", Path: "charts/own"}
	entry, err := quick(Options{}).Resolve(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	second := repo.commit(map[string]string{"charts/own/values.yaml": "a: 2\n"})
	if _, err := quick(Options{}).Open(t.Context(), source, entry); err != nil {
		t.Errorf("the locked commit is still there, yet: %v", err)
	}
	verdict, err := quick(Options{}).Verify(t.Context(), source, entry)
	if err != nil || verdict.State != Moved || verdict.Found != second {
		t.Errorf("verdict = %+v, %v; want moved to %s", verdict, err, second)
	}
}

func TestNoGitProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := quick(Options{}).Resolve(t.Context(), Source{Git: "https://git.example/x.git", Ref: "main"})
	if err == nil || !strings.Contains(err.Error(), "there is no git program in PATH; install git") {
		t.Errorf("error = %v", err)
	}
}

// TestGitInsideAHook makes sure that what git sets for its hooks does not lead into the repository of the hook.
func TestGitInsideAHook(t *testing.T) {
	repo, other := newRepo(t, own), newRepo(t, map[string]string{"a": "b"})
	t.Setenv("GIT_DIR", filepath.Join(other.dir, ".git"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other.dir, ".git", "index"))
	if _, err := quick(Options{}).Resolve(t.Context(), Source{Git: repo.url, Ref: "main", Path: "charts/own"}); err != nil {
		t.Error(err)
	}
}

func TestOutdatedGit(t *testing.T) {
	repo := newRepo(t, own)
	for _, tag := range []string{"own-v1.0.0", "own-v1.0.2", "own-v1.3.0", "own-v2.0.0", "own-v3.0.0-rc.1", "other-9.0.0", "v8.0.0"} {
		repo.run("tag", tag)
	}
	source := Source{Git: repo.url, Ref: "own-v1.0.0", Path: "charts/own"}
	got, err := quick(Options{}).Outdated(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Newer{Source: source, Patch: "own-v1.0.2", Minor: "own-v1.3.0", Latest: "own-v2.0.0"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	branch := Source{Git: repo.url, Ref: "main", Path: "charts/own"}
	got, err = quick(Options{}).Outdated(t.Context(), branch)
	if diff := cmp.Diff(fmt.Sprint(Newer{Source: branch}, nil), fmt.Sprint(got, err)); diff != "" {
		t.Errorf("a branch (-want +got):\n%s", diff)
	}
}
