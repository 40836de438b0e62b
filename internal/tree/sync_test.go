package tree

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type model = map[string]map[string]string

// fleet is a small model: two environments, two components each.
func fleet() model {
	return model{
		"lab":         {"root.yaml": "root", "apps/project.yaml": "project"},
		"lab/cilium":  {"apps/cilium.yaml": "app", "components/cilium/a.yaml": "a", "components/cilium/b.yaml": "b"},
		"lab/podinfo": {"apps/podinfo.yaml": "app", "components/podinfo/p.yaml": "p"},
		"prod":        {"root.yaml": "root"},
		"prod/cilium": {"components/cilium/a.yaml": "a"},
	}
}

func TestSync(t *testing.T) {
	for name, test := range map[string]struct {
		scope  Scope
		change func(model) // to the fleet that stands there already
		before map[string]string
		want   []string
	}{
		"nothing": {},
		"changed": {change: func(m model) { m["lab/cilium"]["components/cilium/a.yaml"] = "A" }, want: []string{"changed lab/components/cilium/a.yaml"}},
		"added and removed": {change: func(m model) {
			delete(m["lab/cilium"], "components/cilium/a.yaml")
			m["lab/cilium"]["components/cilium/c.yaml"] = "c"
		}, want: []string{"removed lab/components/cilium/a.yaml", "added lab/components/cilium/c.yaml"}},
		"component gone": {
			change: func(m model) { delete(m, "lab/podinfo") },
			want:   []string{"removed lab/apps/podinfo.yaml", "removed lab/components/podinfo/p.yaml"},
		},
		"environment gone, full run": {
			change: func(m model) { delete(m, "prod"); delete(m, "prod/cilium") },
			want:   []string{"removed prod/components/cilium/a.yaml", "removed prod/root.yaml"},
		},
		"environment gone, other selected": {scope: Scope{Environments: []string{"lab"}}, change: func(m model) { delete(m, "prod"); delete(m, "prod/cilium") }},
		"component gone, its environment selected": {
			scope:  Scope{Environments: []string{"lab"}},
			change: func(m model) { delete(m, "lab/podinfo"); delete(m, "prod"); delete(m, "prod/cilium") },
			want:   []string{"removed lab/apps/podinfo.yaml", "removed lab/components/podinfo/p.yaml"},
		},
		"component selected": {scope: Scope{Components: []string{"cilium"}}, change: func(m model) {
			m["lab/cilium"]["components/cilium/a.yaml"] = "A"
			delete(m, "lab/podinfo")
			delete(m, "lab")
			delete(m, "prod")
		}, want: []string{"changed lab/components/cilium/a.yaml"}},
		"moved to another owner": {change: func(m model) {
			delete(m["lab/podinfo"], "components/podinfo/p.yaml")
			m["lab/cilium"]["components/podinfo/p.yaml"] = "p"
		}},
		"file becomes folder": {change: func(m model) {
			delete(m["lab"], "root.yaml")
			m["lab/cilium"]["root.yaml/x"] = "x"
		}, want: []string{"removed lab/root.yaml", "added lab/root.yaml/x"}},
		"folder becomes file": {change: func(m model) {
			delete(m, "lab/podinfo")
			m["lab"]["components/podinfo"] = "x"
		}, want: []string{"removed lab/apps/podinfo.yaml", "added lab/components/podinfo", "removed lab/components/podinfo/p.yaml"}},
		"hand edit, deletion, foreign file": {
			before: map[string]string{"lab/root.yaml": "edited", "lab/apps/project.yaml": "", "lab/apps/mine.yaml": "m", "README.md": "r", ".gitattributes": "* -text"},
			want:   []string{"foreign README.md", "foreign lab/apps/mine.yaml", "added lab/apps/project.yaml", "changed lab/root.yaml"},
		},
		"foreign file of equal content is taken over": {
			before: map[string]string{"lab/apps/new.yaml": "n"},
			change: func(m model) { m["lab/cilium"]["apps/new.yaml"] = "n" },
		},
		"left-overs of a killed run": {before: map[string]string{"lab/apps/.gen-tmp-1": "half", "lab/.gen/.gen-tmp-2": "half", ".gen-tmp-3": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory()
			mustSync(t, m, Scope{}, fleet())
			for name, content := range test.before {
				if content == "" && name[0] != '.' {
					delete(m.MapFS, name)
				} else if err := m.Write(name, []byte(content)); err != nil {
					t.Fatal(err)
				}
			}
			after := fleet()
			if test.change != nil {
				test.change(after)
			}
			for owner := range after {
				if !test.scope.Covers(ownerOf(owner)) {
					delete(after, owner)
				}
			}
			diff, err := build(t, after).Diff(scan(t, m, test.scope))
			if err != nil {
				t.Fatal(err)
			}
			got := mustSync(t, m, test.scope, after)
			if d := cmp.Diff(test.want, kinds(got)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if d := cmp.Diff(diff, got); d != "" {
				t.Errorf("Diff and Sync disagree (-diff +sync)\n%s", d)
			}
			again := mustSync(t, m, test.scope, after)
			for _, c := range again {
				if c.Kind != Foreign {
					t.Errorf("second run: %s %s", c.Kind, c.Path)
				}
			}
			if left := scan(t, m, Scope{}); len(left.temps) > 0 || len(left.Interrupted()) > 0 {
				t.Errorf("left %v, interrupted %v", left.temps, left.Interrupted())
			}
		})
	}
}

// A run from nothing and a run over an older state end alike, folders included.
func TestSyncLeavesNoTrace(t *testing.T) {
	m := newMemory()
	mustSync(t, m, Scope{}, fleet())
	small := model{"lab": {"root.yaml": "root"}}
	mustSync(t, m, Scope{}, small)
	fresh := newMemory()
	mustSync(t, fresh, Scope{}, small)
	if d := cmp.Diff(fresh.text(), m.text()); d != "" {
		t.Errorf("(-fresh +got)\n%s", d)
	}
	mustSync(t, m, Scope{}, nil)
	if len(m.MapFS) != 0 {
		t.Errorf("an empty tree leaves %v", m.text())
	}
}

func TestSyncRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		scope  Scope
		before map[string]string
		want   string
	}{
		"foreign file in the way": {
			before: map[string]string{"lab/apps/new.yaml": "mine"},
			want:   "output/lab/apps/new.yaml: lab/new wants to write it, but it exists with other content and no record names it: move it away, or remove it if an interrupted run left it",
		},
		"foreign file in the way but for case": {
			before: map[string]string{"lab/apps/NEW.yaml": "mine"},
			want:   "output/lab/apps/NEW.yaml of a file that gen does not own and output/lab/apps/new.yaml of lab/new: one path on a file system that folds case: rename one of them",
		},
		"foreign folder in the way": {
			before: map[string]string{"lab/apps/new.yaml/x": "mine"},
			want:   "output/lab/apps/new.yaml of a file that gen does not own and output/lab/apps/new.yaml of lab/new: the one is a folder of the other: rename one of them",
		},
		"owned by a component that is not selected": {
			scope: Scope{Components: []string{"new"}}, before: map[string]string{
				"lab/.gen/old": hash([]byte("x")) + "  apps/new.yaml\n", "lab/apps/new.yaml": "x",
			},
			want: "output/lab/apps/new.yaml: is written by lab/old and by lab/new: remove it from one of them",
		},
		"outside the scope": {scope: Scope{Components: []string{"other"}}, want: "lab/new: lies outside of what this run answers for"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory()
			for name, content := range test.before {
				if err := m.Write(name, []byte(content)); err != nil {
					t.Fatal(err)
				}
			}
			before := m.text()
			tree := build(t, model{"lab/new": {"apps/new.yaml": "new"}})
			_, err := tree.Sync(t.Context(), scan(t, m, test.scope), m)
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if d := cmp.Diff(before, m.text()); d != "" {
				t.Errorf("something was written (-before +after)\n%s", d)
			}
		})
	}
}

