package imagefield_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/imagefield"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// corpus returns the folder of rendered public charts: GEN_CORPUS, or shared/corpus beside the checkout.
func corpus(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{os.Getenv("GEN_CORPUS"), "../../../shared/corpus", "../../../../shared/corpus"} {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "IMAGES.tsv")); err == nil {
			return dir
		}
	}
	t.Skip("no corpus of rendered charts: neither GEN_CORPUS nor shared/corpus beside the checkout")
	return ""
}

func decodeAll(t *testing.T, data []byte) []manifest.Object {
	t.Helper()
	var out []manifest.Object
	for _, document := range bytes.Split(data, []byte("\n---")) {
		_, body, _ := bytes.Cut(append([]byte("\n"), document...), []byte("\n"))
		objects, _, err := manifest.Decode(body)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, objects...)
	}
	return out
}

// TestCorpus finds what IMAGES.tsv lists at its path, and nothing else.
func TestCorpus(t *testing.T) {
	dir := corpus(t)
	raw, err := os.ReadFile(filepath.Join(dir, "IMAGES.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(raw)), "\n")[1:]
	var got []string
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		chart := strings.TrimSuffix(filepath.Base(file), ".yaml")
		for _, object := range decodeAll(t, data) {
			for _, hit := range imagefield.Find(object, imagefield.Options{}) {
				if !hit.Rewritable {
					t.Errorf("%s: %s %s: %q is not rewritable: %s", chart, hit.Object, hit.Path, hit.Reference, hit.Note)
				}
				got = append(got, strings.Join([]string{chart, hit.Object.Kind + "/" + hit.Object.Name, hit.Path, hit.Reference}, "\t"))
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references of the corpus (-want +got):\n%s", diff)
	}
}
