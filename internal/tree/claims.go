package tree

import (
	"errors"
	"io/fs"
	"path"
	"slices"
)

// Broken returns the files that the records name and that are missing or hold something else, sorted. An empty list says that
// the folder holds what it claims to hold.
func (s *Snapshot) Broken() ([]string, error) {
	var broken []string
	var errs []error
	for o, r := range s.records {
		for name, want := range r.sums {
			full := path.Join(o.Environment, name)
			got, err := s.sum(full)
			switch {
			case errors.Is(err, fs.ErrNotExist), err == nil && got != want:
				broken = append(broken, full)
			case err != nil:
				errs = append(errs, err)
			}
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken), errors.Join(errs...)
}

// Owners returns whose records the folder holds, sorted.
func (s *Snapshot) Owners() []Owner {
	owners := make([]Owner, 0, len(s.records))
	for o := range s.records {
		owners = append(owners, o)
	}
	slices.SortFunc(owners, Owner.Compare)
	return owners
}