// A path that two records name, as a merge by hand may leave it, stays as long as either owner has it.
func TestPathOfTwoRecords(t *testing.T) {
	m := newMemory()
	mustSync(t, m, Scope{}, fleet())
	shared := "components/cilium/a.yaml"
	if err := m.Write("lab/.gen/podinfo", record{sums: map[string]string{shared: hash([]byte("a"))}}.encode()); err != nil {
		t.Fatal(err)
	}
	mustSync(t, m, Scope{Environments: []string{"lab"}, Components: []string{"podinfo"}}, nil)
	if m.MapFS["lab/"+shared] == nil {
		t.Error("a file of lab/cilium was removed with lab/podinfo")
	}
}

func TestCancelled(t *testing.T) {
	m := newMemory()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := build(t, fleet()).Sync(ctx, scan(t, m, Scope{}), m); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(m.MapFS) > 0 {
		t.Errorf("written: %v", m.text())
	}
}

// cancelling is interrupted as it writes its first file.
type cancelling struct {
	Writer
	cancel context.CancelFunc
}

func (c cancelling) Write(name string, data []byte) error {
	c.cancel()
	return c.Writer.Write(name, data)
}

// Who interrupts a run is told what that leaves and what mends it, and nothing about a disk that lacks room.
func TestInterruptedSays(t *testing.T) {
	disk := open(t, t.TempDir())
	t.Cleanup(func() { _ = disk.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	wanted := New()
	if err := wanted.Own(Owner{Environment: "lab"}, ""); err != nil {
		t.Fatal(err)
	}
	if err := wanted.Add(Owner{Environment: "lab"}, "root.yaml", []byte("x")); err != nil {
		t.Fatal(err)
	}
	_, err := wanted.Sync(ctx, scan(t, disk.FS(), Scope{}), cancelling{disk, cancel})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if text := err.Error(); !strings.Contains(text, "interrupted") || !strings.Contains(text, "the next `gen render` mends that") || strings.Contains(text, "make room") {
		t.Error(text)
	}
}
