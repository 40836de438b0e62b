package git

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// memory is a read-only tree of files in memory.
type memory struct{ nodes map[string]*node }

var (
	_ fs.ReadFileFS = (*memory)(nil)
	_ fs.ReadDirFS  = (*memory)(nil)
	_ fs.ReadLinkFS = (*memory)(nil)
)

// errSubmodule is what opening one gives: its files are in another repository.
var errSubmodule = errors.New("it is a git submodule: a commit holds none of its files, so they cannot be rendered from it; copy them into this repository")

// errLeadsOut is what opening a link gives that no path of the tree answers, as in a folder opened by os.OpenRoot.
var errLeadsOut = errors.New("it is a symbolic link that leads out of the folder: copy what it names into it")

// submodule is the mode of a submodule's place.
const submodule = fs.ModeIrregular

// maxLinks bounds how many links a path may lead through: more are taken for a circle.
const maxLinks = 40

// node is a file, a link (its data is the target), a folder or a submodule, and its own FileInfo and DirEntry.
type node struct {
	name     string
	mode     fs.FileMode
	data     []byte
	children map[string]*node
}

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return int64(len(n.data)) }
func (n *node) Mode() fs.FileMode          { return n.mode }
func (n *node) Type() fs.FileMode          { return n.mode.Type() }
func (n *node) ModTime() time.Time         { return time.Time{} }
func (n *node) IsDir() bool                { return n.mode.IsDir() }
func (n *node) Sys() any                   { return nil }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }

func newMemory() *memory { return &memory{nodes: map[string]*node{".": folderNode(".")}} }

func folderNode(name string) *node {
	return &node{name: path.Base(name), mode: fs.ModeDir | 0o755, children: map[string]*node{}}
}

func (m *memory) add(name string, data []byte, mode fs.FileMode) {
	m.attach(name, &node{name: path.Base(name), mode: mode, data: data})
}

func (m *memory) attach(name string, n *node) {
	m.nodes[name] = n
	dir := path.Dir(name)
	parent, ok := m.nodes[dir]
	if !ok {
		parent = folderNode(dir)
		m.attach(dir, parent)
	}
	parent.children[n.name] = n
}

func (m *memory) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n, ok := m.nodes[name]
	if !ok {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// follow returns what a path names once every link in it is followed. Links stay within the tree.
func (m *memory) follow(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	at, rest := ".", name
	for links := 0; rest != "."; {
		first, more, _ := strings.Cut(rest, "/")
		next := path.Join(at, first)
		rest = cmp.Or(more, ".")
		n, ok := m.nodes[next]
		switch {
		case !ok:
			return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		case n.mode == submodule:
			return nil, &fs.PathError{Op: op, Path: next, Err: errSubmodule}
		case n.mode&fs.ModeSymlink == 0:
			at = next
			continue
		}
		target := path.Join(at, string(n.data), rest)
		if links++; links > maxLinks || path.IsAbs(string(n.data)) || !fs.ValidPath(target) {
			return nil, &fs.PathError{Op: op, Path: next, Err: errLeadsOut}
		}
		at, rest = ".", target
	}
	return m.nodes[at], nil
}

// Open opens a file or folder, through links.
func (m *memory) Open(name string) (fs.File, error) {
	n, err := m.follow("open", name)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		entries, err := m.ReadDir(name)
		return &folderFile{n, entries}, err
	}
	return &regularFile{n, bytes.NewReader(n.data)}, nil
}

// ReadFile implements fs.ReadFileFS.
func (m *memory) ReadFile(name string) ([]byte, error) {
	n, err := m.follow("read", name)
	if err != nil {
		return nil, err
	}
	if !n.mode.IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return bytes.Clone(n.data), nil
}

// ReadDir implements fs.ReadDirFS.
func (m *memory) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := m.follow("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	entries := make([]fs.DirEntry, 0, len(n.children))
	for _, child := range slices.Sorted(maps.Keys(n.children)) {
		entries = append(entries, n.children[child])
	}
	return entries, nil
}

// Lstat implements fs.ReadLinkFS.
func (m *memory) Lstat(name string) (fs.FileInfo, error) {
	n, err := m.find("lstat", name)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// ReadLink implements fs.ReadLinkFS.
func (m *memory) ReadLink(name string) (string, error) {
	n, err := m.find("readlink", name)
	if err != nil {
		return "", err
	}
	if n.mode&fs.ModeSymlink == 0 {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	return string(n.data), nil
}

type regularFile struct {
	*node
	*bytes.Reader
}

func (f *regularFile) Size() int64                { return f.node.Size() }
func (f *regularFile) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *regularFile) Close() error               { return nil }

type folderFile struct {
	*node
	rest []fs.DirEntry
}

func (f *folderFile) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *folderFile) Close() error               { return nil }

func (f *folderFile) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (f *folderFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(f.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.rest) {
		n = len(f.rest)
	}
	out := f.rest[:n]
	f.rest = f.rest[n:]
	return out, nil
}
