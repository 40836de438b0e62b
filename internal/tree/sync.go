package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// Writer changes a folder. Paths are relative to its root, slash-separated. Disk is the real one.
type Writer interface {
	// Write creates the file with the content, and the folders above it.
	Write(path string, data []byte) error
	// Rename puts the file from in place of the file to, or where none is, at once.
	Rename(from, to string) error
	// Remove removes a file, or an empty folder.
	Remove(path string) error
}

// Sync makes the scanned folder hold the tree, and returns what it changed (and the foreign files it left alone), as Diff
// does. Files that hold the wanted content already are not touched. Nothing is written if Diff would be an error.
//
// It may be killed at any moment. Before the first file of an owner changes, the owner's record names all that it owned and
// all that it will own, and says that writing has begun; the record of the end replaces it last. So whatever stands in the
// folder is owned, Interrupted tells, and the next run ends as if nothing had happened (decision 6). Files appear whole, by
// rename.
//
// Nothing is fsynced: after a kill the kernel still writes what it holds, and after a loss of power the folder is compared
// anew (the cache forgets at a restart of the machine), while git, which does sync, is the transaction that others see.
// Thousands of fsyncs would cost more than the rendering.
func (t *Tree) Sync(ctx context.Context, s *Snapshot, w Writer) ([]Change, error) {
	p, err := t.plan(s)
	if err != nil {
		return nil, err
	}
	changes, err := p.changes(t, s)
	if err != nil {
		return nil, err
	}
	run := writing{ctx: ctx, w: w, s: s, folders: slices.Clone(s.folders)}
	for _, step := range []func(*Tree, []Change){run.sweep, run.announce, run.removeFiles, run.writeFiles, run.conclude} {
		step(t, changes)
	}
	if run.err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("writing the output folder: interrupted (%w): some files are written and others are not; the next `gen render` mends that", run.err)
	}
	if run.err != nil {
		return nil, fmt.Errorf("writing the output folder: %w: nothing but generated files was touched; make room or access, then run the command again", run.err)
	}
	s.remember(t, w)
	return changes, nil
}

// writing does one file operation after the other until the first error.
type writing struct {
	ctx context.Context
	w   Writer
	s   *Snapshot
	err error

	announced []Owner  // whose record says that writing has begun
	folders   []string // that still stand there, outer ones first
}

func (r *writing) remove(name string) {
	if r.err = cmp.Or(r.err, r.ctx.Err()); r.err != nil {
		return
	}
	if err := r.w.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.err = fmt.Errorf("removing %s: %w", shown(name), cause(err))
	}
}

// put writes a file beside its place and renames it. A temporary file that could not be written whole is removed.
func (r *writing) put(name string, data []byte) {
	if r.err = cmp.Or(r.err, r.ctx.Err()); r.err != nil {
		return
	}
	temp := tempName(name)
	if err := r.w.Write(temp, data); err != nil {
		r.err = fmt.Errorf("writing %s: %w", shown(name), cause(err))
		_ = r.w.Remove(temp) // the next run sweeps it if this fails too
		return
	}
	if err := r.w.Rename(temp, name); err != nil {
		r.err = fmt.Errorf("putting %s in its place: %w", shown(name), cause(err))
		_ = r.w.Remove(temp)
	}
}

func tempName(name string) string {
	return path.Join(path.Dir(name), tempPrefix+hash([]byte(path.Base(name)))[:hashLength])
}

// sweep removes what a killed run left half-written.
func (r *writing) sweep(*Tree, []Change) {
	for _, name := range r.s.temps {
		r.remove(name)
	}
}

// announce writes, for each owner with a changed file, the record of all it owns before, during and after the run.
func (r *writing) announce(t *Tree, changes []Change) {
	r.announced = changedOwners(changes)
	for _, o := range r.announced {
		before := r.s.records[o]
		union := record{input: before.input, writing: true, sums: map[string]string{}}
		maps.Copy(union.sums, before.sums)
		if after := t.owners[o]; after != nil {
			maps.Copy(union.sums, after.sums)
		}
		if text := union.encode(); hash(text) != r.s.texts[o] {
			r.put(o.recordPath(), text)
		}
	}
}

// changedOwners returns who has a change in any file but its record, sorted.
func changedOwners(changes []Change) []Owner {
	set := map[Owner]bool{}
	for _, c := range changes {
		if c.Kind != Foreign && !c.IsRecord() {
			set[c.Owner] = true
		}
	}
	return slices.SortedFunc(maps.Keys(set), Owner.Compare)
}

// removeFiles goes before writeFiles: where a file becomes a folder or changes in case alone, its place must be free.
func (r *writing) removeFiles(t *Tree, changes []Change) {
	for _, c := range changes {
		if c.Kind == Removed && !c.IsRecord() {
			r.remove(c.Path)
		}
	}
	r.removeFolders(t, changes, true)
}

func (r *writing) writeFiles(_ *Tree, changes []Change) {
	for _, c := range changes {
		if c.After != nil && !c.IsRecord() {
			r.put(c.Path, c.After)
		}
	}
}

// conclude writes the final records, and removes those of owners that are gone. An announced record is replaced even if
// it is to be again what it was before.
func (r *writing) conclude(t *Tree, changes []Change) {
	final := map[Owner]bool{}
	for _, o := range r.announced {
		final[o] = true
	}
	for _, c := range changes {
		if c.IsRecord() && c.Kind != Foreign {
			final[c.Owner] = true
		}
	}
	for _, o := range slices.SortedFunc(maps.Keys(final), Owner.Compare) {
		if own := t.owners[o]; own != nil {
			r.put(o.recordPath(), own.encode())
		} else {
			r.remove(o.recordPath())
		}
	}
	r.removeFolders(t, changes, false)
}

// removeFolders removes the folders that hold no file any more, the inner ones first. Git keeps no empty folder either.
func (r *writing) removeFolders(t *Tree, changes []Change, records bool) {
	needed := map[string]bool{}
	need := func(name string) {
		for dir := path.Dir(name); dir != "." && !needed[dir]; dir = path.Dir(dir) {
			needed[dir] = true
		}
	}
	removed := map[string]bool{}
	for _, c := range changes {
		removed[c.Path] = c.Kind == Removed && (!records || !c.IsRecord())
	}
	for name := range r.s.files {
		if !removed[name] {
			need(name)
		}
	}
	for o := range r.s.records {
		if !removed[o.recordPath()] {
			need(o.recordPath())
		}
	}
	for name := range t.files {
		need(name)
	}
	for o := range t.owners {
		need(o.recordPath())
	}
	for _, dir := range slices.Backward(r.folders) {
		if !needed[dir] {
			r.removeFolder(dir)
		}
	}
	r.folders = slices.DeleteFunc(r.folders, func(dir string) bool { return !needed[dir] })
}

// removeFolder leaves a folder that someone put a file into since the scan.
func (r *writing) removeFolder(dir string) {
	if r.err != nil {
		return
	}
	if err := r.w.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
		r.err = fmt.Errorf("removing the empty folder %s: %w", shown(dir), cause(err))
	}
}
