package judge

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

const (
	healthPrefix = "resource.customizations.health."
	healthKey    = healthPrefix + "argoproj.io_Application"
)

// TestScenarios plays every archive of testdata side by side, in one cluster for each set of health scripts. What gen proves of a
// folder must be what Argo CD makes of it.
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
	t.Helper()
	type group struct {
		health  string
		servers int
	}
	groups := map[group][]Scenario{}
	for _, s := range list {
		if s.about(argo) {
			of := group{s.Health, s.Servers}
			groups[of] = append(groups[of], s)
		}
	}
	for _, health := range healths {
		for _, servers := range []int{0, 2} {
			of := group{health, servers}
			if len(groups[of]) == 0 {
				continue
			}
			t.Run(fmt.Sprintf("health scripts %s, API servers %d", cmp.Or(health, "generated"), max(1, servers)), func(t *testing.T) {
				playAll(t, argo, groups[of], healthSettings(t, argo, health), func(o *stack.Options) { o.APIServers = servers })
			})
		}
	}
}

// playAll plays scenarios side by side on one stage and compares each with its proof. It needs goroutines and not parallel
// tests: scenarios wait and do not compute, so all run at once on any machine.
func playAll(t *testing.T, argo string, scenarios []Scenario, settings map[string]any, changes ...func(*stack.Options)) {
	t.Helper()
	ctx := interrupted(t)
	c := open(t, ctx, argo, changes...)
	st := stage(t, ctx, c, scenarios, settings)
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

// stage gives a cluster Argo CD and what the scenarios take as given.
func stage(t *testing.T, ctx context.Context, c *Cluster, scenarios []Scenario, settings map[string]any) *Stage {
	t.Helper()
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

// healthSettings are the health scripts of argocd-cm. Those that are generated are read from the sample's output, which is for 3.2:
// for 2.14 only the one for Applications is.
func healthSettings(t *testing.T, argo, health string) map[string]any {
	t.Helper()
	switch health {
	case "none":
		return map[string]any{}
	case "handed-on":
		return map[string]any{healthKey: handedOn}
	}
	o, err := readObject(filepath.Join(repositoryRoot, "output/lab/components/argo-cd/configmap_argocd_argocd-cm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	data, _, _ := unstructured.NestedStringMap(o.Object, "data")
	settings := map[string]any{}
	for key, script := range data {
		if key == healthKey || strings.HasPrefix(key, healthPrefix) && !strings.HasPrefix(argo, "2.") {
			settings[key] = script
		}
	}
	if settings[healthKey] == nil {
		t.Fatal("output/lab has no health script for Applications")
	}
	return settings
}
