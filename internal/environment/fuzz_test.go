package environment

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// FuzzLoad holds, for any bytes in any file: no panic, either environments or mistakes, each mistake with a place inside of the
// model, sorted, and the same again for the same bytes.
func FuzzLoad(f *testing.F) {
	for name, file := range folder(sample) {
		f.Add(name, string(file.Data))
	}
	for _, c := range parseSeeds() {
		f.Add("lab.yaml", c)
	}
	f.Fuzz(func(t *testing.T, name, data string) {
		fsys := folder(sample)
		if _, ok := fsys[name]; !ok {
			name = "lab.yaml"
		}
		fsys[name] = &fstest.MapFile{Data: []byte(data)}
		envs, err := Load(fsys, Options{Known: known})
		if err == nil {
			if len(envs) != 1 {
				t.Fatalf("%d environments and no error", len(envs))
			}
			return
		}
		var mistakes Mistakes
		if !errors.As(err, &mistakes) || len(mistakes) == 0 {
			t.Fatalf("%T is no list of mistakes: %v", err, err)
		}
		lines := strings.Count(data, "\n") + 2
		for i, m := range mistakes {
			if m.Origin.Line < 1 || m.Origin.Column < 1 || m.Origin.File == name && m.Origin.Line > lines || m.Message == "" {
				t.Errorf("mistake without a place: %v", m)
			}
			if i > 0 && mistakes[i-1].compare(m) >= 0 {
				t.Errorf("not sorted:\n%v\n%v", mistakes[i-1], m)
			}
		}
		if _, again := Load(fsys, Options{Known: known}); cmp.Diff(err.Error(), errorText(again)) != "" {
			t.Errorf("a second run says otherwise:\n%v\n%v", err, again)
		}
	})
}

// parseSeeds are environments that come near to the parser's traps.
func parseSeeds() []string {
	return []string{
		"", "---", "...", "\t", "a: &a [*a]", "a: &a {<<: *a}", "? [a]\n: b", "<<: x", "{<<: [a, {b: c}]}", "!!binary aGk=", "a: !!float x",
		"kind: Environment\nname: lab\nfacts: {nodes: [null, 1]}", "components: {cilium: {values: {a: .nan, 1: 2, on: ${facts.domain}}}}",
		"facts: &f {domain: x}\ncomponents: {x: {objects: [*f]}}", "a: 18446744073709551616", "\xef\xbb\xbfkind: Environment", "%YAML 1.1\n---\na: b",
		"components: {cilium: {patches: [{target: {kind: A}, json: [{op: add}]}], remove: [x], valuesFiles: [\"\"]}}", "a: |\n  b\n c", "facts: {own: {a: \"${facts.own.a}\"}}",
	}
}

// FuzzPath holds that a path which can be read is written and read alike.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"", "a.b[0]", `["x.y"].z`, "a[", `a["\u0000"]`, ".[0]", "a.[0]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		elements, err := ParsePath(text)
		if err != nil {
			return
		}
		again, err := ParsePath(PathString(elements...))
		if err != nil || cmp.Diff(elements, again) != "" {
			t.Errorf("%q is read as %v, written as %q and read as %v, %v", text, elements, PathString(elements...), again, err)
		}
	})
}
