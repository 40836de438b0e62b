// Package tree holds a write-once map of path to bytes that is compared with a folder and written to it, what its owners no longer own removed.
//
// The folder is output/: one folder an environment, and in each .gen/<component>, a record of the files which that
// component owns. A run answers for the owners in its Scope; it removes what these owned and no longer do, and nothing
// else. A file that no record names is foreign: it is left alone and reported.
//
// Use: Scan a folder, skip what Current says need not be rendered (Keep), Own and Add the rest, then Diff or Sync.
package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// Tree is what one run wants to stand in the folder. It is not safe for concurrent use.
type Tree struct {
	owners map[Owner]*record
	kept   map[Owner]bool
	files  map[string]file // by path from the folder's root
	taken  taken
}

type file struct {
	owner Owner
	data  []byte
	sum   string
}

// New returns an empty tree.
func New() *Tree {
	return &Tree{owners: map[Owner]*record{}, kept: map[Owner]bool{}, files: map[string]file{}, taken: newTaken()}
}

// Own declares an owner, even one without files, and the hash of what its content is made from (may be empty).
// An owner is declared once, before its first file.
func (t *Tree) Own(o Owner, input string) error {
	if err := o.check(); err != nil {
		return err
	}
	if !plainInput.MatchString(input) {
		return fmt.Errorf("%s: input hash %.80q: must be at most 200 letters, digits and : + / = . _ -", o, input)
	}
	if t.owners[o] != nil || t.kept[o] {
		return fmt.Errorf("%s: is declared twice: each component is rendered once an environment", o)
	}
	t.owners[o] = &record{input: input, sums: map[string]string{}}
	return nil
}

// Add adds one file; path is relative to the environment's folder. It takes over data. An error names both owners where
// the path is taken: exactly, but for the case of letters, or as a folder of the other.
func (t *Tree) Add(o Owner, name string, data []byte) error {
	r := t.owners[o]
	if r == nil {
		return fmt.Errorf("%s: %s: the owner was not declared", o, name)
	}
	if err := checkPath(name); err != nil {
		return fmt.Errorf("%s: %s: %w", o, name, err)
	}
	full := path.Join(o.Environment, name)
	if err := t.taken.add(full, o.String()); err != nil {
		return err
	}
	f := file{owner: o, data: data, sum: hash(data)}
	t.files[full], r.sums[name] = f, f.sum
	return nil
}

// Keep declares that all the owner owns stands in the scanned folder already, as s.Current said.
func (t *Tree) Keep(o Owner, s *Snapshot) error {
	if t.owners[o] != nil || t.kept[o] {
		return fmt.Errorf("%s: is declared twice: each component is rendered once an environment", o)
	}
	r, ok := s.records[o]
	if !ok {
		return fmt.Errorf("%s: nothing to keep: the folder holds no record of it", o)
	}
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		if err := t.taken.add(path.Join(o.Environment, name), o.String()); err != nil {
			return err
		}
	}
	t.kept[o] = true
	return nil
}

// Input returns the hash that the owner was declared with.
func (t *Tree) Input(o Owner) string {
	if r := t.owners[o]; r != nil {
		return r.input
	}
	return ""
}

// Files returns every file of the tree by its path from the folder's root, ownership records included, kept owners left out.
func (t *Tree) Files() map[string][]byte {
	out := make(map[string][]byte, len(t.files)+len(t.owners))
	for name, f := range t.files {
		out[name] = f.data
	}
	for o, r := range t.owners {
		out[o.recordPath()] = r.encode()
	}
	return out
}

// shown is a path of the folder as a reader opens it where the command ran.
func shown(name string) string { return path.Join("output", name) }

// cause is what went wrong with a file without its path, which the file system states relative to the folder.
func cause(err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file):
		return file.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// taken finds paths that cannot stand beside each other on every file system.
type taken struct {
	files   map[string]claim // by folded path
	folders map[string]claim // by folded path of each folder above a file
}

type claim struct{ path, owner string }

func newTaken() taken { return taken{files: map[string]claim{}, folders: map[string]claim{}} }

func (t taken) add(name, owner string) error {
	if err := t.check(name, owner); err != nil {
		return err
	}
	t.files[strings.ToLower(name)] = claim{name, owner}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := t.folders[strings.ToLower(dir)]; !ok {
			t.folders[strings.ToLower(dir)] = claim{dir, owner}
		}
	}
	return nil
}

func (t taken) check(name, owner string) error {
	folded := strings.ToLower(name)
	if other, ok := t.files[folded]; ok {
		if other.path == name {
			return fmt.Errorf("%s: is written by %s and by %s: remove it from one of them", shown(name), other.owner, owner)
		}
		return collision(claim{name, owner}, other, "one path on a file system that folds case")
	}
	if other, ok := t.folders[folded]; ok {
		return collision(claim{name, owner}, other, "the one is a folder of the other")
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if other, ok := t.files[strings.ToLower(dir)]; ok {
			return collision(claim{name, owner}, other, "the one is a folder of the other")
		}
		if other, ok := t.folders[strings.ToLower(dir)]; ok && other.path != dir {
			return collision(claim{name, owner}, other, "their folders differ in case alone")
		}
	}
	return nil
}

func collision(a, b claim, why string) error {
	return fmt.Errorf("%s of %s and %s of %s: %s: rename one of them", shown(b.path), b.owner, shown(a.path), a.owner, why)
}
