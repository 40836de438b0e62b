package tree

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// Kind says how a file of the folder differs from the tree.
type Kind string

// The kinds of change. Foreign is no change: it reports a file that nobody owns and that is left alone.
const (
	Added   Kind = "added"
	Changed Kind = "changed"
	Removed Kind = "removed"
	Foreign Kind = "foreign"
)

// Change is one file that differs. Path is relative to the folder's root; Before and After are its content, Before nil
// for added, After nil for removed, both nil for foreign files, which have no Owner either.
type Change struct {
	Path          string
	Owner         Owner
	Kind          Kind
	Before, After []byte
}

// IsRecord reports whether the change is one of an ownership record, which tools want and readers of a diff do not.
func (c Change) IsRecord() bool {
	_, ok := recordOwner(c.Path)
	return ok
}

// plan is what turns the folder into the tree.
type plan struct {
	want    map[string]file
	removed map[string]Owner // files on disk that their owners no longer own
	gone    map[Owner]bool   // owners that are no more: their records go as well
	foreign []string
}

// Diff compares the scanned folder with the tree and returns what Sync would do, sorted by path. It is an error if the tree
// holds an owner outside the scope, or a path that a foreign file or an owner outside the scope occupies.
func (t *Tree) Diff(s *Snapshot) ([]Change, error) {
	p, err := t.plan(s)
	if err != nil {
		return nil, err
	}
	return p.changes(t, s)
}

func (t *Tree) plan(s *Snapshot) (plan, error) {
	p := plan{want: t.files, removed: map[string]Owner{}, gone: map[Owner]bool{}}
	var errs []error
	for o := range t.owners {
		if !s.scope.Covers(o) {
			errs = append(errs, fmt.Errorf("%s: lies outside of what this run answers for", o))
		}
	}
	p.stale(t, s)
	others := newTaken()
	owned := s.owned()
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		owners := owned[name]
		if len(owners) == 0 {
			errs = append(errs, p.keepForeign(s, others, name)...)
		}
	}
	errs = append(errs, p.checkOthers(s, others)...)
	return p, sortedErrors(errs)
}

// stale finds the files that owners in the scope no longer own.
func (p *plan) stale(t *Tree, s *Snapshot) {
	still := map[string]bool{}
	for o, r := range s.records {
		if t.kept[o] || !s.scope.Covers(o) {
			for name := range r.sums {
				still[path.Join(o.Environment, name)] = true
			}
		}
	}
	for o, r := range s.records {
		if t.kept[o] || !s.scope.Covers(o) {
			continue
		}
		p.gone[o] = t.owners[o] == nil
		for name := range r.sums {
			full := path.Join(o.Environment, name)
			_, wanted := p.want[full]
			if _, there := s.files[full]; there && !wanted && !still[full] {
				p.removed[full] = o
			}
		}
	}
}

// keepForeign notes a file that nobody owns. Where the tree wants that path, equal content is taken over, other is not.
func (p *plan) keepForeign(s *Snapshot, others taken, name string) []error {
	want, wanted := p.want[name]
	if !wanted {
		p.foreign = append(p.foreign, name)
		// A foreign file may break the rules for our own paths; it only has to be known where ours would meet it.
		_ = others.add(name, "a file that gen does not own")
		return nil
	}
	sum, err := s.sum(name)
	if err != nil {
		return []error{err}
	}
	if sum != want.sum {
		return []error{fmt.Errorf("%s: %s wants to write it, but it exists with other content and no record names it: move it away, or remove it if an interrupted run left it", shown(name), want.owner)}
	}
	return nil
}

// checkOthers finds wanted paths that meet foreign files or what owners outside the scope own.
func (p *plan) checkOthers(s *Snapshot, others taken) []error {
	for _, o := range slices.SortedFunc(maps.Keys(s.records), Owner.Compare) {
		if s.scope.Covers(o) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(s.records[o].sums)) {
			_ = others.add(path.Join(o.Environment, name), o.String()) // what disagrees among them is not this run's
		}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(p.want)) {
		if err := others.check(name, p.want[name].owner.String()); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (p *plan) changes(t *Tree, s *Snapshot) ([]Change, error) {
	var out []Change
	var errs []error
	add := func(c Change, err error) {
		if err != nil {
			errs = append(errs, err)
		} else if c.Kind != "" {
			out = append(out, c)
		}
	}
	for name, f := range p.want {
		add(s.compare(name, f))
	}
	for name, o := range p.removed {
		add(s.remove(name, o))
	}
	for o, r := range t.owners {
		add(s.compareRecord(o, r))
	}
	for o, gone := range p.gone {
		if gone {
			add(s.remove(o.recordPath(), o))
		}
	}
	for _, name := range p.foreign {
		add(Change{Path: name, Kind: Foreign}, nil)
	}
	slices.SortFunc(out, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return out, sortedErrors(errs)
}

func (s *Snapshot) compare(name string, f file) (Change, error) {
	c := Change{Path: name, Owner: f.owner, Kind: Added, After: f.data}
	if _, ok := s.files[name]; !ok {
		return c, nil
	}
	sum, err := s.sum(name)
	if err != nil || sum == f.sum {
		return Change{}, err
	}
	c.Kind = Changed
	c.Before, err = s.content(name)
	return c, err
}

func (s *Snapshot) compareRecord(o Owner, r *record) (Change, error) {
	c := Change{Path: o.recordPath(), Owner: o, Kind: Added, After: r.encode()}
	sum, ok := s.texts[o]
	if !ok {
		return c, nil
	}
	if sum == hash(c.After) {
		return Change{}, nil
	}
	var err error
	c.Kind = Changed
	c.Before, err = s.content(c.Path)
	return c, err
}

func (s *Snapshot) remove(name string, o Owner) (Change, error) {
	before, err := s.content(name)
	return Change{Path: name, Owner: o, Kind: Removed, Before: before}, err
}

func (s *Snapshot) content(name string) ([]byte, error) {
	data, err := fs.ReadFile(s.fsys, name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shown(name), cause(err))
	}
	return data, nil
}

// sortedErrors joins errors in the order of their text, so that the order of maps never shows.
func sortedErrors(errs []error) error {
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
