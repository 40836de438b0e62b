package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// reads counts which files are opened.
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
func (r *reads) ReadLink(string) (string, error)        { return "", errors.ErrUnsupported }

// place is a folder on disk with the cache of a machine.
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

func TestUnchangedFilesAreNotTouched(t *testing.T) {
	dir := fresh(t, fleet())
	stat := func(name string) fs.FileInfo {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	names := []string{"lab/root.yaml", "lab/components/cilium/b.yaml", "lab/.gen/podinfo", "prod/.gen/_environment"}
	var before []fs.FileInfo
	for _, name := range names {
		before = append(before, stat(name))
	}
	changed := fleet()
	changed["lab/cilium"]["components/cilium/a.yaml"] = "A"
	syncDisk(t, dir, changed)
	for i, name := range names {
		after := stat(name)
		if !os.SameFile(before[i], after) || before[i].ModTime() != after.ModTime() {
			t.Errorf("%s was written again", name)
		}
	}
	folder := stat(".")
	if changes := syncDisk(t, dir, changed); len(changes) > 0 {
		t.Errorf("a second run: %v", kinds(changes))
	}
	if stat(".").ModTime() != folder.ModTime() {
		t.Error("a run without changes touched the folder")
	}
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

// A file that changes again within the tick in which it was read is not remembered: the cache never gives a wrong answer.
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

// Keep leaves the files of an owner as they are, and still finds who else wants their paths.
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

// Links are neither followed nor replaced, and nothing outside changes.
func TestLinks(t *testing.T) {
	for name, link := range map[string]string{
		"environment": "lab", "folder": "lab/components", "file": "lab/root.yaml", "record folder": "lab/.gen", "record": "lab/.gen/cilium", "foreign": "lab/mine",
	} {
		t.Run(name, func(t *testing.T) {
			outside, dir := fresh(t, fleet()), t.TempDir()
			at := filepath.Join(dir, link)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(outside, link), at); err != nil {
				t.Skipf("no links here: %v", err)
			}
			before := diskText(t, outside)
			disk, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Scan(disk.FS(), Scope{Environments: []string{"lab"}}, nil)
			if want := link + ": is a symbolic link, which gen neither follows nor replaces: remove it"; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			// A link that appears after the scan: the folder's root does not let a write out.
			for _, path := range []string{link, link + "/x", link + "/.gen-tmp-x"} {
				_ = disk.Write(path, []byte("hostile"))
				_ = disk.Rename("none", path)
			}
			if d := cmp.Diff(before, diskText(t, outside)); d != "" {
				t.Errorf("written outside (-before +after)\n%s", d)
			}
		})
	}
}

func TestLinkOutsideTheScopeIsNotLookedAt(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(dir, "prod")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	scan(t, os.DirFS(dir), Scope{Environments: []string{"lab"}})
}

// locked takes permissions away and gives them back in the end; root has them all, so there is nothing to see.
func locked(t *testing.T, name string, mode fs.FileMode) {
	t.Helper()
	if os.Getuid() == 0 {
		t.Skip("root may do everything")
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(name, 0o755) })
}

// denied refuses to open one file or folder.
type denied struct {
	fs.FS
	name string
}

func (d denied) Open(name string) (fs.File, error) {
	if name == d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.FS.Open(name)
}

func TestUnreadable(t *testing.T) {
	m := newMemory()
	mustSync(t, m, Scope{}, fleet())
	for name, want := range map[string]string{
		".": "reading the output folder: open .: permission denied", "lab/root.yaml": "reading lab/root.yaml: open lab/root.yaml: permission denied",
		"lab/.gen/cilium": "reading what lab/cilium owns: open lab/.gen/cilium: permission denied",
		"lab/components":  "reading the folder lab/components: open lab/components: permission denied",
	} {
		s, err := Scan(denied{m, name}, Scope{}, nil)
		if err == nil {
			_, err = build(t, fleet()).Diff(s)
		}
		if !errors.Is(err, fs.ErrPermission) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir := fresh(t, fleet())
	locked(t, filepath.Join(dir, "lab/.gen"), 0o555)
	disk, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	changed := fleet()
	changed["lab/cilium"]["components/cilium/a.yaml"] = "A"
	before := diskText(t, dir)
	_, err = build(t, changed).Sync(t.Context(), scan(t, disk.FS(), Scope{}), disk)
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "writing lab/.gen/cilium") {
		t.Errorf("got %v", err)
	}
	if d := cmp.Diff(before, diskText(t, dir)); d != "" {
		t.Errorf("(-before +after)\n%s", d)
	}
	if changes := syncDiff(t, dir, fleet()); len(changes) > 0 {
		t.Errorf("reading: %v", kinds(changes))
	}
}

