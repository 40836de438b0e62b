package judge

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"sigs.k8s.io/yaml"
)

// charts reads the public charts that GEN_E2E_CHARTS names, and says which scenarios can be played. gen is built once.
func charts(t *testing.T) (*Corpus, map[int][]chartCase) {
	t.Helper()
	list := os.Getenv("GEN_E2E_CHARTS")
	if list == "" {
		t.Skip("skipped: GEN_E2E_CHARTS names no folders of public charts (*.tgz, or rendered *.yaml)")
	}
	gen, err := BuildGen(t.Context(), repositoryRoot, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GEN_E2E_GEN", gen.Path)
	c, err := LoadCorpus(list, gen, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	played := c.Cases(argoVersion())
	count := 0
	for _, list := range played.Rounds {
		count += len(list)
	}
	t.Logf("%d scenarios from public charts, %d skipped", count, len(played.Skipped))
	for _, name := range slices.Sorted(maps.Keys(played.Skipped)) {
		t.Logf("skipped: %s: %s", name, played.Skipped[name])
	}
	return c, played.Rounds
}

// TestChartProofs proves the scenarios from public charts, without a cluster.
func TestChartProofs(t *testing.T) {
	c, rounds := charts(t)
	for _, n := range slices.Sorted(maps.Keys(rounds)) {
		list, err := c.Scenarios(t.Context(), rounds[n])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			t.Run(s.Name, func(t *testing.T) { proveChart(t, c.gen, s.Scenario) })
		}
	}
}

func proveChart(t *testing.T, gen Gen, s Scenario) {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, s.fill(s.Repo, "file:///repository"))
	p, err := gen.Prove(t.Context(), dir, t.TempDir(), Around{Argo: argoVersion(), Settings: healthSettings(t, argoVersion(), s.Health), Facts: s.Facts})
	if err != nil {
		t.Fatal(err)
	}
	checkProof(t, s, p)
	if t.Failed() {
		text, _ := yaml.Marshal(p)
		t.Logf("%s", text)
	}
}

// TestCharts plays the scenarios from public charts, round by round.
func TestCharts(t *testing.T) {
	c, rounds := charts(t)
	for _, n := range slices.Sorted(maps.Keys(rounds)) {
		t.Run("round "+strconv.Itoa(n), func(t *testing.T) {
			laid, err := c.Scenarios(t.Context(), rounds[n])
			if err != nil {
				t.Fatal(err)
			}
			var list []Scenario
			for _, s := range laid {
				list = append(list, s.Scenario)
			}
			playAll(t, argoVersion(), list, healthSettings(t, argoVersion(), list[0].Health))
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
