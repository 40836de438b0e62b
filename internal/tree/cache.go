package tree

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// granularity is the coarsest clock that file systems stamp files with (FAT: two seconds). A file stamped within it before
// it was read may change again under the same stamp, so its hash is not remembered (git's "racily clean" entries).
const granularity = 2 * time.Second

// Cache remembers, on this machine, the content hashes of files by what stat tells of them, and which records this machine
// rendered itself. It belongs into a cache folder, never into the output. A nil Cache remembers nothing. Losing it costs
// time only; what it says is right, or it says nothing. One Snapshot at a time uses it.
type Cache struct {
	file    string
	Boot    string           // of the machine's start: after a loss of power stamps may lie about content
	Files   map[string]stamp // by path from the folder's root
	Records map[string]string
	changed bool
}

// stamp is what stat tells of a file, and the hash of the content it had.
type stamp struct {
	Size, Modified, Changed int64 // bytes; nanoseconds; Changed is the inode's time, 0 where there is none
	Inode                   uint64
	Sum                     string
}

// OpenCache reads the cache for one output folder out of the machine's cache folder. What is unreadable, broken or from
// before the last start of the machine counts as empty.
func OpenCache(dir, output string) *Cache {
	abs, err := filepath.Abs(output)
	if err != nil {
		abs = output
	}
	file := filepath.Join(dir, "tree", hash([]byte(abs))[:hashLength]+".json")
	c := &Cache{}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, c) != nil || c.Boot != bootID() {
		c = &Cache{}
	}
	if c.Files == nil || c.Records == nil {
		c.Files, c.Records = map[string]stamp{}, map[string]string{}
	}
	c.file, c.Boot = file, bootID()
	return c
}

func (c *Cache) sum(name string, info fs.FileInfo) string {
	if c == nil {
		return ""
	}
	known, ok := c.Files[name]
	now := stampOf(info)
	now.Sum = known.Sum
	if !ok || now != known {
		return ""
	}
	return known.Sum
}

func (c *Cache) add(name string, info fs.FileInfo, sum string) {
	if c == nil {
		return
	}
	s := stampOf(info)
	s.Sum = sum
	c.Files[name], c.changed = s, true
}

func (c *Cache) rendered(o Owner, text string) bool {
	return c != nil && c.Records[o.String()] == text
}

// remember saves what the run learnt. An error is no error: the next run is slower.
func (s *Snapshot) remember(t *Tree, w Writer) {
	c := s.cache
	if c == nil {
		return
	}
	for o, r := range t.owners {
		if sum := hash(r.encode()); c.Records[o.String()] != sum {
			c.Records[o.String()], c.changed = sum, true
		}
	}
	if !c.changed {
		return
	}
	horizon, ok := s.horizon(w)
	for name, known := range c.Files {
		_, there := s.files[name]
		racy := s.sums[name] != "" && (!ok || max(known.Modified, known.Changed) >= horizon)
		if racy || !there && s.scope.environment(environmentOf(name)) {
			delete(c.Files, name)
		}
	}
	c.save()
}

func environmentOf(name string) string {
	environment, _, _ := strings.Cut(name, "/")
	return environment
}

// horizon returns the stamp before which a file that this run read can not have changed unnoticed since: the time of the
// scan on the clock of the file system, which may be another machine's, less the granularity.
func (s *Snapshot) horizon(w Writer) (int64, bool) {
	const probe = tempPrefix + "clock"
	if err := w.Write(probe, nil); err != nil {
		return 0, false
	}
	elapsed := time.Since(s.begun)
	info, err := fs.Lstat(s.fsys, probe)
	if removeErr := w.Remove(probe); cmp.Or(err, removeErr) != nil {
		return 0, false
	}
	return info.ModTime().Add(-elapsed - granularity).UnixNano(), true
}

func (c *Cache) save() {
	data, err := json.Marshal(c)
	if err != nil || os.MkdirAll(filepath.Dir(c.file), 0o755) != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(c.file), "tmp-*")
	if err != nil {
		return
	}
	_, err = temp.Write(data)
	if err = cmp.Or(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), c.file)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
}

// bootID names the machine's last start, where the system tells (Linux). Elsewhere it is empty, and a loss of power within
// the seconds before the system writes its buffers is what the cache does not see: remove the cache after it.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}
