package render

import (
	"io/fs"
	"reflect"
	"testing"
)

// TestDocumentsAreDecodedOnce: what is equal between environments, such as CRDs, is decoded once and shared.
func TestDocumentsAreDecodedOnce(t *testing.T) {
	renderer := New()
	in := chartInput("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.name }}}\n", "", "crds/a.yaml", "apiVersion: v1\nkind: CRD\nmetadata: {name: crd}\n")
	at := map[string]map[uintptr]bool{}
	for _, name := range []string{"a", "b", "a"} {
		in.Component.Merged = map[string]any{"name": name}
		got, err := renderer.Render(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range got.Bundle.Objects {
			name := object.ID().Name
			if at[name] == nil {
				at[name] = map[uintptr]bool{}
			}
			at[name][reflect.ValueOf(object.Fields()).Pointer()] = true
		}
	}
	for _, name := range []string{"a", "b", "crd"} {
		if len(at[name]) != 1 {
			t.Errorf("%s: decoded %d times", name, len(at[name]))
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache[int](10)
	made := 0
	get := func(key byte, size int) {
		if _, err := c.get(content{key}, size, func() (int, error) { made++; return int(key), nil }); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		get(1, 6)
		get(2, 6) // no room: made each time
		get(3, 4)
	}
	if made != 4 {
		t.Errorf("made %d values, want 4", made)
	}
	if _, err := c.get(content{9}, 1, func() (int, error) { return 0, fs.ErrNotExist }); err == nil {
		t.Error("an error was lost")
	}
}

func TestChartKeySparesReading(t *testing.T) {
	in := chartInput("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "")
	counted := &countingFS{FS: in.Chart}
	in.Chart = counted
	renderer := New()
	for i, key := range []string{"one", "one", "two", "", ""} {
		in.ChartKey = key
		before := counted.opened
		if _, err := renderer.Render(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if read := counted.opened > before; read != (i != 1) {
			t.Errorf("render %d with key %q: read %t", i, key, read)
		}
	}
}

// countingFS counts what is opened.
type countingFS struct {
	fs.FS
	opened int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.opened++
	return c.FS.Open(name)
}
