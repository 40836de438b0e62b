package imagefield_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/imagefield"
)

// TestRealCharts holds the finder against lists that people made of public charts which hide images outside of pods: testdata/real/*.tsv, one
// place a line, by kind/name, path, reference and how it stands (see standing). The charts themselves are not ours to keep: the folder rendered in
// GEN_REAL_CHARTS holds what `helm template` prints of them, NAME-VERSION.yaml, with the values that the head of each list names.
func TestRealCharts(t *testing.T) {
	lists, err := filepath.Glob("testdata/real/*.tsv")
	if err != nil || len(lists) < 4 {
		t.Fatalf("the lists are %v, %v", lists, err)
	}
	for _, list := range lists {
		name := strings.TrimSuffix(filepath.Base(list), ".tsv")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(os.Getenv("GEN_REAL_CHARTS"), "rendered", name+".yaml"))
			if os.Getenv("GEN_REAL_CHARTS") == "" || os.IsNotExist(err) {
				t.Skipf("skipped: GEN_REAL_CHARTS names no folder that holds rendered/%s.yaml", name)
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(expected(t, list), found(t, data)); diff != "" {
				t.Errorf("places (-missed +bogus):\n%s", diff)
			}
		})
	}
}

// expected reads a list: lines that begin with # are for people.
func expected(t *testing.T, list string) []string {
	t.Helper()
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "#") })
	slices.Sort(lines)
	return lines
}

func found(t *testing.T, data []byte) []string {
	t.Helper()
	var out []string
	for _, hit := range imagefield.ParseText(data).Find(imagefield.Options{}) {
		out = append(out, strings.Join([]string{hit.Object.Kind + "/" + hit.Object.Name, hit.Path, hit.Reference, standing(hit)}, "\t"))
	}
	slices.Sort(out)
	return out
}

// standing says how a reference stands: as a whole string, within one, or so that it can only be listed.
func standing(hit imagefield.Hit) string {
	switch {
	case !hit.Rewritable:
		return "listed"
	case hit.Start > 0:
		return "within"
	}
	return "whole"
}
