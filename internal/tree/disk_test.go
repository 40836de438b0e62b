package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// place is a folder on disk with the cache of a machine.
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
			if want := "output/" + link + ": is a symbolic link, which gen neither follows nor replaces: remove it"; err == nil || err.Error() != want {
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

// A folder that was removed and made again is a new one, though the old one was kept open.
func TestDiskWritesWhereTheFolderStands(t *testing.T) {
	dir := t.TempDir()
	disk, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := errors.Join(disk.Write("lab/x/a", []byte("a")), disk.Rename("lab/x/a", "lab/x/b"), disk.Write("lab/y/a", []byte("a")), disk.Rename("lab/y/a", "lab/x/a")); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"./", "lab/", "lab/x/", "lab/x/a: a", "lab/x/b: a", "lab/y/"}, diskText(t, dir)); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		if err := errors.Join(disk.Write("lab/x/c", nil), disk.Remove("lab/x/a"), disk.Remove("lab/x/b"), disk.Remove("lab/x/c"), disk.Remove("lab/x"), disk.Remove("lab/y"), disk.Remove("lab")); err != nil {
			t.Fatal(err)
		}
	}
	if err := disk.Close(); err != nil {
		t.Error(err)
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

func TestUnreadable(t *testing.T) {
	m := newMemory()
	mustSync(t, m, Scope{}, fleet())
	for name, want := range map[string]string{
		".": "reading the folder output: permission denied", "lab/root.yaml": "reading output/lab/root.yaml: permission denied",
		"lab/.gen/cilium": "reading what lab/cilium owns: output/lab/.gen/cilium: permission denied",
		"lab/components":  "reading the folder output/lab/components: permission denied",
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
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "writing output/lab/.gen/cilium") {
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

// Two runs at once would write through each other: the second one is told to wait, and a killed one holds nothing.
func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "output")
	first, second := open(t, dir), open(t, dir)
	if err := first.Lock(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := second.Lock(ctx, cancel); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "another gen is writing "+dir) {
		t.Errorf("got %v", err)
	}
	closed := false
	err := second.Lock(t.Context(), func() { // the first one ends, and takes its empty folder along
		closed = true
		if err := first.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a run that wrote nothing left its folder: %v", err)
		}
	})
	if err != nil || !closed {
		t.Errorf("after the first is done: %v, waited: %v", err, closed)
	}
	if err := second.Write("lab/root.yaml", []byte("x")); err != nil {
		t.Error(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lab/root.yaml")); err != nil {
		t.Error(err)
	}
}

func open(t *testing.T, dir string) *Disk {
	t.Helper()
	disk, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return disk
}

// BenchmarkNothingChanged is a fleet of 100 environments of 12 components that stands there already.
