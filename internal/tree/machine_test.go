package tree

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// machine plays random runs, edits and crashes against a folder, and keeps a small model of who owns what beside it.
type machine struct {
	folder memory
	source model           // what the model says now
	stands model           // what each owner's last whole run left
	dirty  map[string]bool // owners whose last run was interrupted
	alien  map[string]string
	edited bool // generated files were edited or deleted by hand since the last full run
}

var (
	machineEnvironments = []string{"lab", "prod"}
	machineComponents   = []string{"", "cilium", "podinfo"}
	machineNames        = []string{"a.yaml", "b.yaml", "d/e.yaml", "d/f/g.yaml"}
)

func (m *machine) owners() []string {
	var out []string
	for _, environment := range machineEnvironments {
		for _, component := range machineComponents {
			out = append(out, path.Join(environment, component))
		}
	}
	return out
}

// Change gives one owner other files, or none, or takes it out of the model.
func (m *machine) Change(t *rapid.T) {
	owner := rapid.SampledFrom(m.owners()).Draw(t, "owner")
	if rapid.IntRange(0, 3).Draw(t, "gone") == 0 {
		delete(m.source, owner)
		return
	}
	files := map[string]string{}
	for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(machineNames), rapid.ID[string]).Draw(t, "names") {
		files[path.Join("components", ownerOf(owner).Component, name)] = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "content")
	}
	m.source[owner] = files
}

// RemoveEnvironment takes a whole environment out of the model.
func (m *machine) RemoveEnvironment(t *rapid.T) {
	environment := rapid.SampledFrom(machineEnvironments).Draw(t, "environment")
	maps.DeleteFunc(m.source, func(owner string, _ map[string]string) bool { return ownerOf(owner).Environment == environment })
}

// Alien puts a file of a person's into an environment, or removes one.
func (m *machine) Alien(t *rapid.T) {
	name := path.Join(rapid.SampledFrom(machineEnvironments).Draw(t, "environment"), rapid.SampledFrom([]string{"notes.txt", "components/cilium/mine.txt"}).Draw(t, "name"))
	if _, ok := m.alien[name]; ok {
		delete(m.alien, name)
		_ = m.folder.Remove(name)
		return
	}
	m.alien[name] = "mine"
	if err := m.folder.Write(name, []byte("mine")); err != nil {
		t.Fatal(err)
	}
}

// Edit changes or deletes a generated file by hand.
func (m *machine) Edit(t *rapid.T) {
	var names []string
	for name, file := range m.folder.MapFS {
		if _, alien := m.alien[name]; !alien && !file.Mode.IsDir() && !strings.Contains(name, "/"+recordFolder+"/") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Skip("nothing generated stands there")
	}
	slices.Sort(names)
	name := rapid.SampledFrom(names).Draw(t, "name")
	m.edited = true
	if rapid.Bool().Draw(t, "delete") {
		delete(m.folder.MapFS, name)
		return
	}
	if err := m.folder.Write(name, []byte("edited")); err != nil {
		t.Fatal(err)
	}
}

