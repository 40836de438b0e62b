package judge

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

const healthKey = "resource.customizations.health.argoproj.io_Application"

// TestScenarios plays every archive of testdata side by side, in one cluster with the health script for Applications that
// was generated, and in one without. What gen proves of a folder must be what Argo CD makes of it.
func TestScenarios(t *testing.T) {
	playArchives(t, stack.Argo3, loadScenarios(t, "*"))
}

// TestScenariosOn2 plays them on Argo CD 2.14.
func TestScenariosOn2(t *testing.T) {
	playArchives(t, stack.Argo2, loadScenarios(t, "*"))
}

// smoke are ten scenarios, one or two of each sort, which .ci/run plays.
var smoke = []string{
	"a1-claim-before-consumer", "a5-sync-account", "a9-hook-namespace", "b1-script", "c1-first", "c1-later-gated",
	"incident1-later-wave", "incident1-one-wave", "incident1-same-wave", "pruned-object",
}

// TestSmoke plays ten scenarios: within four minutes. With GEN_E2E_IF_WARM it does so only where the programs are built.
func TestSmoke(t *testing.T) {
	if os.Getenv("GEN_E2E_IF_WARM") != "" && !stack.Warm(stack.Argo3) {
		t.Skip("skipped: the programs of the judge are not built yet: make e2e builds them")
	}
	var list []Scenario
	for _, name := range smoke {
		list = append(list, loadScenarios(t, name)...)
	}
	playArchives(t, stack.Argo3, list)
}

func loadScenarios(t *testing.T, pattern string) []Scenario {
	t.Helper()
	if only := os.Getenv("GEN_E2E_ONLY"); pattern == "*" && only != "" {
		pattern = only
	}
	var paths []string
	for one := range strings.SplitSeq(pattern, ",") {
		found, err := filepath.Glob("testdata/" + one + ".txtar")
		if err != nil || len(found) == 0 {
			t.Fatal("no scenario ", one, err)
		}
		paths = append(paths, found...)
	}
	var list []Scenario
	for _, p := range paths {
		s, err := LoadScenario(p)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func playArchives(t *testing.T, argo string, list []Scenario) {
	groups := map[string][]Scenario{}
	for _, s := range list {
		if s.about(argo) {
			groups[s.Health] = append(groups[s.Health], s)
		}
	}
	for _, health := range []string{"", "none"} {
		if len(groups[health]) == 0 {
			continue
		}
		t.Run("health script "+map[string]string{"": "generated", "none": "none"}[health], func(t *testing.T) {
			settings := map[string]any{}
			if health == "" {
				settings[healthKey] = generatedHealth(t)
			}
			playAll(t, argo, groups[health], settings)
		})
	}
}

// playAll plays scenarios side by side on one stage and compares each with its proof. It needs goroutines and not parallel
// tests: scenarios wait and do not compute, so all run at once on any machine.
func playAll(t *testing.T, argo string, scenarios []Scenario, settings map[string]any) {
	t.Helper()
	ctx := interrupted(t)
	st := stage(t, ctx, argo, scenarios, settings)
	results, errs := make([]Result, len(scenarios)), make([]error, len(scenarios))
	calm := make(chan struct{})
	var all sync.WaitGroup
	for _, s := range scenarios {
		if s.good() {
			st.good.Add(1)
		}
	}
	for i, s := range scenarios {
		all.Go(func() { results[i], errs[i] = st.Play(ctx, s, calm) })
	}
	go func() { st.good.Wait(); close(calm) }()
	all.Wait()
	for i, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) { judge(t, s, results[i], errs[i]) })
	}
}

// stage starts a cluster with Argo CD and what the scenarios take as given.
func stage(t *testing.T, ctx context.Context, argo string, scenarios []Scenario, settings map[string]any) *Stage {
	t.Helper()
	c := open(t, ctx, argo)
	gen, err := BuildGen(ctx, repositoryRoot, c.Stack.Dir)
	if err != nil {
		t.Fatal(err)
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
	if err := c.InstallArgo(ctx, settings, "ARGOCD_APPLICATION_CONTROLLER_PERSIST_RESOURCE_HEALTH=true"); err != nil {
		t.Fatal(err)
	}
	return &Stage{Cluster: c, Gen: gen, Settings: settings}
}

// judge compares what was proved, what is wanted and what came.
func judge(t *testing.T, s Scenario, r Result, err error) {
	t.Helper()
	t.Log(strings.Join(r.Log, "\n"))
	report(t, r.Real.Applications)
	if err != nil {
		t.Fatal(err)
	}
	checkProof(t, s, r.Proof)
	for _, difference := range r.Proof.Compare(r.Real) {
		t.Error(difference)
	}
	if s.End != r.Second {
		t.Errorf("after the second commit the root ends %q, want %q", r.Second, s.End)
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
