package pipeline

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/render"
)

const someKey = "0123456789abcdef"

// large is an object that is worth sharing.
func large() manifest.Object {
	properties := map[string]any{}
	for _, name := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
		properties[name] = map[string]any{"type": "string", "description": strings.Repeat(name+" ", 100), "maximum": int64(9007199254740993), "minimum": 1.5}
	}
	return manifest.New(map[string]any{"apiVersion": "v1", "kind": "Large", "metadata": map[string]any{"name": "x"}, "spec": properties})
}

func TestCacheGivesBackWhatWasPut(t *testing.T) {
	c := newCache(Setup{Cache: t.TempDir(), Build: "b"})
	want := render.Result{
		Bundle:     manifest.Bundle{Name: "web", Objects: []manifest.Object{large(), manifest.New(map[string]any{"kind": "Small", "list": []any{nil, true, "x"}})}},
		Notices:    []render.Notice{{Topic: render.TopicHook, Message: "why", Object: manifest.ID{Kind: "Job"}}},
		AbsentAPIs: []string{"example.com/v1"},
	}
	c.put(someKey, want)
	got, hit := c.get(someKey)
	if !hit {
		t.Fatal("what was put is not there")
	}
	for i, o := range want.Bundle.Objects {
		if diff := cmp.Diff(o.Fields(), got.Bundle.Objects[i].Fields()); diff != "" {
			t.Errorf("object %d (-want +got)\n%s", i, diff)
		}
	}
	if diff := cmp.Diff(want.Notices, got.Notices); diff != "" {
		t.Errorf("notices (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want.AbsentAPIs, got.AbsentAPIs); diff != "" {
		t.Errorf("APIs asked for in vain (-want +got)\n%s", diff)
	}
}

// Equal objects of many environments are one object in memory: a fleet of a hundred holds its CRDs once.
func TestCacheSharesEqualObjects(t *testing.T) {
	c := newCache(Setup{Cache: t.TempDir(), Build: "b"})
	for _, key := range []string{"aa1", "aa2", "aa3"} {
		c.put(key, render.Result{Bundle: manifest.Bundle{Objects: []manifest.Object{large()}}})
	}
	for _, key := range []string{"aa1", "aa2", "aa3"} {
		if _, hit := c.get(key); !hit {
			t.Fatal("what was put is not there")
		}
	}
	if len(c.shared) != 1 {
		t.Errorf("%d copies of one object", len(c.shared))
	}
}

func TestCacheMissesWhatIsBroken(t *testing.T) {
	for name, breakIt := range map[string]func([]byte) []byte{
		"cut off":      func(data []byte) []byte { return data[:len(data)/2] },
		"one bit":      func(data []byte) []byte { data[len(data)-3] ^= 1; return data },
		"empty":        func([]byte) []byte { return nil },
		"other format": func([]byte) []byte { return []byte("{}") },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(Setup{Cache: t.TempDir(), Build: "b"})
			c.put(someKey, render.Result{Bundle: manifest.Bundle{Objects: []manifest.Object{large()}}})
			data, err := os.ReadFile(c.file(someKey))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(c.file(someKey), breakIt(data), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, hit := c.get(someKey); hit {
				t.Error("a broken entry was believed")
			}
		})
	}
}
