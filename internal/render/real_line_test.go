package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

// builtIn are the real charts whose product gen knows, with values of their own.
var builtIn = []string{"argo-cd", "cert-manager", "cilium", "external-secrets", "metrics-server", "sealed-secrets"}

// inRegistries are charts that their projects publish in a registry too; every one is published in an HTTP repository.
var inRegistries = []string{"argo-cd", "cert-manager", "cilium", "external-secrets", "sealed-secrets"}

// genLine is the gen program with a fleet of its own, and the servers that its charts come from.
type genLine struct {
	gen, root, cache string
	http, oci        string // addresses of a repository and of a folder in a registry
}

// errRefused says that a guard stopped gen: the chart was rendered, and its output must not be committed.
var errRefused = errors.New("a guard refused")

// TestRealLineEqualsHelm runs the real program: `gen charts lock` fetches the charts from an HTTP repository and a registry on
// loopback, and what `gen render --stage render -o yaml ENV COMPONENT` prints is compared with `helm template --include-crds`.
func TestRealLineEqualsHelm(t *testing.T) {
	charts, helm := slices.DeleteFunc(realCharts(t), func(c realChart) bool { return c.archive == "" }), helmBinary(t)
	if len(charts) == 0 {
		t.Skip("skipped: GEN_REAL_CHARTS holds no archive, and repositories serve archives")
	}
	line := genLine{gen: buildGen(t), cache: t.TempDir()}
	line.http, line.oci = serveCharts(t, helm, charts)
	t.Run("built-in", func(t *testing.T) { line.compareBuiltIn(t, helm, charts) })
	for _, chart := range charts {
		t.Run(chart.name, func(t *testing.T) { line.compareVariants(t, helm, chart) })
	}
}

// buildGen builds the program that people run.
func buildGen(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gen")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", file, "../../cmd/gen").CombinedOutput(); err != nil {
		t.Fatalf("building gen: %v\n%s", err, out)
	}
	return file
}

// serveCharts serves the archives as `helm repo index` and `helm push` publish them.
func serveCharts(t *testing.T, helm string, charts []realChart) (repository, folder string) {
	t.Helper()
	dir := t.TempDir()
	for _, chart := range charts {
		data, err := os.ReadFile(chart.archive)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(chart.archive)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(files.Close)
	images := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(images.Close)
	folder = "oci://" + strings.TrimPrefix(images.URL, "http://") + "/charts"
	runHelm := func(arguments ...string) {
		command := exec.Command(helm, arguments...)
		command.Env = helmHome(t)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("helm %v: %v\n%s", arguments, err, out)
		}
	}
	runHelm("repo", "index", dir)
	for _, chart := range charts {
		if slices.Contains(inRegistries, chart.chart) {
			runHelm("push", chart.archive, folder, "--plain-http")
		}
	}
	return files.URL, folder
}

// lock makes a new fleet of the files, which are the model's, and pins its charts.
func (l genLine) lock(t *testing.T, files map[string]string) genLine {
	t.Helper()
	l.root = t.TempDir()
	for name, text := range files {
		file := filepath.Join(l.root, "environments", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.run(t, "charts", "lock"); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l genLine) run(t *testing.T, arguments ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), l.gen, append(arguments, "-C", l.root, "--cache", l.cache, "-q")...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 {
		err = fmt.Errorf("%w: %s", errRefused, stderr.String())
	} else if err != nil {
		err = fmt.Errorf("gen %v: %w: %s", arguments, err, stderr.String())
	}
	return string(out), err
}

// render returns what the command prints, by identity.
func (l genLine) render(t *testing.T, env, component string) (map[string][]string, error) {
	t.Helper()
	out, err := l.run(t, "render", "--stage", "render", "-o", "yaml", env, component)
	if err != nil {
		return nil, err
	}
	return printedObjects(t, out)
}

// fleet is a model whose environments have the components, written as JSON, which is YAML too.
func fleet(t *testing.T, components map[string]any) string {
	t.Helper()
	return document(t, map[string]any{
		"apiVersion": "gen/v1", "kind": "Fleet", "components": components, "argocd": map[string]any{"in": "none"},
		"git": map[string]any{"url": "https://git.example.com/fleet.git", "branch": "main", "path": "output/{env}"},
	})
}

func document(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (l genLine) source(chart realChart, repo string) map[string]any {
	return map[string]any{"repo": repo, "name": chart.chart, "version": chart.version}
}

// compareVariants compares one chart with its own values, from both kinds of servers, and with changed ones. Each set of values
// is an environment of one fleet. What gen alone refuses, and why, is counted; more values are tried in its place.
func (l genLine) compareVariants(t *testing.T, helm string, chart realChart) {
	t.Helper()
	own := needed[chart.chart]
	variants := map[string]map[string]any{"v000": own}
	for seed := range uint64(4 * realVariants) {
		variants[fmt.Sprintf("v%03d", seed+1)] = layered(own, changedValues(t, New(), chart, seed))
	}
	line := l.lock(t, l.variantFiles(t, chart, variants))
	report, guarded := &realReport{}, 0
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		if report.rendered > realVariants {
			break
		}
		got, err := line.render(t, name, "real")
		if errors.Is(err, errRefused) {
			if report.rendered == 0 {
				t.Skipf("skipped: a guard refuses the chart as it is; name values for it in needed: %v", err)
			}
			guarded++
			continue
		}
		report.compare(t, plainRun(helm, chart.dir, variants[name]), got, err)
	}
	t.Logf("%s: %s; a guard of gen refused %d more", chart.name, report, guarded)
	if report.rendered <= realVariants {
		t.Errorf("%s: %d of %d variants were rendered", chart.name, report.rendered-1, realVariants)
	}
	if slices.Contains(inRegistries, chart.chart) {
		got, err := line.render(t, "oci", "real")
		report := &realReport{}
		report.compare(t, plainRun(helm, chart.dir, own), got, err)
		t.Logf("%s from a registry: %d objects compared, %d differing", chart.name, report.objects, report.differing)
	}
}

// variantFiles is a model of one chart with an environment for each set of values.
func (l genLine) variantFiles(t *testing.T, chart realChart, variants map[string]map[string]any) map[string]string {
	t.Helper()
	files := map[string]string{"fleet.yaml": fleet(t, map[string]any{"real": map[string]any{
		"chart": l.source(chart, l.http), "release": "demo", "namespace": "demo-system", "apiVersions": realAPIs(),
	}})}
	for name, values := range variants {
		files[name+".yaml"] = variant(t, name, map[string]any{"values": orEmpty(values)})
	}
	if slices.Contains(inRegistries, chart.chart) {
		files["oci.yaml"] = variant(t, "oci", map[string]any{"values": orEmpty(variants["v000"]), "chart": l.source(chart, l.oci)})
	}
	return files
}

// variant is an environment that changes one component.
func variant(t *testing.T, name string, changes map[string]any) string {
	t.Helper()
	return document(t, map[string]any{
		"apiVersion": "gen/v1", "kind": "Environment", "name": name, "rebuilt": "often",
		"versions": map[string]any{"kubernetes": realKubernetes}, "components": map[string]any{"real": changes},
	})
}

func orEmpty(values map[string]any) map[string]any {
	if values == nil {
		return map[string]any{}
	}
	return values
}

// layered returns a copy of low with high over it.
func layered(low, high map[string]any) map[string]any {
	out := maps.Clone(orEmpty(low))
	for key, value := range high {
		below, isTable := out[key].(map[string]any)
		if above, ok := value.(map[string]any); ok && isTable {
			value = layered(below, above)
		}
		out[key] = value
	}
	return out
}
