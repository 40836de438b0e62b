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
	name string
	fsys fstest.MapFS
	dir  string // a copy for helm
}

// helmTemplate runs `helm template` and returns its objects, printed, by identity.
func helmTemplate(t testing.TB, helm, dir string, values map[string]any) (map[string][]string, error) {
	t.Helper()
	raw, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "values.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"template", "demo", dir, "--namespace", "demo-system", "--include-crds", "--kube-version", realKubernetes, "--values", file}
	for _, version := range realAPIs() {
		arguments = append(arguments, "--api-versions", version)
	}
	command := exec.Command(helm, arguments...)
	home := t.TempDir()
	command.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "HELM_CACHE_HOME=" + home, "HELM_CONFIG_HOME=" + home, "HELM_DATA_HOME=" + home}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("helm: %w: %s", err, stderr.String())
	}
	printed := map[string][]string{}
	for _, document := range splitYAML(string(out)) {
		objects, _, err := manifest.Decode([]byte(document))
		if err != nil {
			return nil, fmt.Errorf("helm's output: %w", err)
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
			report.compare(t, renderer, helm, chart, nil)
			for seed := uint64(0); report.rendered <= realVariants && seed < 4*realVariants; seed++ {
				report.compare(t, renderer, helm, chart, changedValues(t, renderer, chart, seed))
			}
			t.Logf("%s: %d objects with the chart's own values; with changed values %d variants rendered by both and %d refused by both; %d objects compared, %d differing",
				chart.name, report.first, report.rendered-1, report.bothFail, report.objects, report.differing)
		})
	}
}

// realReport counts what was compared.
type realReport struct{ first, rendered, objects, differing, bothFail int }

func (r *realReport) compare(t *testing.T, renderer *Renderer, helm string, chart realChart, values map[string]any) {
	t.Helper()
	want, helmErr := helmTemplate(t, helm, chart.dir, values)
	got, err := realRender(t, renderer, chart, values)
	if helmErr != nil && err != nil {
		if values == nil {
			t.Fatalf("both refuse the chart's own values:\nhelm: %v\ngen:  %v", helmErr, err)
		}
		r.bothFail++
		return
	}
	if helmErr != nil || err != nil {
		t.Errorf("values %v: only one refuses:\nhelm: %v\ngen:  %v", values, helmErr, err)
		return
	}
	r.rendered++
	if values == nil {
		r.first = len(want)
	}
	r.objects += len(want)
	var again map[string][]string
	for _, key := range slices.Sorted(maps.Keys(mergedKeys(want, got))) {
		if slices.Equal(want[key], got[key]) {
			continue
		}
		if again == nil {
			if again, err = helmTemplate(t, helm, chart.dir, values); err != nil {
				t.Fatal(err)
			}
		}
		if diff := diffWithoutRandom(want[key], again[key], got[key]); diff != "" {
			r.differing++
			t.Errorf("values %v: %s (-helm +gen):\n%s", values, key, diff)
		}
	}
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
