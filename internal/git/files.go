package git

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Folder names a folder of a commit, and under which name Files shows it. Path "" is the whole commit, As "" the root.
type Folder struct{ Path, As string }

// Files returns the content of folders of a commit, all of it if none is named, in memory. A folder that the commit lacks is
// empty, and so is everything for the revision "". Links are shown as links, and followed
// within what is shown, as in a folder that os.OpenRoot opens. A submodule is shown, and opening it says what it is.
func (r *Repository) Files(ctx context.Context, rev string, folders ...Folder) (fs.FS, error) {
	out := newMemory()
	if rev == "" {
		return out, nil
	}
	if len(folders) == 0 {
		folders = []Folder{{}}
	}
	for _, folder := range folders {
		if err := r.load(ctx, rev, folder, out); err != nil {
			return nil, fmt.Errorf("reading %q of %s: %w", folder.Path, rev, err)
		}
	}
	return out, nil
}

// blob is one line of git ls-tree.
type blob struct {
	path, object string
	mode         fs.FileMode
}

func (r *Repository) load(ctx context.Context, rev string, folder Folder, out *memory) error {
	commit, err := r.Resolve(ctx, rev)
	if err != nil {
		return err
	}
	args := []string{"ls-tree", "-r", "-z", "--full-tree", commit}
	prefix := path.Clean(folder.Path)
	if prefix == "." {
		prefix = ""
	} else {
		args = append(args, "--", prefix)
	}
	listing, err := r.run(ctx, call{args: args})
	if err != nil {
		return err
	}
	blobs, err := parseListing(string(listing))
	if err != nil || len(blobs) == 0 {
		return err
	}
	for i := range blobs {
		blobs[i].path = path.Join(folder.As, strings.TrimPrefix(strings.TrimPrefix(blobs[i].path, prefix), "/"))
	}
	return r.read(ctx, blobs, out)
}

// parseListing reads "<mode> <type> <object>\t<path>\0".
func parseListing(listing string) ([]blob, error) {
	var out []blob
	for entry := range strings.SplitSeq(listing, "\x00") {
		if entry == "" {
			continue
		}
		meta, name, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 {
			return nil, fmt.Errorf("git ls-tree printed %q, which is no entry", entry)
		}
		mode := fs.FileMode(0o644)
		switch fields[0] {
		case "120000":
			mode = fs.ModeSymlink | 0o777
		case "100755":
			mode = 0o755
		case "160000":
			mode = submodule
		}
		out = append(out, blob{name, fields[2], mode})
	}
	return out, nil
}

func (r *Repository) read(ctx context.Context, blobs []blob, out *memory) error {
	var names bytes.Buffer
	for _, b := range blobs {
		if b.mode != submodule {
			names.WriteString(b.object + "\n")
		}
	}
	content, err := r.run(ctx, call{args: []string{"cat-file", "--batch"}, stdin: &names})
	if err != nil {
		return err
	}
	in := bufio.NewReader(bytes.NewReader(content))
	for _, b := range blobs {
		if b.mode == submodule {
			out.add(b.path, nil, b.mode)
			continue
		}
		data, err := readBlob(in, b.object)
		if err != nil {
			return fmt.Errorf("%s: %w", b.path, err)
		}
		out.add(b.path, data, b.mode)
	}
	return nil
}

// readBlob reads "<object> blob <size>\n<bytes>\n".
func readBlob(in *bufio.Reader, object string) ([]byte, error) {
	header, err := in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(header)
	if len(fields) != 3 || fields[0] != object || fields[1] != "blob" {
		return nil, fmt.Errorf("git cat-file printed %q instead of %s", strings.TrimSpace(header), object)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("git cat-file printed a size: %w", err)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, err
	}
	return data[:size:size], nil
}
