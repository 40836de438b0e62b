package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// follow moves HEAD and the work tree from head to commit, after commit was published. In the folders of the output, files
// that differ between the two are overwritten, since `gen render` wrote them before or would write them now; anything else
// that is not committed keeps its state, or stops the move.
func (r *Repository) follow(ctx context.Context, head, commit string, output []string) error {
	if head == commit {
		return nil
	}
	if err := r.checkOut(ctx, head, commit, output); err != nil {
		return err
	}
	if _, err := r.git(ctx, "read-tree", "-m", "-u", head, commit); err != nil {
		return err
	}
	_, err := r.git(ctx, "update-ref", "-m", "gen push", "HEAD", commit, head)
	return err
}

// checkOut puts the files below the folders that differ between two commits into index and work tree, as in the second.
func (r *Repository) checkOut(ctx context.Context, from, to string, folders []string) error {
	args := []string{"diff-tree", "-r", "-z", "--no-renames", from, to, "--"}
	for _, folder := range folders {
		args = append(args, ":(top,literal)"+folder)
	}
	if len(folders) == 0 {
		return nil
	}
	out, err := r.run(ctx, call{args: args})
	if err != nil || len(out) == 0 {
		return err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var index, written bytes.Buffer
	var deleted []string
	for i := 0; i+1 < len(fields); i += 2 { // ":100644 100644 <object> <object> M", "<path>"
		meta, name := strings.Fields(fields[i]), fields[i+1]
		if len(meta) != 5 {
			return fmt.Errorf("git diff-tree printed %q, which is no entry", fields[i])
		}
		if meta[4] == "D" {
			deleted = append(deleted, name)
			fmt.Fprintf(&index, "0 %s\t%s\x00", meta[3], name)
			continue
		}
		fmt.Fprintf(&index, "%s %s\t%s\x00", meta[1], meta[3], name)
		written.WriteString(name + "\x00")
	}
	if err := r.removeAll(deleted); err != nil {
		return err
	}
	if _, err := r.run(ctx, call{args: []string{"update-index", "-z", "--index-info"}, stdin: &index}); err != nil {
		return err
	}
	_, err = r.run(ctx, call{args: []string{"checkout-index", "-f", "-u", "-z", "--stdin"}, stdin: &written})
	return err
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
