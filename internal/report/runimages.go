package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// ImageCounts says what became of an environment's image references.
type ImageCounts struct {
	Total     int `json:"total"`
	Rewritten int `json:"rewritten"` // proven the same at a mirror, and named there
	Same      int `json:"same"`      // proven the same at a mirror that nodes are redirected to: the name stays
	AtMirror  int `json:"atMirror"`  // the model names them at a mirror itself: nothing is compared
	Uncovered int `json:"uncovered"` // outside every mirror
	Unproven  int `json:"unproven"`
}

func countImages(uses []pipeline.ImageUse) ImageCounts {
	c := ImageCounts{}
	for _, use := range uses {
		if use.Status == image.Listed {
			continue // not an image that is pulled under this name; `gen images list` shows it
		}
		c.Total++
		switch {
		case use.Status == image.Proven && !strings.HasPrefix(use.Written, use.Reference):
			c.Rewritten++
		case use.Status == image.Proven:
			c.Same++
		case use.Status == image.AtMirror:
			c.AtMirror++
		case use.Status == image.NotCovered:
			c.Uncovered++
		default:
			c.Unproven++
		}
	}
	return c
}

// outside returns the references that no mirror covers, where the environment states mirrors at all.
func outside(result pipeline.Result) []string {
	if result.Environment == nil || len(result.Environment.Facts.Mirrors) == 0 {
		return nil
	}
	var out []string
	for _, use := range result.Images {
		if use.Status == image.NotCovered {
			out = append(out, use.Reference)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// writeOutside names the images outside every mirror, one line a registry, and what to do about them.
func writeOutside(w io.Writer, references []string) {
	hosts := map[string][]string{}
	for _, reference := range references {
		if ref, err := image.Parse(reference); err == nil {
			hosts[ref.Host] = append(hosts[ref.Host], reference)
		}
	}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		Print(w, "  outside every mirror, %d of %s: %s\n", len(hosts[host]), host, pipeline.SomeOf(hosts[host]))
	}
	if len(hosts) > 0 {
		fmt.Fprintln(w, "  `gen images suggest` looks for them at the mirrors")
	}
}

func images(c ImageCounts) string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{
		{c.Rewritten, "rewritten to a mirror"},
		{c.Same, "the same at a mirror"},
		{c.AtMirror, "named at a mirror by the model"},
		{c.Uncovered, "outside every mirror"},
		{c.Unproven, "not proven"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
