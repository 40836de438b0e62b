package source

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestLacking states when a file that is not there keeps Argo CD from generating manifests, and when it may stand elsewhere.
func TestLacking(t *testing.T) {
	const chart, broken, unknown = "{repoURL: x, path: c, helm: {valueFiles: [FILE]}}", "broken", "unknown"
	tests := map[string]struct {
		source, want string
		more         map[string]string
	}{
		"values beside the chart":             {source: strings.Replace(chart, "FILE", "gone.yaml", 1), want: broken},
		"values that are there":               {source: strings.Replace(chart, "FILE", "v.yaml", 1)},
		"values that may be missing":          {source: "{path: c, helm: {ignoreMissingValueFiles: true, valueFiles: [gone.yaml]}}"},
		"values of another repository":        {source: strings.Replace(chart, "FILE", "$values/gone.yaml", 1), want: unknown},
		"values by a pattern":                 {source: strings.Replace(chart, "FILE", "'v/*.yaml'", 1), want: unknown},
		"values by an address":                {source: strings.Replace(chart, "FILE", "https://example.com/v.yaml", 1), want: unknown},
		"values in a submodule perhaps":       {source: strings.Replace(chart, "FILE", "gone.yaml", 1), want: unknown, more: map[string]string{".gitmodules": ""}},
		"a kustomization with a missing file": {source: "{path: k}", want: broken},
		"the folder is a part":                {source: "{path: up/k}", want: unknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{"apps.yaml": {Data: []byte(application("a", tt.source))}, "c/Chart.yaml": {}, "c/v.yaml": {}, "k/kustomization.yaml": {}}
			for file, text := range tt.more {
				files[file] = &fstest.MapFile{Data: []byte(text)}
			}
			folder, err := Load(t.Context(), files, "", Tools{
				Helm:      func(Chart) (Rendered, error) { return Rendered{}, nil },
				Kustomize: func(Kustomization) (Rendered, error) { return Rendered{Missing: []string{"there is no x"}}, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			got, a := "", folder.Applications[0]
			switch {
			case len(a.Broken) > 0:
				got = broken
			case len(a.Unknown) > 0:
				got = unknown
			}
			if got != tt.want {
				t.Errorf("%q, want %q: %v %v", got, tt.want, a.Broken, a.Unknown)
			}
		})
	}
}
