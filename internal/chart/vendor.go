package chart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// VendoredDir is the folder of vendored archives in the model's folder.
const VendoredDir = "charts"

// vendoredName is the name of a pin's archive in the folder of vendored archives. It tells people what it is, and by the digest it
// never means two things.
func (p pin) vendoredName() string {
	return p.label + "." + digestHex(p.digest)[:12] + ".tgz"
}

// label names an entry in file names.
func (e Entry) label() string {
	switch {
	case e.Name != "":
		return e.Name + "-" + e.Version
	case path.Clean(e.Path) != ".":
		return path.Base(strings.TrimSuffix(e.Path, ".tgz"))
	}
	return strings.TrimSuffix(path.Base(e.Git), ".git")
}

// vendored opens the vendored archive of a pin, nil if there is none. One with another digest is an error: it lies in git, so
// somebody changed it.
func (s *Store) vendored(p pin) (*files, error) {
	if s.options.Root == nil {
		return nil, nil
	}
	at := path.Join(s.options.Vendored, p.vendoredName())
	archive, err := fs.ReadFile(s.options.Root, at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading vendored chart: %w", err)
	}
	content, err := contentOf(archive, p.digest)
	if err != nil {
		return nil, fmt.Errorf("reading vendored chart %s: %w; restore it from git, or delete it and run `gen charts vendor`", at, err)
	}
	return content, nil
}

// Vendored says what Vendor did, by file name, sorted.
type Vendored struct{ Written, Kept, Removed []string }

// Vendor stores the archives of all that the lock pins outside the model's folder in dir, so that a repository that moves cannot stop a
// rebuild, and removes archives there that it wrote before and that nothing pins any more. Other files are left alone.
func (s *Store) Vendor(ctx context.Context, dir string, lock *Lock) (Vendored, error) {
	var done Vendored
	var problems []error
	wanted := map[string]bool{}
	for _, p := range lock.pins() {
		name := p.vendoredName()
		wanted[name] = true
		written, err := s.vendor(ctx, filepath.Join(dir, name), p)
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("vendoring %s: %w", p.label, err))
		case written:
			done.Written = append(done.Written, name)
		default:
			done.Kept = append(done.Kept, name)
		}
	}
	if len(problems) > 0 {
		return done, errors.Join(problems...)
	}
	var err error
	done.Removed, err = removeStale(dir, wanted)
	return done, err
}

// pins returns what all entries take from elsewhere, one of each digest, sorted by file name.
func (l *Lock) pins() []pin {
	byName := map[string]pin{}
	for _, entry := range l.entries {
		for _, p := range entry.pins() {
			if !p.local() {
				byName[p.vendoredName()] = p
			}
		}
	}
	var all []pin
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name])
	}
	return all
}

// vendor writes one archive unless it is there.
func (s *Store) vendor(ctx context.Context, file string, p pin) (bool, error) {
	if archive, err := os.ReadFile(file); err == nil {
		if _, err := contentOf(archive, p.digest); err == nil {
			return false, nil
		}
	}
	archive, ok := s.cache().archive(p.digest)
	if !ok {
		var err error
		if archive, _, err = s.fetch(ctx, p); err != nil {
			return false, err
		}
		s.cache().put(p.digest, archive)
	}
	return true, writeWhole(file, archive)
}

// vendoredForm recognises names that vendoredName makes.
var vendoredForm = regexp.MustCompile(`\.([0-9a-f]{12})\.tgz$`)

// removeStale removes archives that nothing pins. Only a file whose own digest is the one in its name is certainly ours.
func removeStale(dir string, wanted map[string]bool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for stale archives: %w", err)
	}
	var removed []string
	for _, entry := range entries {
		match := vendoredForm.FindStringSubmatch(entry.Name())
		if wanted[entry.Name()] || match == nil || !entry.Type().IsRegular() || !named(filepath.Join(dir, entry.Name()), match[1]) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return removed, fmt.Errorf("removing a stale archive: %w", err)
		}
		removed = append(removed, entry.Name())
	}
	return removed, nil
}

// named says whether a file's digest begins so.
func named(file, begin string) bool {
	archive, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	if strings.HasPrefix(digestHex(archiveDigest(archive)), begin) {
		return true
	}
	content, err := unpack(archive)
	return err == nil && strings.HasPrefix(digestHex(treeDigest(content)), begin)
}
