package argoapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/sync"
	"github.com/argoproj/gitops-engine/pkg/sync/hook"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/gitops-engine/pkg/utils/kube/kubetest"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/util/openapi"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// orderSets is how many random object sets are compared; GEN_ORDER_SETS overrides it.
const orderSets = 500

// TestOrderAsTheEngine compares the order of our tasks with the one that the engine itself prints before its dry run, on random
// sets of objects: hooks of both dialects, waves that are no numbers, CRDs with their objects, Namespaces, prunes.
func TestOrderAsTheEngine(t *testing.T) {
	sets := orderSets
	if text := os.Getenv("GEN_ORDER_SETS"); text != "" {
		var err error
		if sets, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	seen, recorded := map[string]int{}, []any{}
	for seed := range sets {
		random := rand.New(rand.NewSource(int64(seed)))
		sync := randomSync(random, seen)
		want := engineOrder(t, sync)
		recorded = append(recorded, map[string]any{"namespace": sync.Namespace, "pruneLast": sync.PruneLast, "objects": fieldsOf(sync.Objects), "extra": fieldsOf(sync.Extra), "order": want})
		var got []string
		for _, task := range sync.Tasks() {
			id := task.Object.ID()
			got = append(got, fmt.Sprintf("%s/%d %s/%s %s prune=%v", task.Phase, task.Wave, id.Group, id.Kind, id.Name, task.Prune))
			if task.Wave != argocd.Wave(task.Object) {
				seen["moved"]++
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-engine +ours):\n%s", seed, diff)
		}
	}
	t.Logf("%d sets: %v", sets, seen)
	record(t, recorded)
	for _, what := range []string{"hook", "helm hook", "odd wave", "hook weight", "CRD", "custom", "Namespace", "prune", "PruneLast", "moved", "several phases"} {
		if seen[what] == 0 {
			t.Errorf("no set holds %s", what)
		}
	}
}

// record writes the sets and the engine's order of each to the file that GEN_ORDER_RECORD names, for the mutants of package coldstart:
// they are then compared without linking the engine.
func record(t *testing.T, sets []any) {
	t.Helper()
	name := os.Getenv("GEN_ORDER_RECORD")
	if name == "" {
		return
	}
	data, err := json.Marshal(sets)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func fieldsOf(objects []manifest.Object) []any {
	list := []any{}
	for _, o := range objects {
		list = append(list, o.Fields())
	}
	return list
}

var randomKinds = [][3]string{ // group, version, kind
	{"", "v1", "Namespace"},
	{"", "v1", "Secret"},
	{"", "v1", "Service"},
	{"", "v1", "Pod"},
	{"apps", "v1", "Deployment"},
	{"batch", "v1", "Job"},
	{"rbac.authorization.k8s.io", "v1", "ClusterRole"},
	{"networking.k8s.io", "v1", "Ingress"},
	{"example.com", "v1", "Widget"},
	{"example.com", "v1", "Service"},
	{"example.com", "v1", "Namespace"},
	{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
	{"scheduling.k8s.io", "v1", "PriorityClass"},
}

// randomSync draws objects of different names, so that the engine leaves no order open.
func randomSync(random *rand.Rand, seen map[string]int) coldstart.Sync {
	pick := func(list ...string) string { return list[random.Intn(len(list))] }
	s := coldstart.Sync{Namespace: pick("n0", "dest"), PruneLast: random.Intn(8) == 0}
	names := random.Perm(20)
	for i := range random.Intn(14) {
		kind := randomKinds[random.Intn(len(randomKinds))]
		metadata, annotations := map[string]any{"name": fmt.Sprintf("n%d", names[i])}, map[string]any{}
		fields := map[string]any{"apiVersion": strings.TrimPrefix(kind[0]+"/"+kind[1], "/"), "kind": kind[2], "metadata": metadata}
		note := func(key, what string, list ...string) {
			if random.Intn(4) == 0 {
				annotations[key] = pick(list...)
				seen[what]++
			}
		}
		note(argocd.WaveAnnotation, "wave", "-1", "0", "2", "3")
		note(argocd.WaveAnnotation, "odd wave", "one", "1.5", "")
		note(argocd.HelmWeightAnnotation, "hook weight", "-4", "5", "x")
		if random.Intn(3) == 0 {
			note(argocd.HookAnnotation, "hook", "PreSync", "PostSync,PreSync", "Sync", "Skip", "Skip,Sync", "nonsense", "SyncFail")
			note(argocd.HelmHookAnnotation, "helm hook", "pre-install", "post-upgrade", "post-install, pre-upgrade", "test", "crd-install", "pre-delete")
		}
		note(argocd.SyncOptionsAnnotation, "PruneLast", "PruneLast=true", "Prune=false, PruneLast=true")
		if hooks, _ := annotations[argocd.HookAnnotation].(string); strings.Contains(hooks, ",") {
			seen["several phases"]++
		}
		if len(annotations) > 0 {
			metadata["annotations"] = annotations
		}
		switch {
		case kind[2] == "Namespace":
			seen["Namespace"]++
		case kind[2] == "CustomResourceDefinition":
			fields["spec"] = map[string]any{"group": "example.com", "names": map[string]any{"kind": pick("Widget", "Service", "Other")}}
			seen["CRD"]++
		case random.Intn(2) == 0:
			metadata["namespace"] = fmt.Sprintf("n%d", random.Intn(20))
		}
		if kind[0] == "example.com" {
			seen["custom"]++
		}
		if random.Intn(4) == 0 {
			s.Extra = append(s.Extra, manifest.New(fields))
			seen["prune"]++
			continue
		}
		s.Objects = append(s.Objects, manifest.New(fields))
	}
	return s
}

// engineTask is how the engine prints a task.
var engineTask = regexp.MustCompile(`(\w+)/(-?\d+) (?:hook|resource) ([^/ ]*)/([^: ]*):([^/ ]*)/(\S*) (?:obj|nil)->(obj|nil)`)

// engineOrder lets the engine itself sort, in memory, and reads the order from its log. Its dry run fails on purpose, so that
// nothing follows.
func engineOrder(t *testing.T, s coldstart.Sync) []string {
	t.Helper()
	var order []string
	sorted := false
	log := funcr.New(func(_, args string) {
		if !strings.Contains(args, `"Tasks (dry-run)"`) {
			return
		}
		sorted = true
		for _, m := range engineTask.FindAllStringSubmatch(args, -1) {
			order = append(order, fmt.Sprintf("%s/%s %s/%s %s prune=%v", m[1], m[2], m[3], m[4], m[6], m[7] == "nil"))
		}
	}, funcr.Options{})
	context, cleanup, err := sync.NewSyncContext("0123456789", reconciled(s), discovery(), discovery(), &failingKubectl{}, s.Namespace, nil,
		sync.WithLogr(log), sync.WithPruneLast(s.PruneLast), sync.WithPrune(true))
	if err != nil {
		t.Fatal(err)
	}
	defer cleanup()
	context.Sync()
	if !sorted {
		phase, message, results := context.GetState()
		t.Fatalf("the engine came to no order: %s %s %v", phase, message, results)
	}
	return order
}

// reconciled splits objects as the engine's own Reconcile does: hooks apart, everything else a target or a live object.
func reconciled(s coldstart.Sync) sync.ReconciliationResult {
	var result sync.ReconciliationResult
	for _, o := range s.Objects {
		u := &unstructured.Unstructured{Object: manifest.Copy(o.Fields()).(map[string]any)}
		if hook.IsHook(u) {
			result.Hooks = append(result.Hooks, u)
			continue
		}
		result.Target, result.Live = append(result.Target, u), append(result.Live, nil)
	}
	for _, o := range s.Extra {
		u := &unstructured.Unstructured{Object: manifest.Copy(o.Fields()).(map[string]any)}
		result.Target, result.Live = append(result.Target, nil), append(result.Live, u)
	}
	return result
}

// discovery is a connection to an API server that serves randomKinds and nothing else.
func discovery() *rest.Config {
	return &rest.Config{Host: "http://api.example.internal", Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}}
		version := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/apis/"), "/api/")
		for _, k := range randomKinds {
			if strings.TrimPrefix(k[0]+"/"+k[1], "/") == version {
				list.GroupVersion = version
				list.APIResources = append(list.APIResources, metav1.APIResource{Kind: k[2], Name: strings.ToLower(k[2]) + "s", Verbs: metav1.Verbs{"get"}})
			}
		}
		body, err := json.Marshal(list)
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(string(body))), Request: r,
		}, err
	})}
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip answers the request.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// failingKubectl refuses every apply.
type failingKubectl struct{ kubetest.MockKubectlCmd }

// ManageResources returns operations that refuse all names that randomSync draws.
func (k *failingKubectl) ManageResources(*rest.Config, openapi.Resources) (kube.ResourceOperations, func(), error) {
	commands := map[string]kubetest.KubectlOutput{}
	for i := range 20 {
		commands[fmt.Sprintf("n%d", i)] = kubetest.KubectlOutput{Err: errors.New("refused")}
	}
	return &kubetest.MockResourceOps{Commands: commands}, func() {}, nil
}
