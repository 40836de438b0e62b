package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// Disk is a folder on disk. No operation leaves it, whatever symbolic links lie in it.
type Disk struct {
	dir  string
	root *os.Root // nil until the folder exists
	lock *os.File // nil until Lock
	made bool     // by this run

	near     *os.Root // the folder in which the last file was written, if it still stands: most files have the neighbour of the last one
	nearPath string
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
// scans is what it relies on. While another run holds the lock it waits, and calls waits once; it is an error if the context ends
// meanwhile. waits may be nil.
func (d *Disk) Lock(ctx context.Context, waits func()) error {
	for {
		held, err := d.tryLock()
		if !errors.Is(err, errHeld) {
			d.lock = held
			return err
		}
		if waits != nil {
			waits()
			waits = nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("locking the output folder: %w: another gen is writing %s: wait until it is done", ctx.Err(), d.dir)
		case <-time.After(lockPause):
		}
	}
}

// lockPause is how long Lock waits before it tries again: the kernel's own waiting could not be broken off.
const lockPause = 50 * time.Millisecond

// errHeld says that another run holds the lock.
var errHeld = errors.New("another run holds the lock")

// tryLock locks the folder that stands at the path now: whoever held the lock may have removed the empty one that was opened before.
func (d *Disk) tryLock() (*os.File, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	held, err := lock(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil || held == nil || d.stands(held):
		return held, err
	default:
		_ = held.Close()
	}
	d.leave()
	err = d.root.Close()
	d.root = nil
	return nil, cmp.Or(err, errHeld)
}

// stands reports whether what is locked is what is open, and what the path leads to.
func (d *Disk) stands(held *os.File) bool {
	locked, err := held.Stat()
	opened, openErr := d.root.Stat(".")
	there, pathErr := os.Stat(d.dir)
	return cmp.Or(err, openErr, pathErr) == nil && os.SameFile(locked, opened) && os.SameFile(locked, there)
}

// Close releases the folder, and its lock. An empty folder that Lock made goes: a run that wrote nothing leaves nothing.
func (d *Disk) Close() error {
	if d.lock != nil {
		if d.made {
			_ = os.Remove(d.dir) // which keeps what holds anything
		}
		_ = d.lock.Close()
	}
	d.leave()
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
	if _, err := os.Lstat(d.dir); errors.Is(err, fs.ErrNotExist) {
		d.made = true
	}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return fmt.Errorf("making the output folder: %w", err)
	}
	root, err := os.OpenRoot(d.dir)
	d.root = root
	return err
}

// enter returns the folder, and makes it and those above it where they are missing. The last one stays open: the system would look
// every folder of a path up again for each file, which took most of the time of writing thousands.
func (d *Disk) enter(dir string) (*os.Root, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	if dir == "." {
		return d.root, nil
	}
	if d.near != nil && d.nearPath == dir {
		return d.near, nil
	}
	d.leave()
	if err := d.root.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var err error
	if d.near, err = d.root.OpenRoot(dir); err != nil {
		return nil, err
	}
	d.nearPath = dir
	return d.near, nil
}

// leave closes the folder that enter keeps open.
func (d *Disk) leave() {
	if d.near != nil {
		_ = d.near.Close() // opened for reading
		d.near, d.nearPath = nil, ""
	}
}

// Write implements Writer.
func (d *Disk) Write(name string, data []byte) error {
	folder, err := d.enter(path.Dir(name))
	if err != nil {
		return err
	}
	return folder.WriteFile(path.Base(name), data, 0o644)
}

// Rename implements Writer.
func (d *Disk) Rename(from, to string) error {
	if dir := path.Dir(to); dir == path.Dir(from) {
		folder, err := d.enter(dir)
		if err != nil {
			return err
		}
		return folder.Rename(path.Base(from), path.Base(to))
	}
	return d.root.Rename(from, to)
}

// Remove implements Writer.
func (d *Disk) Remove(name string) error {
	if name == d.nearPath {
		d.leave()
	}
	return d.root.Remove(name)
}
