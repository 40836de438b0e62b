package judge

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

// Corpus is public charts by name: those that somebody rendered, and archives, which gen renders.
type Corpus struct {
	rendered map[string][]*kube.Object
	packed   map[string]string // the archive
	gen      Gen
	scratch  string
	made     map[string][]*kube.Object // what gen rendered, by chart and lines
}

// LoadCorpus reads the folders of a list like PATH: rendered charts are *.yaml, packed ones *.tgz. A version at the end of a
// file's name is left out of the chart's. gen renders into scratch.
func LoadCorpus(list string, gen Gen, scratch string) (*Corpus, error) {
	c := &Corpus{rendered: map[string][]*kube.Object{}, packed: map[string]string{}, gen: gen, scratch: scratch, made: map[string][]*kube.Object{}}
	for _, dir := range filepath.SplitList(list) {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			return nil, fmt.Errorf("reading the corpus: %w", err)
		}
		for _, file := range files {
			if err := c.add(file); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// version is what ends the name of a chart's file.
var version = regexp.MustCompile(`-v?[0-9]+\.[0-9].*$`)

func (c *Corpus) add(file string) error {
	extension := filepath.Ext(file)
	name := version.ReplaceAllString(strings.TrimSuffix(filepath.Base(file), extension), "")
	switch extension {
	case ".tgz":
		c.packed[name] = file
	case ".yaml":
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading the corpus: %w", err)
		}
		objects, err := kube.Decode(b)
		if err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		c.rendered[name] = objects
	}
	return nil
}

// has reports whether the chart of a part is there. A part without a chart needs none.
func (c *Corpus) has(p part) bool {
	return p.chart == "" || p.gen == "" && c.rendered[p.chart] != nil || p.gen != "" && c.packed[p.chart] != ""
}

// objects gives those of a part's chart. gen renders each once.
func (c *Corpus) objects(ctx context.Context, p part) ([]*kube.Object, error) {
	if p.gen == "" {
		return c.rendered[p.chart], nil
	}
	key := p.chart + "\n" + p.gen
	if list, found := c.made[key]; found {
		return list, nil
	}
	list, err := c.render(ctx, c.packed[p.chart], p)
	c.made[key] = list
	return list, err
}

// The smallest model that renders one chart: an environment without Argo CD, and one component.
const (
	fleetText = "apiVersion: gen/v1\nkind: Fleet\ngit: {url: https://git.example.internal/platform/fleet.git, branch: main}\nargocd: {in: none}\n"
	chartText = "apiVersion: gen/v1\nkind: Environment\nname: charts\nversions: {kubernetes: %s}\ncomponents:\n  chart:\n    chart: {path: chart.tgz}\n    namespace: %[2]s\n    release: %[2]s\n"
)

// render lets the built gen pin and render an archive as the one component of an environment, with the objects as they would be
// committed: namespaces, Pod Security labels and all. The component is not called by the chart's name, so that gen, which knows
// some products, adds nothing of its own.
func (c *Corpus) render(ctx context.Context, archive string, p part) ([]*kube.Object, error) {
	dir, err := os.MkdirTemp(c.scratch, p.chart+"-")
	if err != nil {
		return nil, fmt.Errorf("making a folder to render %s in: %w", p.chart, err)
	}
	content, err := os.ReadFile(archive)
	if err != nil {
		return nil, fmt.Errorf("reading a chart: %w", err)
	}
	lines := fmt.Sprintf(chartText, stack.KubernetesVersion, p.chart)
	if p.gen != asShipped {
		lines += "    " + strings.ReplaceAll(strings.TrimSpace(p.gen), "\n", "\n    ") + "\n"
	}
	model := map[string][]byte{"chart.tgz": content, "fleet.yaml": []byte(fleetText), "charts.yaml": []byte(lines)}
	if err := os.Mkdir(filepath.Join(dir, "environments"), 0o755); err != nil {
		return nil, fmt.Errorf("writing the model of %s: %w", p.chart, err)
	}
	for name, b := range model {
		if err := os.WriteFile(filepath.Join(dir, "environments", name), b, 0o600); err != nil {
			return nil, fmt.Errorf("writing the model of %s: %w", p.chart, err)
		}
	}
	flags := []string{"-q", "-C", dir, "--cache", filepath.Join(c.scratch, "cache")}
	if _, err := c.gen.print(ctx, append([]string{"charts", "lock"}, flags...)); err != nil {
		return nil, err
	}
	out, err := c.gen.print(ctx, append([]string{"render", "charts", "chart", "--stage", "final"}, flags...))
	if err != nil {
		return nil, err
	}
	return kube.Decode(out)
}

// print runs the program and gives what it prints.
func (g Gen) print(ctx context.Context, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, g.Path, args...)
	var told strings.Builder
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("running gen %s: %w\n%s", args[0], err, told.String())
	}
	return out, nil
}
