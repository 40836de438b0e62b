package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Edit is what a commit changes in the tree of its parent; every other file there is kept. Paths are relative to the top.
// The caller sees in Delete what would be deleted, and keeps a budget of it by returning an error from its Render.
type Edit struct {
	Write   map[string][]byte
	Delete  []string // paths that the parent holds
	Message string   // of the commit: subject, empty line, body; the Source-Commit trailer is added
}

// sourceTrailer names the commit whose sources a commit was rendered from. A squash drops it, so it is a hint wherever the
// branch is not the bot's own.
const sourceTrailer = "Source-Commit"

// commit makes a commit with the edit on top of parent ("" for none) and moves no branch. It returns parent where the
// edit changes nothing.
func (r *Repository) commit(ctx context.Context, parent, source string, edit Edit) (string, error) {
	tree, err := r.editTree(ctx, parent, edit)
	if err != nil {
		return "", fmt.Errorf("making the tree to commit: %w", err)
	}
	if same, err := r.sameTree(ctx, parent, tree); err != nil || same {
		return parent, err
	}
	message := cmp.Or(strings.TrimSpace(edit.Message), "gen: render")
	return r.commitTree(ctx, parent, tree, message+"\n\n"+sourceTrailer+": "+source+"\n")
}

// sameTree reports whether the commit holds the tree; no commit holds the empty one.
func (r *Repository) sameTree(ctx context.Context, commit, tree string) (bool, error) {
	if commit == "" {
		entries, err := r.git(ctx, "ls-tree", tree)
		return entries == "", err
	}
	before, err := r.git(ctx, "rev-parse", "--verify", commit+"^{tree}")
	return before == tree, err
}

func (r *Repository) commitTree(ctx context.Context, parent, tree, message string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	sign, err := r.lookup(ctx, "config", "--type=bool", "--get", "commit.gpgSign")
	if err != nil {
		return "", fmt.Errorf("reading git's configuration: %w", err)
	}
	if sign == "true" { // commit-tree is plumbing, which does not look itself
		args = append(args, "-S")
	}
	out, err := r.run(ctx, call{args: args, stdin: strings.NewReader(message)})
	if err != nil {
		return "", fmt.Errorf("committing: %w%s", err, r.identityHelp(ctx))
	}
	return strings.TrimSpace(string(out)), nil
}

// identityHelp says how to name an author, where that is what git misses.
func (r *Repository) identityHelp(ctx context.Context) string {
	_, author := r.git(ctx, "var", "GIT_AUTHOR_IDENT")
	_, committer := r.git(ctx, "var", "GIT_COMMITTER_IDENT")
	if author == nil && committer == nil {
		return ""
	}
	return ": say who commits: `git config user.name NAME` and `git config user.email ADDRESS`, or GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME and GIT_COMMITTER_EMAIL"
}

// editTree writes the objects of the edited tree and returns its name. The index it works in is a temporary one.
func (r *Repository) editTree(ctx context.Context, parent string, edit Edit) (string, error) {
	if err := edit.check(); err != nil {
		return "", err
	}
	dir, done, err := scratch()
	if err != nil {
		return "", err
	}
	defer done()
	objects, err := r.writeBlobs(ctx, dir, edit.Write)
	if err != nil {
		return "", err
	}
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	from := parent
	if from == "" {
		from = "--empty"
	}
	if _, err := r.run(ctx, call{args: []string{"read-tree", from}, env: index}); err != nil {
		return "", err
	}
	info := indexInfo(objects, edit.Delete, len(parent))
	if _, err := r.run(ctx, call{args: []string{"update-index", "-z", "--index-info"}, stdin: info, env: index}); err != nil {
		return "", err
	}
	if err := r.checkIndex(ctx, index, objects, edit.Delete); err != nil {
		return "", err
	}
	out, err := r.run(ctx, call{args: []string{"write-tree"}, env: index})
	return strings.TrimSpace(string(out)), err
}

// checkIndex wants the whole edit in the index: update-index passes over names that git forbids (.git/config), and lets one
// file take the place of another (x, then x/y).
func (r *Repository) checkIndex(ctx context.Context, index []string, objects map[string]string, deleted []string) error {
	out, err := r.run(ctx, call{args: []string{"ls-files", "-z", "--stage"}, env: index})
	if err != nil {
		return err
	}
	have := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if meta, name, ok := strings.Cut(entry, "\t"); ok {
			have[name] = strings.Fields(meta)[1]
		}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		if have[name] != objects[name] {
			errs = append(errs, fmt.Errorf("%s: git does not take a file of this name, or another file is in its way: rename it", name))
		}
	}
	for _, name := range deleted {
		if have[name] != "" {
			errs = append(errs, fmt.Errorf("%s: git did not delete it", name))
		}
	}
	return errors.Join(errs...)
}

func (e Edit) check() error {
	var errs []error
	for _, path := range slices.Concat(slices.Sorted(maps.Keys(e.Write)), e.Delete) {
		if !fs.ValidPath(path) || path == "." || strings.ContainsAny(path, "\x00\n") {
			errs = append(errs, fmt.Errorf("%q is no path that can be committed", path))
		}
	}
	for _, path := range e.Delete {
		if _, ok := e.Write[path]; ok {
			errs = append(errs, fmt.Errorf("%s is to be written and to be deleted", path))
		}
	}
	return errors.Join(errs...)
}

// indexInfo is the input of git update-index -z --index-info. Deletions come first, so that a file can become a folder; they
// name an object of zeros, as long as the repository's object names are.
func indexInfo(objects map[string]string, deleted []string, length int) io.Reader {
	var out bytes.Buffer
	for _, path := range slices.Sorted(slices.Values(deleted)) {
		fmt.Fprintf(&out, "0 %s\t%s\x00", strings.Repeat("0", length), path)
	}
	for _, path := range slices.Sorted(maps.Keys(objects)) {
		fmt.Fprintf(&out, "100644 %s\t%s\x00", objects[path], path)
	}
	return &out
}

// writeBlobs stores the contents and returns the object names by path: one process however many files, and no filters or
// line-ending conversion, unlike git hash-object.
func (r *Repository) writeBlobs(ctx context.Context, dir string, files map[string][]byte) (map[string]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	paths := slices.Sorted(maps.Keys(files))
	var stream bytes.Buffer
	for i, path := range paths {
		fmt.Fprintf(&stream, "blob\nmark :%d\ndata %d\n", i+1, len(files[path]))
		stream.Write(files[path])
		stream.WriteByte('\n')
	}
	stream.WriteString("done\n")
	marks := filepath.Join(dir, "marks")
	if _, err := r.run(ctx, call{args: []string{"fast-import", "--quiet", "--done", "--export-marks=" + marks}, stdin: &stream}); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(marks)
	if err != nil {
		return nil, err
	}
	return parseMarks(string(text), paths)
}

// parseMarks reads ":<mark> <object>" lines.
func parseMarks(text string, paths []string) (map[string]string, error) {
	out := make(map[string]string, len(paths))
	for line := range strings.Lines(text) {
		var mark int
		var object string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &object); err != nil || mark < 1 || mark > len(paths) {
			return nil, fmt.Errorf("git fast-import wrote the mark %q, which is none of ours", line)
		}
		out[paths[mark-1]] = object
	}
	if len(out) != len(paths) {
		return nil, fmt.Errorf("git fast-import stored %d of %d files", len(out), len(paths))
	}
	return out, nil
}
