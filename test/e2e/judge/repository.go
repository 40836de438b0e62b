package judge

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Repository is a git repository which Argo CD reads by a file:// address.
type Repository struct{ Dir string }

// NewRepository makes an empty one.
func (c *Cluster) NewRepository(ctx context.Context, name string) (*Repository, error) {
	r := &Repository{filepath.Join(c.Stack.Dir, "repositories", name)}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a repository: %w", err)
	}
	return r, r.git(ctx, "init", "-q", "-b", "main")
}

// URL is its address.
func (r *Repository) URL() string { return "file://" + r.Dir }

// Commit writes files (a nil content removes one) and commits them.
func (r *Repository) Commit(ctx context.Context, files map[string][]byte) error {
	for name, content := range files {
		path := filepath.Join(r.Dir, name)
		if content == nil {
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("removing from the repository: %w", err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("writing to the repository: %w", err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("writing to the repository: %w", err)
		}
	}
	if err := r.git(ctx, "add", "-A"); err != nil {
		return err
	}
	return r.git(ctx, "-c", "user.name=e2e", "-c", "user.email=e2e@example.internal", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "content")
}

// Head is the commit on the branch.
func (r *Repository) Head(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "-C", r.Dir, "rev-parse", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("asking git for the commit: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func (r *Repository) git(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", r.Dir}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("running git %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// Folder reads all files below dir, named as under prefix, with one address exchanged for the repository's: the only thing
// that differs from what was generated.
func (r *Repository) Folder(dir, prefix, address string) (map[string][]byte, error) {
	files := map[string][]byte{}
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		files[path.Join(prefix, name)] = bytes.ReplaceAll(b, []byte(address), []byte(r.URL()))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading what was generated: %w", err)
	}
	return files, nil
}
