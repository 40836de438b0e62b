package generators

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"github.com/coldstart-gitops/gen/internal/environment"
)

// A value that the chart does not know is no error to Helm: it does nothing. So every value that a definition sets must be one
// of the real chart's, checked where GEN_REAL_CHARTS names a folder that holds them as folders or archives.
func TestRealChartsKnowTheValues(t *testing.T) {
	folder := os.Getenv("GEN_REAL_CHARTS")
	if folder == "" {
		t.Skip("GEN_REAL_CHARTS names no folder of charts")
	}
	bare := func(env *environment.Environment) { env.Facts.Nodes = env.Facts.Nodes[:1] }
	envs := []*environment.Environment{
		lab(), prod(values("cilium", "{bpf: {masquerade: true}, gatewayAPI: {enabled: true}}")), lab(bare),
		lab(func(env *environment.Environment) { env.Facts.ACME.Solver = "http01" }),
	}
	for _, def := range All() {
		t.Run(def.Name, func(t *testing.T) {
			known := chartValues(t, folder, def.Name)
			for _, env := range envs {
				parts, err := def.Build(env)
				if err != nil {
					t.Fatal(err)
				}
				checkKnown(t, "", parts.Values, known)
			}
		})
	}
}

// chartValues returns the default values of the chart in folder, or in a folder below: NAME, NAME.tgz or NAME-VERSION.tgz.
func chartValues(t *testing.T, folder, name string) map[string]any {
	t.Helper()
	var found []string
	for _, pattern := range []string{name + "/Chart.yaml", name + ".tgz", name + "-[v0-9]*.tgz"} {
		for _, at := range []string{folder, filepath.Join(folder, "*")} {
			matches, err := filepath.Glob(filepath.Join(at, pattern))
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, matches...)
		}
	}
	if len(found) == 0 {
		t.Skipf("no chart %s in %s", name, folder)
	}
	path, err := filepath.EvalSymlinks(strings.TrimSuffix(found[0], "/Chart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	chart, err := loader.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return chart.Values
}

// freeKeys are maps of the charts in which any key may stand.
var freeKeys = []string{"configs.params.", "configs.cm.", "server.ingress.annotations."}

func checkKnown(t *testing.T, path string, set, known map[string]any) {
	t.Helper()
	for key, value := range set {
		at := path + key
		if slices.ContainsFunc(freeKeys, func(free string) bool { return strings.HasPrefix(at, free) }) {
			continue
		}
		standard, ok := known[key]
		if !ok {
			t.Errorf("%s: the chart has no such value: it would do nothing", at)
			continue
		}
		if inner, ok := value.(map[string]any); ok {
			below, _ := standard.(map[string]any)
			checkKnown(t, at+".", inner, below)
		}
	}
}
