package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
)

func splitCases() []string {
	return []string{
		"", "  \n\n", "---", "---\n---\n", "---\n---\na: 1", "a: 1", "---a: 1", "\n---# comment\na: 1\n---# more\nb: 2",
		"a: 1\r\n---\r\nb: 2\r\n", "a: 1\n  ---\nb: 2", "a: |\n  x\n---\nb: |+\n  y\n\n\n", "a\n---\n  \n---\nb", "a\n---   ---\nb",
		"a\v\n---\vb", "a\u00a0\n---\u00a0b", "a\n\n\n---- x\nb", "a\n---\n---", "\ufeff---\na", "a\n---\f\nb", "\u0085---\na: 1\u0085\n---\nb",
	}
}

// TestSplitEqualsHelm compares with Helm's own expression; the ends of documents are trimmed as Helm 3 trims them.
func TestSplitEqualsHelm(t *testing.T) {
	for _, stream := range splitCases() {
		if diff := cmp.Diff(helmSplit(stream), split(stream)); diff != "" {
			t.Errorf("%q (-helm +split):\n%s", stream, diff)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, stream := range splitCases() {
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		if diff := cmp.Diff(helmSplit(stream), split(stream)); diff != "" {
			t.Errorf("%q (-helm +split):\n%s", stream, diff)
		}
	})
}

func helmSplit(stream string) []string {
	found := releaseutil.SplitManifests(strings.TrimSpace(stream))
	names := releaseutil.BySplitManifestsOrder{}
	for name := range found {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if releaseutil.BySplitManifestsOrder.Less([]string{a, b}, 0, 1) {
			return -1
		}
		return 1
	})
	var documents []string
	for _, name := range names {
		documents = append(documents, strings.TrimSpace(found[name])+"\n")
	}
	return documents
}

func TestSplitYAML(t *testing.T) {
	for stream, want := range map[string][]string{
		"":                           {""},
		"a: 1\n":                     {"a: 1\n"},
		"---\na: 1\n---\nb: 2":       {"", "\na: 1\n", "\nb: 2"},
		"a: |+\n  x\n\n\n--- {b: 2}": {"a: |+\n  x\n\n\n", " {b: 2}"},
		"a: 1\r\n---\r\nb: 2":        {"a: 1\r\n", "\r\nb: 2"},
		"a: 1\n---b: 2\n ---\n":      {"a: 1\n---b: 2\n ---\n"},
		"a\n---":                     {"a\n", ""},
	} {
		if diff := cmp.Diff(want, splitYAML(stream)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", stream, diff)
		}
	}
}

func FuzzSplitYAML(f *testing.F) {
	for _, stream := range splitCases() {
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		if joined := strings.Join(splitYAML(stream), "---"); joined != stream {
			t.Errorf("%q: joined again it is %q", stream, joined)
		}
	})
}
