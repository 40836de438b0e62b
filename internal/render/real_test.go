package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

const (
	realKubernetes = "1.33.1"
	realVariants   = 50
)

// realAPIs are API versions that real charts ask for.
func realAPIs() []string {
	return []string{"monitoring.coreos.com/v1", "monitoring.coreos.com/v1/ServiceMonitor", "cert-manager.io/v1", "gateway.networking.k8s.io/v1", "gateway.networking.k8s.io/v1/GatewayClass"}
}

// realChart is a chart as its project publishes it.
type realChart struct {
	name           string
	chart, version string
	fsys           fstest.MapFS
	archive        string // its file, where it is one
	dir            string // a copy for helm
}

// needed are values without which a chart is not rendered: it asks for them, or a guard stops it, as it should where certificates
// made while rendering would stand in git.
var needed = map[string]map[string]any{
	"cilium": {"hubble": map[string]any{"tls": map[string]any{"auto": map[string]any{"method": "cronJob"}}}},
	"loki": {"loki": map[string]any{
		"storage": map[string]any{"bucketNames": map[string]any{"chunks": "a", "ruler": "b", "admin": "c"}}, "useTestSchema": true,
	}},
	"redis":                 {"auth": map[string]any{"existingSecret": "redis-auth"}},
	"kube-prometheus-stack": {"grafana": map[string]any{"admin": map[string]any{"existingSecret": "grafana-admin"}}, "alertmanager": map[string]any{"enabled": false}},
}

// helmRun is one run of `helm template`.
type helmRun struct {
	helm, dir          string
	release, namespace string
	values             map[string]any
}

// plainRun is a run as the charts of TestRealChartsEqualHelm are rendered.
func plainRun(helm, dir string, values map[string]any) helmRun {
	return helmRun{helm: helm, dir: dir, release: "demo", namespace: "demo-system", values: values}
}

// template returns the objects that Helm prints, by identity.
func (r helmRun) template(t testing.TB) (map[string][]string, error) {
	t.Helper()
	raw, err := json.Marshal(r.values)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "values.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"template", r.release, r.dir, "--namespace", r.namespace, "--include-crds", "--kube-version", realKubernetes, "--values", file}
	for _, version := range realAPIs() {
		arguments = append(arguments, "--api-versions", version)
	}
	command := exec.Command(r.helm, arguments...)
	command.Env = helmHome(t)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("helm: %w: %s", err, stderr.String())
	}
	return printedObjects(t, string(out))
}

// helmHome is an environment in which Helm finds nothing of this machine.
func helmHome(t testing.TB) []string {
	home := t.TempDir()
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "HELM_CACHE_HOME=" + home, "HELM_CONFIG_HOME=" + home, "HELM_DATA_HOME=" + home}
}

// printedObjects reads a stream of documents, without hooks that are tests.
func printedObjects(t testing.TB, stream string) (map[string][]string, error) {
	printed := map[string][]string{}
	for _, document := range splitYAML(stream) {
		objects, _, err := manifest.Decode([]byte(document))
		if err != nil {
			return nil, fmt.Errorf("reading what was printed: %w", err)
		}
		for _, object := range objects {
			if events, _ := hookEvents(object); !slices.ContainsFunc(events, isTestEvent) {
				printObject(t, printed, object)
			}
		}
	}
	return printed, nil
}

func printObject(t testing.TB, printed map[string][]string, object manifest.Object) {
	text, err := manifest.Emit(object)
	if err != nil {
		t.Fatal(err)
	}
	key := object.ID().APIVersion() + " " + object.ID().String()
	printed[key] = append(printed[key], string(text))
	slices.Sort(printed[key])
}

// realRender renders the chart as Render does, before the model's changes and the guards.
func realRender(t testing.TB, renderer *Renderer, chart realChart, values map[string]any) (map[string][]string, error) {
	t.Helper()
	in := chartInput("", "")
	in.Chart, in.APIVersions = chart.fsys, realAPIs()
	in.Component.KubeVersion, in.Component.Merged = realKubernetes, values
	got, err := (&run{renderer: renderer, in: in}).render(t.Context())
	if err != nil {
		return nil, err
	}
	printed := map[string][]string{}
	for _, one := range got.objects {
		printObject(t, printed, one.object)
	}
	return printed, nil
}

