package chart

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSliceIndex(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"as Helm writes it":     {"apiVersion: v1\nentries:\n  a:\n  - version: 1.0.0\n  b:\n  - version: 2.0.0\n    description: |\n      b:\n      - version: 9.9.9\n  - version: 2.1.0\n  c:\n  - version: 3.0.0\ngenerated: x\n", "  - version: 2.0.0\n    description: |\n      b:\n      - version: 9.9.9\n  - version: 2.1.0\n"},
		"deeper list":           {"entries:\n  b:\n    - version: 2.0.0\n", "    - version: 2.0.0\n"},
		"quoted":                {"entries:\n  \"b\":\n  - version: 2.0.0\n", "  - version: 2.0.0\n"},
		"comments, blank lines": {"# x\nentries:\n\n# x\n  b:\n\n  # x\n  - version: 2.0.0\n\n# x\nend: 1", "\n  # x\n  - version: 2.0.0\n\n# x\n"},
		"last, no newline":      {"entries:\n  b:\n  - version: 2.0.0", "  - version: 2.0.0"},
		"carriage returns":      {"entries:\n  b:\r\n  - version: 2.0.0\r\n", "  - version: 2.0.0\r\n"},
		"another chart only":    {"entries:\n  bb:\n  - version: 2.0.0\n", ""},
		"flow style":            {"entries: {b: [{version: 2.0.0}]}\n", ""},
		"JSON":                  {`{"entries":{"b":[{"version":"2.0.0"}]}}`, ""},
		"name below another":    {"other:\n  b:\n  - version: 1.0.0\nentries:\n  a:\n    b:\n    - version: 2.0.0\n", ""},
		"nothing":               {"", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := sliceIndex([]byte(test.in), "b")
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// bigIndex is an index as `helm repo index` writes it, of about the size.
func bigIndex(size int) []byte {
	var out strings.Builder
	out.WriteString("apiVersion: v1\nentries:\n")
	for chart := 0; out.Len() < size; chart++ {
		fmt.Fprintf(&out, "  chart-%04d:\n", chart)
		for version := range 200 {
			fmt.Fprintf(&out, `  - apiVersion: v2
    created: "2024-01-01T00:00:00.000000000Z"
    description: 'A chart: with a "quoted" text that goes on for
      more than one line'
    digest: %064x
    maintainers:
    - email: a@example.com
    name: chart-%04d
    urls:
    - https://charts.example/chart-%04d-1.%d.0.tgz
    version: 1.%d.0
`, version, chart, chart, version, version)
		}
	}
	out.WriteString("generated: \"2024-01-01T00:00:00Z\"\n")
	return []byte(out.String())
}

// TestLargeIndex finds a chart in an index of 50 MB, within memory that shows that only its part was parsed.
func TestLargeIndex(t *testing.T) {
	body := bigIndex(50 << 20)
	w := serve(t)
	w.body(indexPath, body)
	archive := pack(t, "chart-0100", map[string]string{"Chart.yaml": chartYAML("chart-0100", "1.7.0")})
	w.body("/charts/chart-0100-1.7.0.tgz", archive)
	x, err := newIndex(body)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := x.find("chart-0100", "1.7.0")
	runtime.ReadMemStats(&after)
	want := indexed{Name: "chart-0100", Version: "1.7.0", Digest: fmt.Sprintf("%064x", 7), URLs: []string{"https://charts.example/chart-0100-1.7.0.tgz"}}
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("finding a chart took %d MiB", used>>20)
	}
	store := quick(Options{})
	for source, want := range map[Source]string{
		{Repo: w.URL + "/charts", Name: "chart-0100", Version: "9.9.9"}: "has no version 9.9.9; the newest stable one is 1.199.0",
		{Repo: w.URL + "/charts", Name: "chart-010", Version: "9.9.9"}:  "has no such chart; did you mean chart-0100?",
	} {
		if _, err := store.Resolve(t.Context(), source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v\nwant one with %q", err, want)
		}
	}
	if got := w.count(indexPath); got != 1 {
		t.Errorf("the index was read %d times", got)
	}
}

// FuzzIndex holds the part against the whole: where both say something of a chart, they say the same.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("entries:\n  a:\n  - version: 1.0.0\n    urls:\n    - a.tgz\n  b:\n  - version: 2.0.0\n"))
	f.Add([]byte("entries: {a: [{version: 1.0.0}]}"))
	f.Add([]byte("entries:\n  a:\n  - &x {version: 1.0.0}\n  b:\n  - *x\n"))
	f.Add([]byte("entries:\n  a: \n  - version: |\n     x\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		x, err := newIndex(body)
		if err != nil {
			return
		}
		got, gotErr := x.find("a", "1.0.0")
		entries, err := x.whole()
		if err != nil || gotErr != nil {
			return
		}
		for _, v := range entries["a"] {
			if v.Version == "1.0.0" {
				if diff := cmp.Diff(v, got); diff != "" {
					t.Errorf("(-whole +part):\n%s", diff)
				}
				return
			}
		}
	})
}
