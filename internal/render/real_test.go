package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/ignore"

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

// realCharts returns the charts of GEN_REAL_CHARTS: archives and folders in it, or one folder below.
func realCharts(t testing.TB) []realChart {
	root := os.Getenv("GEN_REAL_CHARTS")
	if root == "" {
		t.Skip("skipped: GEN_REAL_CHARTS names no folder of charts")
	}
	var found []realChart
	for _, pattern := range []string{"*.tgz", "*/*.tgz", "*/Chart.yaml", "*/*/Chart.yaml"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			chart := realChart{name: strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), "/Chart.yaml")}
			if strings.HasSuffix(name, ".tgz") {
				chart.fsys = archiveFS(t, name)
			} else {
				chart.fsys = folderFS(t, filepath.Dir(name))
			}
			chart.dir = writeForHelm(t, chart.fsys)
			found = append(found, chart)
		}
	}
	if len(found) == 0 {
		t.Fatalf("GEN_REAL_CHARTS: %s holds no chart", root)
	}
	return found
}

func archiveFS(t testing.TB, name string) fstest.MapFS {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	read, err := archive.LoadArchiveFiles(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for _, f := range read {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return fsys
}

// folderFS reads a folder as Helm does, without what .helmignore names.
func folderFS(t testing.TB, dir string) fstest.MapFS {
	rules := ignore.Empty()
	if parsed, err := ignore.ParseFile(filepath.Join(dir, ignore.HelmIgnore)); err == nil {
		rules = parsed
	}
	rules.AddDefaults()
	fsys := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if rules.Ignore(name, info) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.IsDir() {
			data, err := os.ReadFile(filepath.Join(dir, name))
			fsys[name] = &fstest.MapFile{Data: data}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

// writeForHelm writes the chart to a folder. Helm refuses charts that lack a dependency even if it is switched off; there, and
// only for helm, an empty chart stands for it.
func writeForHelm(t testing.TB, fsys fstest.MapFS) string {
	dir := t.TempDir()
	read, err := New().loadChart(fsys, "")
	if err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(fsys)
	for _, d := range absentDependencies(read.pristine) {
		all["charts/"+d.Name+"/Chart.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil, "apiVersion: v2\nname: %s\nversion: %s\n", d.Name, d.Version)}
	}
	delete(all, ".helmignore") // applied already
	if err := os.CopyFS(dir, all); err != nil {
		t.Fatal(err)
	}
	return dir
}

// helmBinary returns the helm program to compare with.
func helmBinary(t testing.TB) string {
	helm := os.Getenv("GEN_HELM")
	if helm == "" {
		found, err := exec.LookPath("helm")
		if err != nil {
			t.Skip("skipped: GEN_HELM names no helm program, and there is none in PATH")
		}
		helm = found
	}
	version, err := exec.Command(helm, "version", "--template", "{{.Version}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	// A helm made by `go install` knows no more of its version than v3.18.
	if text := strings.TrimSpace(string(version)); text != helmVersion && text != "v3.18" {
		t.Skipf("skipped: %s is helm %s, and this package equals %s", helm, text, helmVersion)
	}
	return helm
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

// changedValues changes one to three of the chart's values: booleans are flipped, others become null.
func changedValues(t testing.TB, renderer *Renderer, chart realChart, seed uint64) map[string]any {
	read, err := renderer.loadChart(chart.fsys, "")
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		path  []string
		value any
	}
	var places []place
	var walk func(values map[string]any, at []string)
	walk = func(values map[string]any, at []string) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			path := append(slices.Clone(at), key)
			places = append(places, place{path, values[key]})
			if table, ok := values[key].(map[string]any); ok {
				walk(table, path)
			}
		}
	}
	walk(read.pristine.Values, nil)
	random := rand.New(rand.NewPCG(seed, uint64(len(places))))
	changed := map[string]any{}
	for range 1 + random.IntN(3) {
		// Booleans decide most: take one of them every other time.
		at := places[random.IntN(len(places))]
		for tries := 0; random.IntN(2) == 0 && tries < 50; tries++ {
			if _, ok := at.value.(bool); ok {
				break
			}
			at = places[random.IntN(len(places))]
		}
		var value any
		if flag, ok := at.value.(bool); ok {
			value = !flag
		}
		setPath(changed, at.path, value)
	}
	return changed
}

func setPath(values map[string]any, path []string, value any) {
	for _, key := range path[:len(path)-1] {
		next, ok := values[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			values[key] = next
		}
		values = next
	}
	values[path[len(path)-1]] = value
}
