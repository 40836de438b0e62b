package judge

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"sigs.k8s.io/yaml"
)

// ChartScenario is a scenario made of the rendered output of public charts, which is read at run time and never kept here.
// Scenarios of one round are played side by side on one cluster: no chart is twice in it, and addresses are given in all of it
// or in none.
type ChartScenario struct {
	Scenario
	Round  int
	Charts []string
}

// part is one Application of a chart scenario: objects of a chart, and more.
type part struct {
	name, wave string
	chart      string
	only       func(*kube.Object) bool // of the chart; all if nil
	more       string
	options    []string
}

// chartCase is how a chart scenario is written down. One part makes the root itself; several are children of a root.
type chartCase struct {
	name  string
	round int
	want  Want
	races bool
	facts []string
	parts []part

	bootstrap []string // parts that are applied by hand, as the proof takes those for that bring the network
	options   []string
}

// Corpus is rendered charts by name, from the folders of *.yaml that a list names.
type Corpus map[string][]*kube.Object

// LoadCorpus reads the folders of a list like PATH. A version at the end of a file's name is left out of the chart's.
func LoadCorpus(list string) (Corpus, error) {
	c := Corpus{}
	for _, dir := range filepath.SplitList(list) {
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			return nil, fmt.Errorf("reading the corpus: %w", err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("reading the corpus: %w", err)
			}
			objects, err := kube.Decode(b)
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", file, err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if at := strings.LastIndexByte(name, '-'); at > 0 && at+1 < len(name) && name[at+1] >= '0' && name[at+1] <= '9' {
				name = name[:at]
			}
			c[name] = objects
		}
	}
	return c, nil
}

// namespace is the one that most of a chart's objects name.
func (c Corpus) namespace(chart string) string {
	count := map[string]int{}
	for _, o := range c[chart] {
		if ns := o.GetNamespace(); ns != "" {
			count[ns]++
		}
	}
	best := "default"
	for ns, n := range count {
		if n > count[best] || n == count[best] && ns < best {
			best = ns
		}
	}
	return best
}

// scenario lays a case out as a repository. A chart that is not in the corpus gives none.
func (c Corpus) scenario(k chartCase) (ChartScenario, bool, error) {
	s := ChartScenario{Round: k.round, Scenario: Scenario{Name: k.name, Want: k.want, Limit: "12m", Races: k.races, Facts: k.facts, Bootstrap: k.bootstrap, Repo: map[string][]byte{}}}
	single := len(k.parts) == 1
	for _, p := range k.parts {
		if p.chart != "" && c[p.chart] == nil {
			return s, false, nil
		}
		if p.chart != "" {
			s.Charts = append(s.Charts, p.chart)
		}
		content, err := c.content(p)
		if err != nil {
			return s, false, err
		}
		options := append([]string{"ServerSideApply=true", "CreateNamespace=true"}, p.options...)
		name, path, file := "$NAME-"+p.name, p.name, "app/"+p.name+".yaml"
		if single {
			name, path, file = "$NAME", "app", "root.yaml"
		}
		app := ApplicationYAML(name, path, p.wave, options...)
		s.Repo[file] = bytes.Replace(app, []byte("namespace: $NAME}"), []byte("namespace: "+c.destination(k, p)+"}"), 1)
		s.Repo[path+"/objects.yaml"] = content
	}
	if !single {
		s.Repo["root.yaml"] = ApplicationYAML("$NAME", "app", "", "ServerSideApply=true")
	}
	return s, true, nil
}

// destination is the namespace of the part's chart, or of the case's first chart for a part without one.
func (c Corpus) destination(k chartCase, p part) string {
	for _, chart := range []string{p.chart, k.parts[0].chart} {
		if chart != "" {
			return c.namespace(chart)
		}
	}
	return "default"
}

// content writes the objects of a part, and a Namespace for each namespace that they name and that nobody makes.
func (c Corpus) content(p part) ([]byte, error) {
	var out bytes.Buffer
	made, named := map[string]bool{"default": true, "kube-system": true, c.namespace(p.chart): true}, map[string]bool{}
	for _, o := range c[p.chart] {
		if p.only != nil && !p.only(o) {
			continue
		}
		b, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, fmt.Errorf("writing an object of %s: %w", p.chart, err)
		}
		if o.GetKind() == "Namespace" {
			made[o.GetName()] = true
		}
		named[o.GetNamespace()] = true
		fmt.Fprintf(&out, "---\n%s", b)
	}
	var missing []string
	for ns := range named {
		if ns != "" && !made[ns] {
			missing = append(missing, ns)
		}
	}
	sort.Strings(missing)
	for _, ns := range missing {
		fmt.Fprintf(&out, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", ns)
	}
	if p.more != "" {
		fmt.Fprintf(&out, "---\n%s", p.more)
	}
	return out.Bytes(), nil
}

// Scenarios lays out every case whose charts are in the corpus, by round.
func (c Corpus) Scenarios() (map[int][]ChartScenario, error) {
	rounds := map[int][]ChartScenario{}
	for _, k := range chartCases() {
		s, ok, err := c.scenario(k)
		if err != nil {
			return nil, err
		}
		if ok {
			rounds[k.round] = append(rounds[k.round], s)
		}
	}
	for n, list := range rounds {
		if twice := sharedChart(list); twice != "" {
			return nil, fmt.Errorf("round %d has chart %s twice", n, twice)
		}
	}
	return rounds, nil
}

func sharedChart(list []ChartScenario) string {
	var seen []string
	for _, s := range list {
		own := slices.Clone(s.Charts)
		slices.Sort(own)
		for _, chart := range slices.Compact(own) {
			if slices.Contains(seen, chart) {
				return chart
			}
			seen = append(seen, chart)
		}
	}
	return ""
}
