package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Disk is a folder on disk. No operation leaves it, whatever symbolic links lie in it.
type Disk struct {
	dir  string
	root *os.Root // nil until the folder exists
	lock *os.File // nil until Lock
}

var _ Writer = (*Disk)(nil)

// Open opens the folder for Scan (by FS) and Sync. A folder that does not exist is empty; the first write makes it.
// Close it when done.
func Open(dir string) (*Disk, error) {
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening the output folder: %w", err)
	}
	return &Disk{dir: dir, root: root}, nil
}

// Lock makes the folder if there is none, and keeps other runs from writing to it until Close. Lock before Scan: what a run
// scans is what it relies on. It is an error if another run holds the lock.
func (d *Disk) Lock() error {
	if err := d.open(); err != nil {
		return err
	}
	var err error
	d.lock, err = lock(d.dir)
	return err
}

// Close releases the folder, and its lock.
func (d *Disk) Close() error {
	if d.lock != nil {
		_ = d.lock.Close()
	}
	if d.root == nil {
		return nil
	}
	return d.root.Close()
}

// FS returns the folder for reading.
func (d *Disk) FS() fs.FS { return diskFS{d} }

// diskFS looks for the root at each call, since the first write may have made it.
type diskFS struct{ disk *Disk }

func (f diskFS) Open(name string) (fs.File, error) {
	if f.disk.root == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.disk.root.FS().Open(name)
}

func (f diskFS) Lstat(name string) (fs.FileInfo, error) {
	if f.disk.root == nil {
		return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
	}
	return f.disk.root.Lstat(name)
}

// ReadLink completes fs.ReadLinkFS, for the sake of Lstat; links are refused, so nobody needs it.
func (f diskFS) ReadLink(name string) (string, error) {
	return "", &fs.PathError{Op: "readlink", Path: name, Err: errors.ErrUnsupported}
}

func (d *Disk) open() error {
	if d.root != nil {
		return nil
	}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return fmt.Errorf("making the output folder: %w", err)
	}
	root, err := os.OpenRoot(d.dir)
	d.root = root
	return err
}

// Write implements Writer.
func (d *Disk) Write(name string, data []byte) error {
	if err := d.open(); err != nil {
		return err
	}
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return d.root.WriteFile(name, data, 0o644)
}

// Rename implements Writer.
func (d *Disk) Rename(from, to string) error { return d.root.Rename(from, to) }

// Remove implements Writer.
func (d *Disk) Remove(name string) error { return d.root.Remove(name) }
