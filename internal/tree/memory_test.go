package tree

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing/fstest"
)

// memory is a folder in memory that behaves like one on disk: folders exist by themselves, and only empty ones go.
type memory struct{ fstest.MapFS }

func newMemory() memory { return memory{fstest.MapFS{}} }

func (m memory) Write(name string, data []byte) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if at := m.MapFS[dir]; at != nil && !at.Mode.IsDir() {
			return &fs.PathError{Op: "write", Path: name, Err: syscall.ENOTDIR}
		}
		m.MapFS[dir] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
	}
	m.MapFS[name] = &fstest.MapFile{Data: slices.Clone(data), Mode: 0o644}
	return nil
}

func (m memory) Rename(from, to string) error {
	file := m.MapFS[from]
	if file == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	if at := m.MapFS[to]; at != nil && at.Mode.IsDir() {
		return &fs.PathError{Op: "rename", Path: to, Err: syscall.EISDIR}
	}
	m.MapFS[to] = file
	delete(m.MapFS, from)
	return nil
}

func (m memory) Remove(name string) error {
	if m.MapFS[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	for other := range m.MapFS {
		if strings.HasPrefix(other, name+"/") {
			return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
		}
	}
	delete(m.MapFS, name)
	return nil
}

// text returns the folder as "path: content", folders as "path/".
func (m memory) text() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m.MapFS)) {
		if m.MapFS[name].Mode.IsDir() {
			out = append(out, name+"/")
			continue
		}
		out = append(out, name+": "+string(m.MapFS[name].Data))
	}
	return out
}

// tester is a test, or a round of rapid.
type tester interface {
	Helper()
	Fatal(args ...any)
	Context() context.Context
}

// build returns a tree with the files of a model: "lab/cilium" to path to content; "lab" is the environment itself.
func build(t tester, model map[string]map[string]string) *Tree {
	t.Helper()
	out := New()
	for _, owner := range slices.Sorted(maps.Keys(model)) {
		o := ownerOf(owner)
		if err := out.Own(o, "input-"+owner); err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(model[owner])) {
			if err := out.Add(o, name, []byte(model[owner][name])); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

func ownerOf(s string) Owner {
	environment, component, _ := strings.Cut(s, "/")
	return Owner{environment, component}
}

func scan(t tester, fsys fs.FS, scope Scope) *Snapshot {
	t.Helper()
	s, err := Scan(fsys, scope, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustSync(t tester, m memory, scope Scope, model map[string]map[string]string) []Change {
	t.Helper()
	changes, err := build(t, model).Sync(t.Context(), scan(t, m, scope), m)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func kinds(changes []Change) []string {
	var out []string
	for _, c := range changes {
		if !c.IsRecord() {
			out = append(out, string(c.Kind)+" "+c.Path)
		}
	}
	return out
}
