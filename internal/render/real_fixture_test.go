package render

import (
	"bytes"
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

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/ignore"
)

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
				chart.fsys, chart.archive = archiveFS(t, name), name
			} else {
				chart.fsys = folderFS(t, filepath.Dir(name))
			}
			read, err := New().loadChart(chart.fsys, "")
			if err != nil {
				t.Fatal(err)
			}
			chart.chart, chart.version = read.pristine.Metadata.Name, read.pristine.Metadata.Version
			chart.dir = writeForHelm(t, chart.fsys, read)
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
func writeForHelm(t testing.TB, fsys fstest.MapFS, read *loaded) string {
	dir := t.TempDir()
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