// TestRealChartsEqualHelm compares real charts, object by object, with what Helm 3.18.4 prints, with the values that the charts
// come with and with changed ones. Leaves that differ between two runs of helm are left out.
func TestRealChartsEqualHelm(t *testing.T) {
	charts, helm := realCharts(t), helmBinary(t)
	renderer := New()
	for _, chart := range charts {
		t.Run(chart.name, func(t *testing.T) {
			report := &realReport{}
			compare := func(values map[string]any) {
				got, err := realRender(t, renderer, chart, values)
				report.compare(t, plainRun(helm, chart.dir, values), got, err)
			}
			own := needed[chart.chart]
			compare(own)
			report.first = report.objects
			for seed := uint64(0); report.rendered <= realVariants && seed < 4*realVariants; seed++ {
				compare(layered(own, changedValues(t, renderer, chart, seed)))
			}
			t.Logf("%s: %d objects with the chart's own values; with changed values %s", chart.name, report.first, report)
		})
	}
}

// realReport counts what was compared.
type realReport struct{ first, rendered, objects, differing, bothFail, invalid int }

func (r *realReport) String() string {
	return fmt.Sprintf("%d variants rendered by both, %d refused by both, and %d that no cluster accepts by gen alone; %d objects compared, %d differing",
		r.rendered-1, r.bothFail, r.invalid, r.objects, r.differing)
}

// compare compares what gen rendered, or why it did not, with what helm says.
func (r *realReport) compare(t *testing.T, helm helmRun, got map[string][]string, err error) {
	t.Helper()
	want, helmErr := helm.template(t)
	if helmErr != nil && err != nil {
		if r.rendered == 0 {
			t.Fatalf("both refuse the first values:\nhelm: %v\ngen:  %v", helmErr, err)
		}
		r.bothFail++
		return
	}
	if helmErr == nil && err != nil && r.rendered > 0 && invalid(t, want) {
		r.invalid++
		return
	}
	if helmErr != nil || err != nil {
		t.Errorf("values %v: only one refuses:\nhelm: %v\ngen:  %v", helm.values, helmErr, err)
		return
	}
	r.rendered++
	r.objects += len(want)
	var again map[string][]string
	for _, key := range slices.Sorted(maps.Keys(mergedKeys(want, got))) {
		if slices.Equal(want[key], got[key]) {
			continue
		}
		if again == nil {
			if again, err = helm.template(t); err != nil {
				t.Fatal(err)
			}
		}
		if diff := diffWithoutRandom(want[key], again[key], got[key]); diff != "" {
			r.differing++
			t.Errorf("values %v: %s (-helm +gen):\n%s", helm.values, key, diff)
		}
	}
}

// invalid says that Helm printed what no API server accepts, and gen thus refuses: an object without a name or a kind, or one twice.
func invalid(t *testing.T, printed map[string][]string) bool {
	t.Helper()
	for _, same := range printed {
		object, _, err := manifest.Decode([]byte(same[0]))
		if err != nil {
			t.Fatal(err)
		}
		if len(same) > 1 || checkIdentity(object[0]) != nil {
			return true
		}
	}
	return false
}

func mergedKeys(a, b map[string][]string) map[string]bool {
	keys := map[string]bool{}
	for key := range a {
		keys[key] = true
	}
	for key := range b {
		keys[key] = true
	}
	return keys
}

// diffWithoutRandom compares line by line, without the lines that differ between two runs of helm. Canonical documents that
// differ in leaves only have the same number of lines, but for texts of many lines, which are then compared whole.
func diffWithoutRandom(want, again, got []string) string {
	if len(want) != len(got) || len(want) != len(again) {
		return cmp.Diff(want, got)
	}
	for i := range want {
		one, _, oneErr := manifest.Decode([]byte(want[i]))
		two, _, twoErr := manifest.Decode([]byte(again[i]))
		own, _, ownErr := manifest.Decode([]byte(got[i]))
		if err := errors.Join(oneErr, twoErr, ownErr); err != nil {
			return err.Error()
		}
		random := map[string]bool{}
		for _, leaf := range differing(one[0].Fields(), two[0].Fields(), nil) {
			random[strings.Join(leaf.path, "\x00")] = true
		}
		for _, leaf := range append(differing(one[0].Fields(), own[0].Fields(), nil), differing(own[0].Fields(), one[0].Fields(), nil)...) {
			if !random[strings.Join(leaf.path, "\x00")] {
				return cmp.Diff(want[i], got[i])
			}
		}
	}
	return ""
}
