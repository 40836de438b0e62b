package chart

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// files is an immutable fs.FS in memory: the content of one chart, shared by all who open it.
type files struct {
	names   []string          // sorted paths of the files
	data    map[string][]byte // by path, as stored; never handed out without a copy
	entries map[string][]fs.DirEntry
}

var (
	_ fs.ReadFileFS = (*files)(nil)
	_ fs.ReadDirFS  = (*files)(nil)
)

// byteOrderMark opens some files that were written on Windows. Helm drops it when it loads a chart, and so does reading files.
var byteOrderMark = []byte{0xEF, 0xBB, 0xBF}

// read returns what a reader sees of a file.
func (f *files) read(name string) ([]byte, bool) {
	data, ok := f.data[name]
	return bytes.TrimPrefix(data, byteOrderMark), ok
}

// newFiles takes ownership of data. A path that is a file and also the folder of another is an error.
func newFiles(data map[string][]byte) (*files, error) {
	f := &files{data: data, entries: map[string][]fs.DirEntry{".": nil}}
	for name := range data {
		f.names = append(f.names, name)
	}
	slices.Sort(f.names)
	for _, name := range f.names {
		shown, _ := f.read(name)
		if err := f.enter(name, info{name: path.Base(name), size: int64(len(shown))}); err != nil {
			return nil, err
		}
	}
	for _, entries := range f.entries {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return f, nil
}

// enter adds an entry to its folder, and the folder to its own.
func (f *files) enter(name string, entry info) error {
	folder := path.Dir(name)
	if _, ok := f.data[folder]; ok {
		return fmt.Errorf("reading chart files: %s is a file and also a folder", folder)
	}
	_, known := f.entries[folder]
	f.entries[folder] = append(f.entries[folder], fs.FileInfoToDirEntry(entry))
	if known {
		return nil
	}
	return f.enter(folder, info{name: path.Base(folder), folder: true})
}

// Open opens a file or folder.
func (f *files) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if data, ok := f.read(name); ok {
		return &openFile{about: info{name: path.Base(name), size: int64(len(data))}, Reader: bytes.NewReader(data)}, nil
	}
	if entries, ok := f.entries[name]; ok {
		return &openFolder{about: info{name: path.Base(name), folder: true}, entries: entries}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadFile returns a copy of a file's bytes: the content is shared, and a caller may change what it gets.
func (f *files) ReadFile(name string) ([]byte, error) {
	data, ok := f.read(name)
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return bytes.Clone(data), nil
}

// ReadDir returns a folder's entries, sorted by name.
func (f *files) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, ok := f.entries[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(entries), nil
}

// info describes a file or folder: the same mode and time for all, so that nothing of a machine gets into what is made of them.
type info struct {
	name   string
	size   int64
	folder bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.folder }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// openFile is a file that is being read; the bytes.Reader adds seeking.
type openFile struct {
	about info
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.about, nil }
func (f *openFile) Close() error               { return nil }

// openFolder is a folder that is being listed.
type openFolder struct {
	about   info
	entries []fs.DirEntry
	offset  int
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.about, nil }
func (f *openFolder) Close() error               { return nil }
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.about.name, Err: fs.ErrInvalid}
}

// ReadDir lists the next n entries, or all that are left if n is not positive.
func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := f.entries[f.offset:]
	if n > 0 && len(rest) == 0 {
		return nil, io.EOF
	}
	if n > 0 && n < len(rest) {
		rest = rest[:n]
	}
	f.offset += len(rest)
	return slices.Clone(rest), nil
}
