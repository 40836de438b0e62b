package demo_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/demo"
)

var update = flag.Bool("update", false, "write testdata/digests.txt")

// Locks that were written from this world hold these digests: they change only together with what a stand-in or an image is.
func TestDigestsAreTheSameForEver(t *testing.T) {
	w := start(t)
	var lines []string
	for _, c := range w.Charts() {
		lines = append(lines, fmt.Sprintf("%s %s %s", c.URL, c.Version, c.Digest))
	}
	for _, i := range w.Images() {
		lines = append(lines, fmt.Sprintf("%s %s", i.Reference, i.Digest))
	}
	got := strings.Join(lines, "\n") + "\n"
	golden := filepath.Join("testdata", "digests.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("digests differ (-want +got); if a chart or an image was meant to change: go test ./internal/demo -update, then the sample's locks\n%s", diff)
	}
}

func TestListsAreSorted(t *testing.T) {
	w := start(t)
	var charts, images []string
	for _, c := range w.Charts() {
		charts = append(charts, c.Repository+" "+c.Name+" "+c.Version)
	}
	for _, i := range w.Images() {
		images = append(images, i.Reference)
	}
	for what, list := range map[string][]string{"charts": charts, "images": images, "hosts": w.Hosts()} {
		if !slices.IsSorted(list) || len(list) == 0 {
			t.Errorf("%s are not sorted: %v", what, list)
		}
	}
}

var reference = regexp.MustCompile(`[a-z0-9.-]+\.example\.internal/[a-z0-9./-]+:[A-Za-z0-9._-]+(@sha256:[0-9a-f]{64})?`)

// allOn are values that make each stand-in render every image that it can.
var allOn = map[string]string{"podinfo": "redis: {enabled: true}"}

// Every image that a stand-in names stands in the world, with the digest that the stand-in pins.
func TestStandInsNameImagesOfTheWorld(t *testing.T) {
	w := start(t)
	images := map[string]demo.Image{}
	for _, i := range w.Images() {
		images[i.Reference] = i
	}
	named := map[string]bool{}
	for _, c := range w.Charts() {
		if !strings.HasPrefix(c.URL, "https://") {
			continue
		}
		values := allOn[c.Name] + covered[c.Name].values
		for found := range references(render(t, archiveOf(t, w, c.Name, c.Version), "demo", "demo", values)) {
			name, digest, pinned := strings.Cut(found, "@")
			named[name] = true
			image, ok := images[name]
			if !ok || pinned && image.Digest != digest {
				t.Errorf("%s %s names %s; the world has %q", c.Name, c.Version, found, image.Digest)
			}
		}
	}
	for _, i := range w.Images() {
		unused := strings.Contains(i.Reference, "/demo/") || strings.Contains(i.Reference, "/tools/") || strings.Contains(i.Reference, "/platform/")
		if alias := i.Reference == "ghcr.example.internal/external-secrets/external-secrets:v0.14.3"; !named[i.Reference] && !unused && !alias {
			t.Errorf("%s stands in the world and nothing names it", i.Reference)
		}
	}
}

// references returns every image reference in the objects' strings.
func references(objects []object) map[string]bool {
	found := map[string]bool{}
	for _, o := range objects {
		walk(map[string]any(o), func(text string) {
			for _, hit := range reference.FindAllString(text, -1) {
				found[hit] = true
			}
		})
	}
	return found
}

func walk(value any, visit func(string)) {
	switch v := value.(type) {
	case string:
		visit(v)
	case []any:
		for _, item := range v {
			walk(item, visit)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			walk(v[key], visit)
		}
	}
}
