package environment

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestValuesMeanWhatHelmReads holds that values are read as YAML 1.1, integers kept.
func TestValuesMeanWhatHelmReads(t *testing.T) {
	for name, c := range map[string]struct {
		values string
		want   map[string]any
	}{
		"truth values":    {"{a: on, b: No, c: y, d: 'yes', on: 1}", map[string]any{"a": true, "b": false, "c": true, "d": "yes", "true": int64(1)}},
		"octal":           {"{a: 0o17, b: 017, c: 0x1f, d: 0b11}", map[string]any{"a": int64(15), "b": int64(15), "c": int64(31), "d": int64(3)}},
		"exponent":        {"{a: 1e3, b: 1.5e-1}", map[string]any{"a": int64(1000), "b": 0.15}},
		"large integers":  {"{a: 9007199254740993, b: 9223372036854775807, c: -9223372036854775808}", map[string]any{"a": int64(9007199254740993), "b": int64(9223372036854775807), "c": int64(-9223372036854775808)}},
		"null":            {"{a: null, b: ~, c: }", map[string]any{"a": nil, "b": nil, "c": nil}},
		"dates are text":  {"{a: 2026-11-30}", map[string]any{"a": "2026-11-30"}},
		"sexagesimal":     {"{a: 1:30}", map[string]any{"a": "1:30"}},
		"anchor":          {"{a: &x {b: 1}, c: *x}", map[string]any{"a": map[string]any{"b": int64(1)}, "c": map[string]any{"b": int64(1)}}},
		"merge":           {"{a: &x {b: 1, c: 2}, d: {<<: *x, c: 3}}", map[string]any{"a": map[string]any{"b": int64(1), "c": int64(2)}, "d": map[string]any{"b": int64(1), "c": int64(3)}}},
		"merge of two":    {"{a: &x {b: 1}, c: &y {b: 2, d: 3}, e: {<<: [*x, *y]}}", map[string]any{"a": map[string]any{"b": int64(1)}, "c": map[string]any{"b": int64(2), "d": int64(3)}, "e": map[string]any{"b": int64(1), "d": int64(3)}}},
		"keys of numbers": {"{1: a, 1.5: b, y: c}", map[string]any{"1": "a", "1.5": "b", "true": "c"}},
		"key by alias":    {"{a: &k key, *k : 1}", map[string]any{"a": "key", "key": int64(1)}},
		"block text":      {"{a: \"x\\ty\", b: 'it''s'}", map[string]any{"a": "x\ty", "b": "it's"}},
	} {
		t.Run(name, func(t *testing.T) {
			env := load(t, strings.Replace(sample, "{a: 3}", c.values, 1))[0]
			if diff := cmp.Diff(c.want, env.Components[0].Values[2].Tree); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			positions := env.Components[0].Values[2].Positions
			for _, key := range keys(c.want) {
				if _, ok := positions[PathString(key)]; !ok {
					t.Errorf("%s has no place; there are %v", PathString(key), keys(positions))
				}
			}
		})
	}
}

// TestBOM holds that a byte order mark, as editors on Windows write it, changes nothing.
func TestBOM(t *testing.T) {
	fsys := folder(sample)
	for _, file := range fsys {
		file.Data = append([]byte("\xef\xbb\xbf"), file.Data...)
	}
	if _, err := Load(fsys, Options{Known: known}); err != nil {
		t.Errorf("loading:\n%v", err)
	}
}

// TestBombs holds that small files which stand for large ones are refused soon.
func TestBombs(t *testing.T) {
	aliases, merges := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n", "a0: &a0 {x: 1}\n"
	for i := range 12 {
		ten := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", ")
		aliases += fmt.Sprintf("a%d: &a%[1]d [%s]\n", i+1, ten)
		merges += fmt.Sprintf("a%d: &a%[1]d {<<: [%s]}\n", i+1, ten)
	}
	many := "a: &a {x: 1}\nb: {<<: [" + strings.TrimSuffix(strings.Repeat("*a, ", 100), ", ") + "]}\n"
	for name, c := range map[string]struct{ data, want string }{
		"aliases":     {aliases, "more than 200000 values"},
		"merges":      {merges, "excessive aliasing"},
		"many merges": {many, "merges 100 maps"},
		"large":       {"a: " + strings.Repeat("x", 10<<20), "has 10485763 bytes"},
		"deep":        {strings.Repeat("[", 20000), "depth"},
		"itself":      {"a: &a [*a]", "never ends"},
		"into itself": {"a: &a {<<: {<<: *a}}", "contains itself"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := folder(sample)
			fsys["groups/test.yaml"].Data = []byte(c.data)
			got := strings.Join(mistakesOf(t, fsys, Options{Known: known}), "\n")
			if !strings.Contains(got, c.want) || !strings.HasPrefix(got, "groups/test.yaml:") {
				t.Errorf("got %.300s, want %q", got, c.want)
			}
		})
	}
}

// onDisk writes the sample to a folder.
func onDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, file := range folder(sample) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestUnreadable holds that what the disk refuses is a mistake with a place, beside all others.
func TestUnreadable(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"link to itself": {
			func(dir string) error { return os.Symlink("loop.yaml", filepath.Join(dir, "loop.yaml")) },
			"loop.yaml:1:1: cannot be read: too many levels of symbolic links; check the file and its permissions",
		},
		"link to nowhere": {
			func(dir string) error { return os.Symlink("nothing", filepath.Join(dir, "sites", "dc2.yaml")) },
			"sites/dc2.yaml:1:1: cannot be read: no such file or directory; check the file and its permissions",
		},
		"groups is a file": {func(dir string) error {
			if err := os.RemoveAll(filepath.Join(dir, "groups")); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "groups"), nil, 0o644)
		}, "groups:1:1: cannot be listed: not a directory; check the folder and its permissions"},
		"values file is a folder": {func(dir string) error {
			file := filepath.Join(dir, "lab.yaml")
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return os.WriteFile(file, []byte(strings.Replace(string(data), "{values: {a: 3}}", "{valuesFiles: [sites]}", 1)), 0o644)
		}, "sites:1:1: cannot be read: is a directory; check the file and its permissions"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := onDisk(t)
			if err := c.spoil(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Load(os.DirFS(dir), Options{Known: known})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestUnreadableFolder holds that a folder that is not there says so.
func TestUnreadableFolder(t *testing.T) {
	_, err := Load(os.DirFS(filepath.Join(t.TempDir(), "none")), Options{})
	if err == nil || !strings.Contains(err.Error(), "fleet.yaml:1:1: is not there") {
		t.Errorf("got %v", err)
	}
	_, err = Load(denied{folder(sample)}, Options{Known: known})
	want := "groups/test.yaml:1:1: cannot be read: permission denied; check the file and its permissions"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// denied is a file system that does not let groups/test.yaml be read.
type denied struct{ fs.FS }

func (d denied) Open(name string) (fs.File, error) {
	if name == "groups/test.yaml" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.FS.Open(name)
}
