package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// follow moves HEAD and the work tree from head to commit, after commit was published. In the folders of the output, files
// that differ between the two are overwritten, since `gen render` wrote them before or would write them now; anything else
// that is not committed keeps its state, or stops the move.
func (r *Repository) follow(ctx context.Context, head, commit string, output []string) error {
	if head == commit {
		return nil
	}
	written, err := r.difference(ctx, head, commit, output)
	if err != nil {
		return err
	}
	if err := r.checkOut(ctx, written); err != nil {
		return err
	}
	// The rest is git's own two-way merge, from a tree that has the output already.
	from, err := r.withOutput(ctx, head, written)
	if err != nil {
		return err
	}
	if done, err := r.sameTree(ctx, commit, from); err != nil {
		return err
	} else if !done {
		if _, err := r.git(ctx, "read-tree", "-m", "-u", from, commit); err != nil {
			return err
		}
	}
	_, err = r.git(ctx, "update-ref", "-m", "gen push", "HEAD", commit, head)
	return err
}

// difference is what differs between two commits.
type difference struct {
	index            []byte // for git update-index -z --index-info
	written, deleted []string
}

// difference returns what is below the folders of the second commit, where the first has something else.
func (r *Repository) difference(ctx context.Context, from, to string, folders []string) (difference, error) {
	if len(folders) == 0 {
		return difference{}, nil
	}
	args := []string{"diff-tree", "-r", "-z", "--no-renames", from, to, "--"}
	for _, folder := range folders {
		args = append(args, ":(top,literal)"+folder)
	}
	out, err := r.run(ctx, call{args: args})
	if err != nil {
		return difference{}, err
	}
	return parseDifference(string(out))
}

// parseDifference reads ":<mode> <mode> <object> <object> <status>\0<path>\0". Deletions go first in the index, so that a
// file can become a folder.
func parseDifference(out string) (difference, error) {
	var d difference
	var added bytes.Buffer
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		meta, name := strings.Fields(fields[i]), fields[i+1]
		if len(meta) != 5 {
			return difference{}, fmt.Errorf("git diff-tree printed %q, which is no entry", fields[i])
		}
		if meta[4] == "D" {
			d.deleted = append(d.deleted, name)
			d.index = fmt.Appendf(d.index, "0 %s\t%s\x00", meta[3], name)
			continue
		}
		d.written = append(d.written, name)
		fmt.Fprintf(&added, "%s %s\t%s\x00", meta[1], meta[3], name)
	}
	d.index = append(d.index, added.Bytes()...)
	return d, nil
}

// checkOut brings a difference into index and work tree.
func (r *Repository) checkOut(ctx context.Context, d difference) error {
	if len(d.index) == 0 {
		return nil
	}
	if err := r.removeAll(d.deleted); err != nil {
		return err
	}
	if _, err := r.run(ctx, call{args: []string{"update-index", "-z", "--index-info"}, stdin: bytes.NewReader(d.index)}); err != nil {
		return err
	}
	written := strings.NewReader(strings.Join(d.written, "\x00"))
	_, err := r.run(ctx, call{args: []string{"checkout-index", "-f", "-u", "-z", "--stdin"}, stdin: written})
	return err
}

// withOutput returns the tree of a commit with a difference brought in.
func (r *Repository) withOutput(ctx context.Context, commit string, d difference) (string, error) {
	dir, done, err := scratch()
	if err != nil {
		return "", err
	}
	defer done()
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if _, err := r.run(ctx, call{args: []string{"read-tree", commit}, env: index}); err != nil {
		return "", err
	}
	if _, err := r.run(ctx, call{args: []string{"update-index", "-z", "--index-info"}, stdin: bytes.NewReader(d.index), env: index}); err != nil {
		return "", err
	}
	out, err := r.run(ctx, call{args: []string{"write-tree"}, env: index})
	return strings.TrimSpace(string(out)), err
}

// removeAll removes files of the work tree, and the folders that this leaves empty.
func (r *Repository) removeAll(names []string) error {
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, name := range names {
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for dir := path.Dir(name); dir != "." && root.Remove(dir) == nil; {
			dir = path.Dir(dir)
		}
	}
	return nil
}