func syncDiff(t *testing.T, dir string, m model) []Change {
	t.Helper()
	changes, err := build(t, m).Diff(scan(t, os.DirFS(dir), Scope{}))
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func TestFolderThatDoesNotExist(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "output")
	disk, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if changes, err := New().Sync(t.Context(), scan(t, disk.FS(), Scope{}), disk); err != nil || len(changes) > 0 {
		t.Errorf("%v, %v", changes, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty tree made the folder: %v", err)
	}
	syncDisk(t, dir, fleet())
	if changes := syncDiff(t, dir, fleet()); len(changes) > 0 {
		t.Error(kinds(changes))
	}
	if _, err := Open(filepath.Join(dir, "lab/root.yaml")); err == nil {
		t.Error("a file as folder: no error")
	}
}

// Two branches that change two components merge without a conflict; two that change one conflict in its record, and the
// next run mends that as well.
func TestMerge(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program")
	}
	dir := t.TempDir()
	git := func(args ...string) error {
		cmd := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.internal", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		t.Logf("git %v: %v %s", args, err, out)
		return err
	}
	must := func(args ...string) {
		t.Helper()
		if err := git(args...); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(branch string, m model) {
		t.Helper()
		must("switch", "--quiet", "--create", branch, "main")
		syncDisk(t, filepath.Join(dir, "output"), m)
		must("add", "--all")
		must("commit", "--quiet", "--message", branch)
	}
	must("init", "--quiet")
	must("commit", "--quiet", "--allow-empty", "--message", "base")
	commit("base", fleet())
	must("branch", "--quiet", "--force", "main", "base")
	cilium, podinfo, both := fleet(), fleet(), fleet()
	cilium["lab/cilium"]["components/cilium/new.yaml"] = "new"
	podinfo["lab/podinfo"]["components/podinfo/p.yaml"] = "P"
	commit("cilium", cilium)
	commit("podinfo", podinfo)
	must("merge", "--quiet", "--no-edit", "cilium")
	both["lab/cilium"], both["lab/podinfo"] = cilium["lab/cilium"], podinfo["lab/podinfo"]
	if changes := syncDiff(t, filepath.Join(dir, "output"), both); len(changes) > 0 {
		t.Errorf("after the merge of two components: %v", kinds(changes))
	}
	other := fleet()
	other["lab/cilium"]["components/cilium/other.yaml"] = "other"
	commit("other", other)
	if err := git("merge", "--quiet", "--no-edit", "cilium"); err == nil {
		t.Fatal("no conflict: the test shows nothing")
	}
	cilium["lab/cilium"]["components/cilium/other.yaml"] = "other"
	delete(cilium["lab/cilium"], "components/cilium/new.yaml") // the merged model is neither side's
	s := scan(t, os.DirFS(filepath.Join(dir, "output")), Scope{})
	if got := s.Interrupted(); len(got) != 1 || got[0].String() != "lab/cilium" {
		t.Errorf("interrupted: %v", got)
	}
	changes := syncDisk(t, filepath.Join(dir, "output"), cilium)
	if d := cmp.Diff([]string{"removed lab/components/cilium/new.yaml"}, kinds(changes)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d := cmp.Diff(diskText(t, fresh(t, cilium)), diskText(t, filepath.Join(dir, "output"))); d != "" {
		t.Errorf("(-fresh +got)\n%s", d)
	}
}

func TestBrokenRecords(t *testing.T) {
	m := newMemory()
	mustSync(t, m, Scope{}, fleet())
	for name, content := range map[string]string{"lab/.gen/cilium": "hello\n", "prod/.gen/_environment": "../../x\n"} {
		if err := m.Write(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Scan(m, Scope{}, nil)
	want := `lab/.gen/cilium:1:1: "hello" is no line of an ownership record (hash, two spaces, path): take the file from git, or remove it and the files of lab/cilium, then run ` + "`gen render -e lab`\n" +
		`prod/.gen/_environment:1:1: "../../x" is no line of an ownership record (hash, two spaces, path): take the file from git, or remove it and the files of prod, then run ` + "`gen render -e prod`"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Two runs at once would write through each other: the second one is told to wait, and a killed one holds nothing.
func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "output")
	first, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Lock(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Lock(); err == nil || !strings.Contains(err.Error(), "another gen is writing "+dir) {
		t.Errorf("got %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.Lock(); err != nil {
		t.Errorf("after the first is done: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkNothingChanged is a fleet of 100 environments of 12 components that stands there already.
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