// Run is a full or a partial run, which may crash.
func (m *machine) Run(t *rapid.T) {
	scope := Scope{}
	if rapid.Bool().Draw(t, "select environments") {
		scope.Environments = rapid.SliceOfNDistinct(rapid.SampledFrom(machineEnvironments), 1, -1, rapid.ID[string]).Draw(t, "environments")
	}
	if rapid.IntRange(0, 2).Draw(t, "select components") == 0 {
		scope.Components = rapid.SliceOfNDistinct(rapid.SampledFrom(machineComponents[1:]), 1, -1, rapid.ID[string]).Draw(t, "components")
	}
	want := model{}
	for owner, files := range m.source {
		if scope.Covers(ownerOf(owner)) {
			want[owner] = files
		}
	}
	s := scan(t, m.folder, scope)
	w := &faulty{Writer: m.folder, at: -1, err: errCrash, dead: true}
	if rapid.IntRange(0, 2).Draw(t, "crash") == 0 {
		w.at, w.half = rapid.IntRange(0, 20).Draw(t, "at"), rapid.Bool().Draw(t, "half")
	}
	_, err := build(t, want).Sync(t.Context(), s, w)
	if errors.Is(err, errCrash) {
		m.crashed(t, scope)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	m.ran(scope, want)
}

// ran takes over into the model that a run ended.
func (m *machine) ran(scope Scope, want model) {
	for _, owner := range m.owners() {
		if !scope.Covers(ownerOf(owner)) {
			continue
		}
		delete(m.stands, owner)
		delete(m.dirty, owner)
		if files, ok := want[owner]; ok {
			m.stands[owner] = maps.Clone(files)
		}
	}
	if len(scope.Environments)+len(scope.Components) == 0 {
		m.edited = false
	}
}

// crashed takes over that a run was killed: owners in its scope may be at the old state, at the new one, or in between and say so.
func (m *machine) crashed(t *rapid.T, scope Scope) {
	for _, o := range scan(t, m.folder, Scope{}).Interrupted() {
		if !scope.Covers(o) && !m.dirty[o.String()] {
			t.Fatalf("%s is interrupted, but was not in the run's scope", o)
		}
	}
	for _, owner := range m.owners() {
		if scope.Covers(ownerOf(owner)) {
			m.dirty[owner] = true
		}
	}
}

// Check compares the folder with the model after each action.
func (m *machine) Check(t *rapid.T) {
	s := scan(t, m.folder, Scope{})
	owned := s.owned()
	for name, content := range m.alien {
		file := m.folder.MapFS[name]
		if file == nil || string(file.Data) != content || len(owned[name]) > 0 {
			t.Fatalf("the foreign file %s was lost, changed or taken", name)
		}
	}
	for name := range s.files {
		if _, alien := m.alien[name]; !alien && len(owned[name]) == 0 {
			t.Fatalf("%s is owned by nobody", name)
		}
	}
	for _, owner := range m.owners() {
		if m.dirty[owner] {
			continue
		}
		m.checkOwner(t, s, owner)
	}
}

func (m *machine) checkOwner(t *rapid.T, s *Snapshot, owner string) {
	o := ownerOf(owner)
	files, stands := m.stands[owner]
	r, recorded := s.records[o]
	if stands != recorded || r.writing {
		t.Fatalf("%s: stands %t, recorded %t, interrupted %t", owner, stands, recorded, r.writing)
	}
	want := map[string]string{}
	for name, content := range files {
		want[name] = hash([]byte(content))
		file := m.folder.MapFS[path.Join(o.Environment, name)]
		if !m.edited && (file == nil || string(file.Data) != content) {
			t.Fatalf("%s: %s is not what the last run left", owner, name)
		}
	}
	if d := cmp.Diff(want, r.sums); recorded && d != "" {
		t.Fatalf("%s owns (-model +record)\n%s", owner, d)
	}
}

// TestMachine is full runs, -e, -c, hand edits, foreign files, removed environments and crashes in any order, against the
// model of who owns what; in the end a full run makes the folder equal to a fresh one, but for what is foreign.
func TestMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{folder: newMemory(), source: model{}, stands: model{}, dirty: map[string]bool{}, alien: map[string]string{}}
		t.Repeat(map[string]func(*rapid.T){
			"": m.Check, "Change": m.Change, "RemoveEnvironment": m.RemoveEnvironment, "Alien": m.Alien, "Edit": m.Edit, "Run": m.Run, "Run again": m.Run,
		})
		m.finish(t)
	})
}

func (m *machine) finish(t *rapid.T) {
	for name := range m.alien {
		delete(m.folder.MapFS, name)
	}
	mustSync(t, m.folder, Scope{}, m.source)
	want := newMemory()
	mustSync(t, want, Scope{}, m.source)
	if d := cmp.Diff(want.text(), m.folder.text()); d != "" {
		t.Fatalf("a full run over all that (-fresh +got)\n%s", d)
	}
}
