package judge

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
	"github.com/google/go-cmp/cmp"
)

const healthKey = "resource.customizations.health.argoproj.io_Application"

// TestScenarios plays every archive of testdata side by side, in one cluster with the health script for Applications that
// was generated, and in one without. The end must be the one that the archive says.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scenarios", err)
	}
	groups := map[string][]Scenario{}
	for _, p := range paths {
		s, err := LoadScenario(p)
		if err != nil {
			t.Fatal(err)
		}
		groups[s.Health] = append(groups[s.Health], s)
	}
	for _, health := range []string{"", "none"} {
		t.Run("health script "+map[string]string{"": "generated", "none": "none"}[health], func(t *testing.T) {
			playAll(t, groups[health], health)
		})
	}
}

func playAll(t *testing.T, scenarios []Scenario, health string) {
	ctx := interrupted(t)
	c := open(t, ctx, stack.Argo3)
	settings := map[string]any{}
	if health == "" {
		settings[healthKey] = generatedHealth(t)
	}
	var given []string
	for _, s := range scenarios {
		for _, g := range s.Given {
			if !slices.Contains(given, g) {
				given = append(given, g)
			}
		}
	}
	if err := c.Prepare(ctx, repositoryRoot, given); err != nil {
		t.Fatal(err)
	}
	if err := c.InstallArgo(ctx, settings); err != nil {
		t.Fatal(err)
	}
	results := make([]result, len(scenarios))
	var all sync.WaitGroup
	for i, s := range scenarios {
		all.Go(func() { results[i] = play(ctx, c, s) })
	}
	all.Wait()
	for i, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) { results[i].judge(t, s) })
	}
}

// result of one scenario, with its account.
type result struct {
	end  End
	err  error
	list []Application
	log  []string
}

// play needs goroutines and not parallel tests: scenarios wait and do not compute, so all run at once on any machine.
func play(ctx context.Context, c *Cluster, s Scenario) (r result) {
	r.end, r.list, r.err = c.Play(ctx, s, func(format string, args ...any) { r.log = append(r.log, fmt.Sprintf(format, args...)) })
	return r
}

func (r result) judge(t *testing.T, s Scenario) {
	t.Log(strings.Join(r.log, "\n"))
	report(t, r.list)
	if r.err != nil {
		t.Fatal(r.err)
	}
	want := s.Want
	if want.Blocked == "" {
		r.end.Blocked = ""
	}
	if s.Races && r.end.Verdict == Retry {
		want.Verdict = Retry
	}
	if diff := cmp.Diff(want, r.end); diff != "" {
		t.Errorf("end (-want +got):\n%s", diff)
	}
}

// generatedHealth is the script as it stands in the sample's output.
func generatedHealth(t *testing.T) string {
	t.Helper()
	o, err := readObject(filepath.Join(repositoryRoot, "output/lab/components/argo-cd/configmap_argocd_argocd-cm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	script := kube.Field(o, "data", healthKey)
	if script == "" {
		t.Fatal("output/lab has no health script for Applications")
	}
	return script
}
