package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type reads struct {
	fs.FS
	names []string
}

func (r *reads) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	if err == nil {
		if info, statErr := f.Stat(); statErr == nil && !info.IsDir() && !strings.Contains(name, recordFolder) {
			r.names = append(r.names, name)
		}
	}
	return f, err
}

func (r *reads) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(r.FS, name) }

func (r *reads) ReadLink(string) (string, error) { return "", errors.ErrUnsupported }

type place struct{ dir, cache string }

func (p place) run(t *testing.T, m model) (changes []Change, opened []string) {
	t.Helper()
	disk, err := Open(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = disk.Close() }()
	r := &reads{FS: disk.FS()}
	s, err := Scan(r, Scope{}, OpenCache(p.cache, p.dir))
	if err != nil {
		t.Fatal(err)
	}
	changes, err = build(t, m).Sync(t.Context(), s, disk)
	if err != nil {
		t.Fatal(err)
	}
	return changes, r.names
}

func TestUnchangedFilesAreNotRead(t *testing.T) {
	p := place{t.TempDir(), t.TempDir()}
	p.run(t, fleet())
	time.Sleep(granularity + 100*time.Millisecond)
	if _, opened := p.run(t, fleet()); len(opened) != 9 {
		t.Errorf("the second run has to read all 9 files, it read %v", opened)
	}
	changes, opened := p.run(t, fleet())
	if len(opened)+len(changes) > 0 {
		t.Errorf("the third run read %v and changed %v", opened, kinds(changes))
	}
	file := filepath.Join(p.dir, "lab/root.yaml")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	// In place, of the same size, the time set back: inode, size and mtime are as before.
	if err := os.WriteFile(file, []byte("ROOT"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	changes, opened = p.run(t, fleet())
	if d := cmp.Diff([]string{"changed lab/root.yaml"}, kinds(changes)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if len(opened) == 0 || slices.ContainsFunc(opened, func(name string) bool { return name != "lab/root.yaml" }) {
		t.Errorf("read %v", opened)
	}
}

func TestCacheIsNotRacy(t *testing.T) {
	p := place{t.TempDir(), t.TempDir()}
	p.run(t, fleet())
	file := filepath.Join(p.dir, "lab/root.yaml")
	for round := range 20 {
		p.run(t, fleet()) // reads, may remember
		if err := os.WriteFile(file, []byte{'R', 'O', 'O', byte('A' + round)}, 0o644); err != nil {
			t.Fatal(err)
		}
		if changes, _ := p.run(t, fleet()); len(changes) != 1 {
			t.Fatalf("round %d: an edit was missed", round)
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	stamp := stampOf(info)
	for name, test := range map[string]struct {
		modified time.Duration // before the scan
		want     bool
	}{"in the tick": {granularity / 2, false}, "after the scan": {-time.Hour, false}, "long ago": {time.Hour, true}} {
		s := scan(t, os.DirFS(p.dir), Scope{})
		s.cache = OpenCache(p.cache, p.dir)
		clear(s.cache.Files)
		stamp.Changed, stamp.Modified = 0, s.begun.Add(-test.modified).UnixNano()
		s.cache.Files["lab/root.yaml"], s.cache.changed, s.sums["lab/root.yaml"] = stamp, true, "sum"
		disk, err := Open(p.dir)
		if err != nil {
			t.Fatal(err)
		}
		s.remember(New(), disk)
		if _, kept := OpenCache(p.cache, p.dir).Files["lab/root.yaml"]; kept != test.want {
			t.Errorf("%s: remembered %t", name, kept)
		}
	}
}

func TestBrokenCacheIsNoCache(t *testing.T) {
	for name, content := range map[string]string{"cut off": `{"Boot":"`, "binary": "\x00\xff", "wrong type": `{"Files":[1]}`, "empty": "", "null": "null"} {
		p := place{t.TempDir(), t.TempDir()}
		p.run(t, fleet())
		c := OpenCache(p.cache, p.dir)
		if err := os.WriteFile(c.file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if changes, _ := p.run(t, fleet()); len(changes) > 0 {
			t.Errorf("%s: changed %v", name, kinds(changes))
		}
	}
	p := place{t.TempDir(), t.TempDir()}
	p.run(t, fleet())
	c := OpenCache(p.cache, p.dir)
	c.Boot = "another start of the machine"
	c.save()
	if again := OpenCache(p.cache, p.dir); len(again.Records) > 0 {
		t.Error("stamps from before the machine's last start are believed")
	}
	p.cache = filepath.Join(p.dir, "lab/root.yaml") // no folder
	if changes, _ := p.run(t, fleet()); len(changes) > 0 {
		t.Errorf("a cache that cannot be written: changed %v", kinds(changes))
	}
}

func TestCurrent(t *testing.T) {
	p := place{t.TempDir(), t.TempDir()}
	p.run(t, fleet())
	o := Owner{"lab", "cilium"}
	file := filepath.Join(p.dir, "lab/components/cilium/a.yaml")
	look := func(cache *Cache) *Snapshot {
		s, err := Scan(os.DirFS(p.dir), Scope{}, cache)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	known := func() *Cache { return OpenCache(p.cache, p.dir) }
	if !look(known()).Current(o, "input-lab/cilium") {
		t.Error("what was just rendered is not current")
	}
	for name, got := range map[string]bool{
		"other input":     look(known()).Current(o, "input-2"),
		"no input":        look(known()).Current(o, ""),
		"unknown owner":   look(known()).Current(Owner{"lab", "x"}, "input-lab/cilium"),
		"no cache":        look(nil).Current(o, "input-lab/cilium"),
		"another machine": look(OpenCache(t.TempDir(), p.dir)).Current(o, "input-lab/cilium"),
	} {
		if got {
			t.Errorf("%s: current", name)
		}
	}
	if err := os.WriteFile(file, []byte("edited"), 0o644); err != nil {
		t.Fatal(err)
	}
	if look(known()).Current(o, "input-lab/cilium") {
		t.Error("a file edited by hand is current")
	}
	// The record edited to match the file: it would pass, were it believed by itself.
	record := filepath.Join(p.dir, o.recordPath())
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(record, []byte(strings.ReplaceAll(string(text), hash([]byte("a")), hash([]byte("edited")))), 0o644); err != nil {
		t.Fatal(err)
	}
	if look(known()).Current(o, "input-lab/cilium") {
		t.Error("a record edited by hand is believed")
	}
	p.run(t, fleet())
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if look(known()).Current(o, "input-lab/cilium") {
		t.Error("a file removed by hand is current")
	}
}

func TestKeep(t *testing.T) {
	m := newMemory()
	mustSync(t, m, Scope{}, fleet())
	s := scan(t, m, Scope{})
	tree := build(t, model{"lab": fleet()["lab"], "prod": fleet()["prod"], "prod/cilium": {"components/cilium/a.yaml": "A"}})
	for _, o := range []Owner{{"lab", "cilium"}, {"lab", "podinfo"}} {
		if err := tree.Keep(o, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.Keep(Owner{"lab", "podinfo"}, s); err == nil {
		t.Error("kept twice: no error")
	}
	if err := tree.Keep(Owner{"lab", "absent"}, s); err == nil {
		t.Error("nothing to keep: no error")
	}
	if err := tree.Add(Owner{"lab", ""}, "components/podinfo/p.yaml", nil); err == nil || !strings.Contains(err.Error(), "is written by lab/podinfo and by lab") {
		t.Errorf("a path of a kept owner: %v", err)
	}
	changes, err := tree.Sync(t.Context(), s, m)
	if d := cmp.Diff([]string{"changed prod/components/cilium/a.yaml"}, kinds(changes)); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
}

func (d denied) Open(name string) (fs.File, error) {
	if name == d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.FS.Open(name)
}

func BenchmarkNothingChanged(b *testing.B) {
	dir, cache := b.TempDir(), b.TempDir()
	m := model{}
	for i := range 100 {
		for j := range 12 {
			files := map[string]string{}
			for k := range 15 {
				files[fmt.Sprintf("components/c%d/f%d.yaml", j, k)] = strings.Repeat(fmt.Sprintf("%d %d %d\n", i, j, k), 120)
			}
			m[fmt.Sprintf("e%d/c%d", i, j)] = files
		}
	}
	syncDisk(b, dir, m)
	old := time.Now().Add(-time.Hour)
	for owner, files := range m {
		for name := range files {
			if err := os.Chtimes(filepath.Join(dir, ownerOf(owner).Environment, name), old, old); err != nil {
				b.Fatal(err)
			}
		}
	}
	tree := build(b, m)
	time.Sleep(granularity)
	for name, use := range map[string]func() *Cache{"cold": func() *Cache { return nil }, "cached": func() *Cache { return OpenCache(cache, dir) }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				disk, err := Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				s, err := Scan(disk.FS(), Scope{}, use())
				if err != nil {
					b.Fatal(err)
				}
				changes, err := tree.Sync(b.Context(), s, disk)
				if err != nil || len(changes) > 0 {
					b.Fatal(len(changes), err)
				}
				_ = disk.Close()
			}
		})
	}
}
