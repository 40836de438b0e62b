package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/imagefield"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/transform"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// hostile clears the screen, turns the direction of writing, and begins a line that looks like gen's own.
const hostile = "x\x1b[2J\u202e\nprod: 0 added\r"

// TestNothingMovesTheTerminal states that no text for people lets a name, a reference, a value or a message of somebody else through as
// it is.
func TestNothingMovesTheTerminal(t *testing.T) {
	id := manifest.ID{Version: "v1", Kind: "ConfigMap", Name: hostile}
	list := pipeline.ImageList{
		Uses: []pipeline.ImageUse{{Environment: "lab", Reference: hostile, Written: hostile + "2", Places: []pipeline.ImagePlace{{
			Component: "c", Hit: imagefield.Hit{Object: id, Path: hostile, Note: hostile},
		}}}},
		Unused: []error{errors.New(hostile)},
	}
	check := pipeline.ImageCheck{Update: image.Update{Outcome: image.Refused, Message: hostile, Result: image.Result{Notes: []string{hostile}, Fix: []string{hostile}}}}
	pod := func(name, ref string) []byte {
		return []byte("apiVersion: v1\nkind: Pod\nmetadata:\n  name: n\n  annotations: {a: \"" + name + "\"}\nspec:\n  containers:\n  - name: c\n    image: \"" + ref + "\"\n")
	}
	summary := NewSummary([]tree.Change{
		{Path: "lab/components/c/pod.yaml", Kind: tree.Changed, Before: pod("a", "i:1"), After: pod("\u202eb", `i:\e[2J\nprod: 0 added`)},
		{Path: "lab/components/c/\x1b[2J.txt", Kind: tree.Added, After: []byte("\x1b[2J\r\n")},
	})
	texts := map[string]func(*bytes.Buffer){
		"images": func(b *bytes.Buffer) { _ = Images(b, list, Style{Verbose: true}) },
		"checks": func(b *bytes.Buffer) { _ = ImageChecks(b, []pipeline.ImageCheck{check}, nil, Style{}) },
		"suggestions": func(b *bytes.Buffer) {
			_ = Suggestions(b, []pipeline.Suggested{{Suggestion: image.Suggestion{Reference: hostile, Message: hostile, Line: hostile}}}, "text")
		},
		"summary": func(b *bytes.Buffer) { WriteSummary(b, summary) },
		"diff":    func(b *bytes.Buffer) { WriteDiff(b, summary) },
		"notices": func(b *bytes.Buffer) {
			WriteNotices(b, []pipeline.Result{{Environment: &environment.Environment{Name: "lab"}, Notices: []transform.Notice{{Component: "c", Object: id, Message: hostile}}}}, true)
		},
	}
	for name, write := range texts {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			write(&out)
			if out.Len() == 0 || !strings.Contains(out.String(), `\x1b[2J`) && !strings.Contains(out.String(), `\u202e`) {
				t.Errorf("nothing of it is shown: %q", out.String())
			}
			for _, line := range strings.Split(out.String(), "\n") {
				if strings.HasPrefix(line, "prod: 0 added") || strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
					t.Errorf("%q", line)
				}
			}
		})
	}
}
