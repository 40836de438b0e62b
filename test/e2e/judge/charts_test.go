package judge

import (
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"testing"

	"sigs.k8s.io/yaml"
)

// corpus reads the rendered charts that GEN_E2E_CHARTS names.
func corpus(t *testing.T) map[int][]ChartScenario {
	t.Helper()
	list := os.Getenv("GEN_E2E_CHARTS")
	if list == "" {
		t.Skip("skipped: GEN_E2E_CHARTS names no folders of rendered public charts")
	}
	c, err := LoadCorpus(list)
	if err != nil {
		t.Fatal(err)
	}
	rounds, err := c.Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	return rounds
}

// TestChartProofs proves the scenarios from public charts, without a cluster.
func TestChartProofs(t *testing.T) {
	rounds := corpus(t)
	gen, err := BuildGen(t.Context(), repositoryRoot, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	settings := healthSettings(t, "3.2.11", "")
	for _, list := range rounds {
		for _, s := range list {
			t.Run(s.Name, func(t *testing.T) {
				dir := t.TempDir()
				writeFiles(t, dir, s.fill(s.Repo, "file:///repository"))
				p, err := gen.Prove(t.Context(), dir, t.TempDir(), Around{Argo: "3.2.11", Settings: settings, Facts: s.Facts})
				if err != nil {
					t.Fatal(err)
				}
				checkProof(t, s.Scenario, p)
				if t.Failed() {
					text, _ := yaml.Marshal(p)
					t.Logf("%s", text)
				}
			})
		}
	}
}

// TestCharts plays the scenarios from public charts, round by round.
func TestCharts(t *testing.T) {
	rounds := corpus(t)
	var numbers []int
	for n := range rounds {
		numbers = append(numbers, n)
	}
	sort.Ints(numbers)
	for _, n := range numbers {
		t.Run("round "+strconv.Itoa(n), func(t *testing.T) {
			var list []Scenario
			for _, s := range rounds[n] {
				list = append(list, s.Scenario)
			}
			playAll(t, argoVersion(), list, healthSettings(t, argoVersion(), ""))
		})
	}
}

func writeFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
