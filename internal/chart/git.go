package chart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	commitForm = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	shortForm  = regexp.MustCompile(`^[0-9a-f]{7,39}$`)
	scpForm    = regexp.MustCompile(`^[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:[^/-]`)
	refForm    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+@-]*$`)
)

// validateGit checks the form of a git source. The URL must not be able to name a program (ext::) or an option.
func (s Source) validateGit() error {
	switch {
	case s.Name != "" || s.Version != "":
		return fmt.Errorf("reading git chart %s: a chart from git has a ref and a path, no name and no version", redact(s.Git))
	case s.Ref == "":
		return fmt.Errorf("reading git chart %s: it has no ref; state a tag, a branch or a commit", redact(s.Git))
	case !refForm.MatchString(s.Ref) || strings.Contains(s.Ref, ".."):
		return fmt.Errorf("reading git chart %s: %q is no name of a tag, branch or commit", redact(s.Git), s.Ref)
	}
	if !scpForm.MatchString(s.Git) {
		u, err := url.Parse(s.Git)
		if err != nil || !slices.Contains([]string{"https", "http", "ssh", "git", "file"}, u.Scheme) {
			return fmt.Errorf("reading git chart %q: write https://…, ssh://…, user@host:path or file:///…", redact(s.Git))
		}
		if _, secret := u.User.Password(); secret || u.User != nil && u.Scheme != "ssh" {
			return fmt.Errorf("reading git chart %s: its URL holds a login, which would stand in git; give it to git's credential helper", redact(s.Git))
		}
	}
	if s.Path == "" {
		return nil
	}
	return validPath(s.Path)
}

// repository is a bare clone in a folder of its own that lives as long as one checkout.
type repository struct{ folder string }

// checkout fetches one ref or commit and calls use with its files and its commit. Files are the very bytes that git stores:
// attributes, filters and line endings of this machine do not count.
func checkout(ctx context.Context, address, ref string, use func(tree fs.FS, commit string) error) error {
	folder, err := os.MkdirTemp("", "gen-chart-")
	if err != nil {
		return fmt.Errorf("reading git chart %s: %w", redact(address), err)
	}
	defer os.RemoveAll(folder)
	r := repository{folder: folder}
	commit, err := r.fetch(ctx, address, ref)
	if err != nil {
		return fmt.Errorf("reading git chart %s at %s: %w", redact(address), ref, err)
	}
	if err := r.unpack(ctx, commit); err != nil {
		return fmt.Errorf("reading git chart %s at %s: %w", redact(address), ref, err)
	}
	root, err := os.OpenRoot(r.tree())
	if err != nil {
		return fmt.Errorf("reading git chart %s: %w", redact(address), err)
	}
	defer root.Close()
	return use(root.FS(), commit)
}

// tree is the folder of the files.
func (r repository) tree() string { return filepath.Join(r.folder, "tree") }

// fetch gets the commit that a ref names. Most servers give one commit by its hash; for those that do not, all refs are fetched.
func (r repository) fetch(ctx context.Context, address, ref string) (string, error) {
	if _, err := r.git(ctx, "init", "--quiet", "--bare", "--template=", r.folder); err != nil {
		return "", err
	}
	_, err := r.git(ctx, "fetch", "--quiet", "--no-tags", "--depth=1", "--", address, ref)
	if err == nil {
		return r.git(ctx, "rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}")
	}
	if !commitForm.MatchString(ref) {
		if shortForm.MatchString(ref) {
			return "", fmt.Errorf("%w; if %s is a commit, write it in full", err, ref)
		}
		return "", err
	}
	if _, allErr := r.git(ctx, "fetch", "--quiet", "--", address, "+refs/*:refs/*"); allErr != nil {
		return "", errors.Join(err, allErr)
	}
	commit, missing := r.git(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if missing != nil {
		return "", fmt.Errorf("no branch or tag holds this commit any more: it was rewritten; run `%s` to take what the ref names now, or vendor a copy from a machine whose cache still has it", RenewCommand)
	}
	return commit, nil
}

// remoteTags lists the tags of a git repository.
func remoteTags(ctx context.Context, address string) ([]string, error) {
	out, err := repository{folder: os.TempDir()}.git(ctx, "ls-remote", "--tags", "--refs", "--", address)
	if err != nil {
		return nil, err
	}
	var tags []string
	for line := range strings.Lines(out) {
		if _, ref, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			tags = append(tags, strings.TrimPrefix(ref, "refs/tags/"))
		}
	}
	return tags, nil
}

// unpack writes a commit's files.
func (r repository) unpack(ctx context.Context, commit string) error {
	info := filepath.Join(r.folder, "info")
	// info/attributes wins over the repository's own .gitattributes.
	plain := []byte("* -text -eol -filter -ident -working-tree-encoding\n")
	if err := errors.Join(os.MkdirAll(info, 0o755), os.Mkdir(r.tree(), 0o755), os.WriteFile(filepath.Join(info, "attributes"), plain, 0o644)); err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	if _, err := r.git(ctx, "read-tree", commit); err != nil {
		return err
	}
	_, err := r.git(ctx, "--work-tree="+r.tree(), "-c", "core.symlinks=true", "-c", "core.autocrlf=false", "checkout-index", "--all", "--quiet")
	return err
}

// git runs the git program in the repository and returns what it prints.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + r.folder}, args...)...)
	command.Dir = r.folder
	command.Env = gitEnvironment(os.Environ())
	command.WaitDelay = 5 * time.Second // a helper of a killed git may hold its pipes open
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err := command.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("running git: there is no git program in PATH; install git")
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("running git %s: %w", verb(args), context.Cause(ctx))
	}
	if err != nil {
		return "", fmt.Errorf("running git %s: %w: %s", verb(args), err, strings.Join(strings.Fields(said.String()), " "))
	}
	return strings.TrimSpace(out.String()), nil
}

// verb is the git command among its options.
func verb(args []string) string {
	for i, arg := range args {
		if !strings.HasPrefix(arg, "-") && (i == 0 || args[i-1] != "-c") {
			return arg
		}
	}
	return ""
}

// gitEnvironment is the caller's environment, where logins and proxies are stated, without what binds git to another repository (a hook has
// GIT_DIR set), without questions at the terminal, and without transports that run programs.
func gitEnvironment(from []string) []string {
	binding := []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_COMMON_DIR", "GIT_ATTR_SOURCE"}
	var kept []string
	for _, pair := range from {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.Contains(binding, name) {
			kept = append(kept, pair)
		}
	}
	return append(kept, "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh", "LC_ALL=C")
}
