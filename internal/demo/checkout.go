package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Checkout makes dir a work tree of the world's remote that holds files, or brings an older one back: then its files stay as
// they are, and what a person changed in them is committed. It commits under a name of its own and without signing, and leaves
// a person's git configuration alone.
func (w *World) Checkout(ctx context.Context, dir string, files fs.FS) error {
	c := checkout{ctx, dir}
	_, err := os.Stat(filepath.Join(dir, ".git"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := c.create(files); err != nil {
			return fmt.Errorf("making the demo's work tree: %w", err)
		}
	case err != nil:
		return fmt.Errorf("looking for the demo's work tree: %w", err)
	}
	// The port on loopback is another one in every run.
	if err := c.git("config", "remote.origin.url", w.Remote()); err != nil {
		return err
	}
	return c.commit()
}

type checkout struct {
	ctx context.Context
	dir string
}

func (c checkout) create(files fs.FS) error {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	if entries, err := os.ReadDir(c.dir); err != nil || len(entries) > 0 {
		return errors.Join(err, fmt.Errorf("%s holds files and is no work tree: name an empty folder", c.dir))
	}
	if err := os.CopyFS(c.dir, files); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "gen demo"},
		{"config", "user.email", "demo@example.internal"},
		{"config", "commit.gpgsign", "false"},
		{"config", "core.hooksPath", ".git/hooks"}, // not those that a person has for all repositories
		{"config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"},
	} {
		if err := c.git(args...); err != nil {
			return err
		}
	}
	return nil
}

// commit commits what stands in the model, if that is new.
func (c checkout) commit() error {
	if err := c.git("add", "--all", "environments"); err != nil {
		return err
	}
	if c.git("diff", "--cached", "--quiet") == nil {
		return nil
	}
	message := "environments: change the model"
	if c.git("rev-parse", "--verify", "--quiet", "HEAD") != nil {
		message = "environments: the sample model"
	}
	return c.git("commit", "--quiet", "--message", message)
}

func (c checkout) git(args ...string) error {
	cmd := exec.CommandContext(c.ctx, "git", args...)
	cmd.Dir = c.dir
	cmd.Env = append(withoutGit(os.Environ()), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("running git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// withoutGit drops what a hook that calls us would make git look at: another repository, another index.
func withoutGit(environ []string) []string {
	var out []string
	for _, entry := range environ {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY":
		default:
			out = append(out, entry)
		}
	}
	return out
}
