package tree

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// tempPrefix begins the name of every file that is being written. What a killed run leaves of them, the next one sweeps.
// It does not end in .yaml, so Argo CD never reads one.
const tempPrefix = ".gen-tmp-"

// Snapshot is what one look at the folder found: records, and the state of each file without its content.
// Its methods may be called at the same time.
type Snapshot struct {
	fsys    fs.FS
	scope   Scope
	cache   *Cache
	begun   time.Time
	records map[Owner]record
	texts   map[Owner]string       // hash of each record as it stands
	files   map[string]fs.FileInfo // regular files, records and temporary files left out
	folders []string
	temps   []string

	mu   sync.Mutex
	sums map[string]string // content hashes that were asked for
}

// Scan looks at the environments of the scope; fsys is rooted at the folder that holds one folder an environment.
// A folder that does not exist is empty. It refuses symbolic links and whatever else is neither file nor folder (output/lab
// could be a link to /etc), unreadable folders and broken records, all at once. The cache may be nil.
func Scan(fsys fs.FS, scope Scope, cache *Cache) (*Snapshot, error) {
	s := &Snapshot{
		fsys: fsys, scope: scope, cache: cache, begun: time.Now(), records: map[Owner]record{},
		texts: map[Owner]string{}, files: map[string]fs.FileInfo{}, sums: map[string]string{},
	}
	top, err := fs.ReadDir(fsys, ".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the folder %s: %w", shown("."), cause(err))
	}
	var errs []error
	for _, entry := range top {
		if s.skips(entry) {
			continue
		}
		errs = append(errs, s.look(".", entry)...)
	}
	return s, errors.Join(errs...)
}

// skips leaves out what another run answers for, and what a person keeps beside the environments for git and editors.
func (s *Snapshot) skips(entry fs.DirEntry) bool {
	if entry.IsDir() || entry.Type()&fs.ModeSymlink != 0 {
		return !s.scope.environment(entry.Name())
	}
	if strings.HasPrefix(entry.Name(), tempPrefix) {
		return false
	}
	return len(s.scope.Environments) > 0 || strings.HasPrefix(entry.Name(), ".git") || entry.Name() == ".editorconfig"
}

func (s *Snapshot) look(dir string, entry fs.DirEntry) []error {
	name := path.Join(dir, entry.Name())
	switch {
	case entry.IsDir():
		return s.walk(name)
	case !entry.Type().IsRegular():
		return []error{fmt.Errorf("%s: is a %s, which gen neither follows nor replaces: remove it", shown(name), irregular(entry.Type()))}
	case strings.HasPrefix(entry.Name(), tempPrefix):
		s.temps = append(s.temps, name)
		return nil
	}
	if o, ok := recordOwner(name); ok {
		return s.read(o)
	}
	info, err := entry.Info()
	if err != nil {
		return []error{fmt.Errorf("looking at %s: %w", shown(name), cause(err))}
	}
	s.files[name] = info
	return nil
}

func irregular(mode fs.FileMode) string {
	if mode&fs.ModeSymlink != 0 {
		return "symbolic link"
	}
	return "device, pipe or socket"
}

func (s *Snapshot) walk(dir string) []error {
	s.folders = append(s.folders, dir)
	entries, err := fs.ReadDir(s.fsys, dir)
	if err != nil {
		return []error{fmt.Errorf("reading the folder %s: %w", shown(dir), cause(err))}
	}
	var errs []error
	for _, entry := range entries {
		errs = append(errs, s.look(dir, entry)...)
	}
	return errs
}

// recordOwner returns whose record lies at name.
func recordOwner(name string) (Owner, bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || parts[1] != recordFolder {
		return Owner{}, false
	}
	o := Owner{Environment: parts[0], Component: parts[2]}
	if o.Component == environmentRecord {
		o.Component = ""
	}
	return o, o.check() == nil
}

func (s *Snapshot) read(o Owner) []error {
	text, err := fs.ReadFile(s.fsys, o.recordPath())
	if err != nil {
		return []error{fmt.Errorf("reading what %s owns: %s: %w", o, shown(o.recordPath()), cause(err))}
	}
	r, err := parseRecord(text)
	if err != nil {
		return []error{fmt.Errorf("%s:%w: take the file from git, or remove it and the files of %s, then run `%s`", shown(o.recordPath()), err, o, o.Command())}
	}
	s.records[o], s.texts[o] = r, hash(text)
	return nil
}

// Interrupted returns the owners in the scope whose files a run began to write and did not end writing (or whose record
// holds a merge conflict): what stands there is a mixture. `gen render` mends it; nothing else may use it.
func (s *Snapshot) Interrupted() []Owner {
	var out []Owner
	for o, r := range s.records {
		if r.writing && s.scope.Covers(o) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, Owner.Compare)
	return out
}

// Current reports whether rendering the owner from input can be skipped: this machine rendered its record from that very
// input before, and each of its files still stands there with the content that the record states.
func (s *Snapshot) Current(o Owner, input string) bool {
	r, ok := s.records[o]
	if !ok || r.writing || input == "" || r.input != input || !s.cache.rendered(o, s.texts[o]) {
		return false
	}
	for name, sum := range r.sums {
		if got, err := s.sum(path.Join(o.Environment, name)); err != nil || got != sum {
			return false
		}
	}
	return true
}

// sum returns the hash of a file's content, from the cache where the file provably did not change since.
func (s *Snapshot) sum(name string) (string, error) {
	info, ok := s.files[name]
	if !ok {
		return "", fs.ErrNotExist
	}
	s.mu.Lock()
	known := cmp.Or(s.sums[name], s.cache.sum(name, info))
	s.mu.Unlock()
	if known != "" {
		return known, nil
	}
	data, err := fs.ReadFile(s.fsys, name)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", shown(name), cause(err))
	}
	known = hash(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums[name] = known
	s.cache.add(name, info, known)
	return known, nil
}

// owned returns who owns each path according to the records.
func (s *Snapshot) owned() map[string][]Owner {
	out := map[string][]Owner{}
	for o, r := range s.records {
		for name := range r.sums {
			full := path.Join(o.Environment, name)
			out[full] = append(out[full], o)
		}
	}
	return out
}
