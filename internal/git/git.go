// Package git commits a given tree and publishes it, or says why not, by the git program.
//
// Network, authors, signing and credentials are git's own configuration. A commit is made from bytes in memory, in a
// temporary index: the work tree is read by nobody, and hooks that look at it (pre-commit, commit-msg) do not run;
// pre-push does. What was published is an Outcome; errors are for not being able to tell or to do.
package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	// ErrNoProgram says that there is no git program to call.
	ErrNoProgram = errors.New("the git program is not in PATH: install git 2.31 or newer")
	// ErrShallow says that the history that would decide was not cloned.
	ErrShallow = errors.New("this clone is shallow, and what would decide was not cloned: run `git fetch --unshallow` (in CI: check out with full history, such as fetch-depth: 0)")
)

// Repository is a git work tree.
type Repository struct {
	program     string
	top, prefix string
}

// Open returns the repository whose work tree holds dir.
func Open(ctx context.Context, dir string) (*Repository, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNoProgram, err)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the repository of %s: %w", dir, err)
	}
	r := &Repository{program: program, top: abs}
	out, err := r.git(ctx, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("opening the repository of %s: %w: run this in a clone with a work tree, or `git init` one", dir, err)
	}
	top, prefix, _ := strings.Cut(out, "\n")
	r.top, r.prefix = top, strings.TrimSuffix(prefix, "/")
	return r, nil
}

// Top returns the folder of the work tree. Every path that this package takes or gives is relative to it, slash-separated.
func (r *Repository) Top() string { return r.top }

// Prefix returns where the folder given to Open lies below Top: "" for Top itself.
func (r *Repository) Prefix() string { return r.prefix }

// Head is where the work tree stands. Commit is empty before the first commit, Branch where HEAD is detached.
type Head struct{ Commit, Branch string }

// Head returns where the work tree stands.
func (r *Repository) Head(ctx context.Context) (Head, error) {
	commit, err := r.lookup(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return Head{}, fmt.Errorf("reading HEAD: %w", err)
	}
	branch, err := r.lookup(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return Head{}, fmt.Errorf("reading HEAD: %w", err)
	}
	return Head{commit, branch}, nil
}

// Resolve returns the commit that a revision (branch, tag, HEAD~2, …) names.
func (r *Repository) Resolve(ctx context.Context, rev string) (string, error) {
	out, err := r.git(ctx, "rev-parse", "--verify", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("finding the commit %q: %w", rev, err)
	}
	if strings.HasPrefix(out, "^") { // git takes a negation for a single revision
		return "", fmt.Errorf("finding the commit %q: it names what is not in a commit, and no commit", rev)
	}
	return out, nil
}

// MergeBase returns the newest commit that both histories hold. It is ErrShallow where a shallow clone hides it.
func (r *Repository) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.lookup(ctx, "merge-base", "--end-of-options", a, b)
	if err != nil {
		return "", fmt.Errorf("finding the merge base of %s and %s: %w", a, b, err)
	}
	if out == "" {
		return "", fmt.Errorf("finding the merge base of %s and %s: %w", a, b, r.absent(ctx, errors.New("they share no commit")))
	}
	return out, nil
}

// absent returns ErrShallow where what was not found may lie beyond the edge of a shallow clone, else err.
func (r *Repository) absent(ctx context.Context, err error) error {
	shallow, shallowErr := r.git(ctx, "rev-parse", "--is-shallow-repository")
	if shallowErr != nil {
		return shallowErr
	}
	if shallow == "true" {
		return ErrShallow
	}
	return err
}

// shallow returns an error, with the act that it ends, where the answer may lie beyond the edge of a shallow clone.
func (r *Repository) shallow(ctx context.Context, act string, args ...any) error {
	if err := r.absent(ctx, nil); err != nil {
		return fmt.Errorf(act+": %w", append(args, err)...)
	}
	return nil
}

// ancestor reports whether commit a is in the history of commit b, itself included. A shallow clone can say yes, but not no.
func (r *Repository) ancestor(ctx context.Context, a, b string) (bool, error) {
	_, err := r.git(ctx, "merge-base", "--is-ancestor", a, b)
	switch exitCode(err) {
	case 0:
		return true, nil
	case 1:
		return false, r.shallow(ctx, "telling whether the commit %.12s is in the history of %.12s", a, b)
	}
	return false, fmt.Errorf("comparing the commits %.12s and %.12s: %w", a, b, err)
}

// Dirty returns the files below the paths that differ from HEAD or that git does not know (ignored ones left out), sorted.
func (r *Repository) Dirty(ctx context.Context, paths ...string) ([]string, error) {
	args := []string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--"}
	for _, path := range paths {
		args = append(args, ":(top,literal)"+path)
	}
	out, err := r.run(ctx, call{args: args})
	if err != nil {
		return nil, fmt.Errorf("looking for uncommitted files: %w", err)
	}
	var dirty []string
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if len(entry) > 3 {
			dirty = append(dirty, entry[3:])
		}
	}
	return dirty, nil
}

// commitName is a full object name, SHA-1 or SHA-256.
var commitName = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
