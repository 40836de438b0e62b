package pipeline

import (
	"fmt"
	"io/fs"
)

// regularFiles is a folder of which only files and folders are opened: opening a named pipe waits for whoever writes into it, and a
// device may never end. Links are followed, and what they lead to counts.
type regularFiles struct{ fs.FS }

var (
	_ fs.ReadFileFS = regularFiles{}
	_ fs.ReadDirFS  = regularFiles{}
	_ fs.StatFS     = regularFiles{}
)

// Open implements fs.FS.
func (r regularFiles) Open(name string) (fs.File, error) {
	if err := r.check("open", name); err != nil {
		return nil, err
	}
	return r.FS.Open(name)
}

// ReadFile implements fs.ReadFileFS.
func (r regularFiles) ReadFile(name string) ([]byte, error) {
	if err := r.check("read", name); err != nil {
		return nil, err
	}
	return fs.ReadFile(r.FS, name)
}

// ReadDir implements fs.ReadDirFS.
func (r regularFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := r.check("read", name); err != nil {
		return nil, err
	}
	return fs.ReadDir(r.FS, name)
}

// Stat implements fs.StatFS: it opens nothing.
func (r regularFiles) Stat(name string) (fs.FileInfo, error) { return fs.Stat(r.FS, name) }

// check looks at a file before it is opened.
func (r regularFiles) check(op, name string) error {
	info, err := fs.Stat(r.FS, name)
	if err != nil {
		return err
	}
	if info.IsDir() || info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: fmt.Errorf("it is %s and no file, so reading it might never end; put a file there, or take it away", oddKind(info.Mode()))}
}

// oddKind names what is neither file nor folder.
func oddKind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "of another kind"
}
