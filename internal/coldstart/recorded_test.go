package coldstart

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// recordedSet is a set of objects with the order in which the engine works on it, as argoapi's TestOrderAsTheEngine records it.
type recordedSet struct {
	Namespace      string
	PruneLast      bool
	Objects, Extra []map[string]any
	Order          []string
}

// TestRecordedOrders compares our order with recorded ones of the engine: the same test as argoapi's, without linking the engine.
// GEN_ORDER_RECORDED names the file; TestOrderMutants makes it and runs this test on changed code.
func TestRecordedOrders(t *testing.T) {
	name := os.Getenv("GEN_ORDER_RECORDED")
	if name == "" {
		t.Skip("GEN_ORDER_RECORDED names no file of recorded orders; argoapi's TestOrderAsTheEngine compares with the engine itself")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var sets []recordedSet
	if err := json.Unmarshal(data, &sets); err != nil {
		t.Fatal(err)
	}
	objects := func(list []map[string]any) []manifest.Object {
		var out []manifest.Object
		for _, fields := range list {
			out = append(out, manifest.New(fields))
		}
		return out
	}
	for i, set := range sets {
		var got []string
		for _, task := range (Sync{Namespace: set.Namespace, PruneLast: set.PruneLast, Objects: objects(set.Objects), Extra: objects(set.Extra)}).Tasks() {
			id := task.Object.ID()
			got = append(got, fmt.Sprintf("%s/%d %s/%s %s prune=%v", task.Phase, task.Wave, id.Group, id.Kind, id.Name, task.Prune))
		}
		if diff := cmp.Diff(set.Order, got); diff != "" {
			t.Fatalf("set %d (-engine +ours):\n%s", i, diff)
		}
	}
	if len(sets) == 0 {
		t.Fatal("no set is recorded")
	}
}

// orderMutants are small faults in the code that orders tasks: file below internal/, what stands there, what the fault makes of it.
var orderMutants = [][3]string{
	{"coldstart/tasks.go", "cmp.Or(a.Phase.Compare(b.Phase), cmp.Compare(a.Wave, b.Wave),", "cmp.Or(cmp.Compare(a.Wave, b.Wave), a.Phase.Compare(b.Phase),"},
	{"coldstart/tasks.go", "cmp.Compare(argocd.KindOrder(x.Kind), argocd.KindOrder(y.Kind)),\n", "cmp.Compare(argocd.KindOrder(y.Kind), argocd.KindOrder(x.Kind)),\n"},
	{"coldstart/tasks.go", "cmp.Compare(argocd.KindOrder(x.Kind), argocd.KindOrder(y.Kind)),\n", "\n"},
	{"coldstart/tasks.go", "cmp.Compare(x.Name, y.Name), x.Compare(y))", "x.Compare(y))"},
	{"coldstart/tasks.go", "pullForward(tasks, definesNamespace, s.livesIn)\n", "_ = s.livesIn\n"},
	{"coldstart/tasks.go", "pullForward(tasks, definesKind, isOfKind)\n", "_, _ = definesKind, isOfKind\n"},
	{"coldstart/tasks.go", "t.Phase, t.Wave = tasks[at].Phase, tasks[at].Wave", "t.Wave = tasks[at].Wave"},
	{"coldstart/tasks.go", "t.Phase, t.Wave = tasks[at].Phase, tasks[at].Wave", "t.Phase = tasks[at].Phase"},
	{"coldstart/tasks.go", "namespace := cmp.Or(o.ID().Namespace, s.Namespace)", "namespace := o.ID().Namespace"},
	{"coldstart/tasks.go", "	turnRound(waves)\n", "	_ = turnRound\n"},
	{"coldstart/tasks.go", "tasks[i].Wave = last + 1", "tasks[i].Wave = last"},
	{"coldstart/tasks.go", "if s.PruneLast || slices.Contains", "if slices.Contains"},
	{"coldstart/tasks.go", "if argocd.IsHook(o) || len(argocd.Phases(o)) == 0 {", "if len(argocd.Phases(o)) == 0 {"},
	{"coldstart/tasks.go", "return id.Name, id.Group == \"\" && id.Kind == \"Namespace\"", "return id.Name, id.Kind == \"Namespace\" && id.Group != \"\""},
	{"coldstart/tasks.go", "if _, known := first[key]; !known {", "if true {"},
	{"argocd/hook.go", "for _, key := range []string{WaveAnnotation, HelmWeightAnnotation} {", "for _, key := range []string{WaveAnnotation} {"},
	{"argocd/hook.go", "for _, key := range []string{WaveAnnotation, HelmWeightAnnotation} {", "for _, key := range []string{HelmWeightAnnotation, WaveAnnotation} {"},
	{"argocd/hook.go", "ok && value != helmCRD", "ok && value != \"\""},
	{"argocd/hook.go", "\"post-upgrade\": PostSync,", "\"post-upgrade\": Sync,"},
	{"argocd/hook.go", "return slices.Equal(hookPhases(o), []Phase{skip})", "return slices.Contains(hookPhases(o), skip)"},
	{"argocd/hook.go", "	if len(phases) > 0 {\n		return phases\n	}\n", ""},
	{"argocd/order.go", "return i - len(kindOrder)", "return i + 1"},
}

// TestOrderMutants asks whether the comparison with the engine would notice: every fault must be found. It builds this package once
// for each, so it runs only where GEN_MUTANTS is set.
func TestOrderMutants(t *testing.T) {
	if os.Getenv("GEN_MUTANTS") == "" {
		t.Skip("GEN_MUTANTS is not set: it builds this package once for every fault")
	}
	dir := t.TempDir()
	recorded := filepath.Join(dir, "orders.json")
	run := func(env string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Env = append(os.Environ(), env, "GEN_MUTANTS=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("GEN_ORDER_RECORD="+recorded, "test", "-count=1", "-run", "TestOrderAsTheEngine", "../argoapi"); err != nil {
		t.Fatalf("recording the engine's orders: %v\n%s", err, out)
	}
	if out, err := run("GEN_ORDER_RECORDED="+recorded, "test", "-count=1", "-run", "TestRecordedOrders", "."); err != nil {
		t.Fatalf("without a fault: %v\n%s", err, out)
	}
	for i, m := range orderMutants {
		overlay := mutate(t, dir, i, m)
		out, err := run("GEN_ORDER_RECORDED="+recorded, "test", "-overlay", overlay, "-count=1", "-run", "TestRecordedOrders", ".")
		if err == nil || !strings.Contains(out, "(-engine +ours)") {
			t.Errorf("the fault %q in %s is not found: %v\n%s", m[2], m[0], err, out)
		}
	}
	t.Logf("%d faults, all but the errors above found", len(orderMutants))
}

// mutate writes the changed file and the overlay that puts it in the place of the other.
func mutate(t *testing.T, dir string, i int, m [3]string) string {
	t.Helper()
	name, err := filepath.Abs(filepath.Join("..", m[0]))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), m[1]) {
		t.Fatalf("%s has no %q any more", m[0], m[1])
	}
	changed := filepath.Join(dir, fmt.Sprintf("mutant%d.go", i))
	if err := os.WriteFile(changed, []byte(strings.Replace(string(data), m[1], m[2], 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, fmt.Sprintf("overlay%d.json", i))
	if err := os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, name, changed), 0o644); err != nil {
		t.Fatal(err)
	}
	return overlay
}
