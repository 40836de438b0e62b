package render

import (
	"errors"
	"strings"
	"testing"
)

// Templates that include each other in a circle end in an error that a person can read, and nothing of a short one is lost.
func TestCirclesAreFolded(t *testing.T) {
	for name, test := range map[string]struct {
		template string
		want     []string
	}{
		"itself": {
			`{{ define "self" }}{{ include "self" . }}{{ end }}{{ include "self" . }}`,
			[]string{`demo/templates/all.yaml:1:53: executing "demo/templates/all.yaml"`, `executing "self" at <include "self" .>`, "times more]", "rendering template has a nested reference name: self"},
		},
		"two": {
			`{{ define "one" }}{{ include "two" . }}{{ end }}{{ define "two" }}{{ include "one" . }}{{ end }}{{ include "one" . }}`,
			[]string{`executing "one" at <include "two" .>`, `executing "two" at <include "one" .>`, "times more]"},
		},
		"through tpl": {
			`{{ define "one" }}{{ tpl "{{ include \"one\" . }}" . }}{{ end }}{{ include "one" . }}`,
			[]string{"error calling tpl", "times more]"},
		},
		"a long text to tpl": {
			"{{ tpl (printf \"%s{{ .Values.a.b.c }}\" (repeat 100000 \"x\")) . }}",
			[]string{"demo/templates/all.yaml:1:3", "bytes left out", "nil pointer evaluating interface {}.b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New().Render(t.Context(), chartInput(test.template, ""))
			text := errorText(err)
			if len(text) > 4000 {
				t.Errorf("%d bytes", len(text))
			}
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %s", want, text)
				}
			}
		})
	}
	short := errors.New(strings.Repeat("a: b: ", 20))
	if got := folded(short); got.Error() != short.Error() {
		t.Errorf("a short one became %v", got)
	}
	if got := foldRepeats("x: a: b: a: b: a: b: y"); got != "x: a: b: [the same 2 times more]: y" {
		t.Error(got)
	}
	if got := foldRepeats("x: a: b: a: b: y"); got != "x: a: b: a: b: y" {
		t.Error(got)
	}
}
