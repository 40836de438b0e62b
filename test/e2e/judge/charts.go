package judge

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// ChartScenario is a scenario made of public charts, which are read at run time and never kept here. Scenarios of one round are
// played side by side on one cluster: no chart is twice in it, and addresses, volumes and a health script are there in all of it
// or in none.
type ChartScenario struct {
	Scenario
	Charts []string
}

// part is one Application of a chart scenario: objects of a chart, and more.
type part struct {
	name, wave string
	chart      string
	gen        string                  // the chart is rendered by gen, from its archive, as a component with these lines of YAML
	only       func(*kube.Object) bool // of the chart; all if nil
	more       string
	options    []string
}

// asShipped are the lines of a component of which nothing is said.
const asShipped = "{}"

// chartCase is how a chart scenario is written down. One part makes the root itself; several are children of a root.
type chartCase struct {
	name   string
	round  int
	want   Want
	only3  bool // not played on Argo CD 2, where a race that nothing decides ends it one way or the other
	axiom  string
	races  bool
	hold   []string
	health string
	facts  []string
	parts  []part

	bootstrap []string // parts that are applied by hand, as the proof takes those for that bring the network
}

// scenario lays a case out as a repository.
func (c *Corpus) scenario(ctx context.Context, k chartCase) (ChartScenario, error) {
	s := ChartScenario{Scenario: Scenario{
		Name: k.name, Want: k.want, Axiom: k.axiom, Limit: "12m", Races: k.races, Hold: k.hold,
		Health: k.health, Facts: k.facts, Bootstrap: k.bootstrap, Repo: map[string][]byte{},
	}}
	single := len(k.parts) == 1
	first := c.firstNamespace(ctx, k)
	for _, p := range k.parts {
		objects, err := c.objects(ctx, p)
		if err != nil {
			return s, err
		}
		destination := namespace(objects)
		if p.chart != "" {
			s.Charts = append(s.Charts, p.chart)
		}
		if p.chart == "" {
			destination = first
		}
		content, err := content(p, objects)
		if err != nil {
			return s, err
		}
		options := append([]string{"ServerSideApply=true", "CreateNamespace=true"}, p.options...)
		name, path, file := "$NAME-"+p.name, p.name, "app/"+p.name+".yaml"
		if single {
			name, path, file = "$NAME", "app", "root.yaml"
		}
		app := ApplicationYAML(name, path, p.wave, options...)
		s.Repo[file] = bytes.Replace(app, []byte("namespace: $NAME}"), []byte("namespace: "+destination+"}"), 1)
		s.Repo[path+"/objects.yaml"] = content
	}
	if !single {
		s.Repo["root.yaml"] = ApplicationYAML("$NAME", "app", "", "ServerSideApply=true")
	}
	return s, nil
}

// firstNamespace is that of the first chart of a case, into which the parts without one go.
func (c *Corpus) firstNamespace(ctx context.Context, k chartCase) string {
	for _, p := range k.parts {
		if objects, err := c.objects(ctx, p); err == nil && p.chart != "" {
			return namespace(objects)
		}
	}
	return "default"
}

// namespace is the one that most of a chart's objects name.
func namespace(objects []*kube.Object) string {
	count := map[string]int{}
	for _, o := range objects {
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

// content writes the objects of a part, and a Namespace for each namespace that they name and that nobody makes.
func content(p part, objects []*kube.Object) ([]byte, error) {
	var out bytes.Buffer
	made, named := map[string]bool{"default": true, "kube-system": true, namespace(objects): true}, map[string]bool{}
	for _, o := range objects {
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

// Played is what a corpus makes possible: cases by round, and those that cannot be played, each with the reason.
type Played struct {
	Rounds  map[int][]chartCase
	Skipped map[string]string
}

// Cases sorts every case by its round; those that a line of Argo CD cannot decide are left out.
func (c *Corpus) Cases(argo string) Played {
	out := Played{Rounds: map[int][]chartCase{}, Skipped: map[string]string{}}
	for _, k := range chartCases() {
		if k.only3 && strings.HasPrefix(argo, "2.") {
			out.Skipped[k.name] = "a race that nothing decides on this line"
			continue
		}
		if missing := c.missing(k); missing != "" {
			out.Skipped[k.name] = "no chart " + missing + " in GEN_E2E_CHARTS"
			continue
		}
		out.Rounds[k.round] = append(out.Rounds[k.round], k)
	}
	return out
}

func (c *Corpus) missing(k chartCase) string {
	for _, p := range k.parts {
		if !c.has(p) {
			return p.chart
		}
	}
	return ""
}

// Scenarios lays out the cases of one round.
func (c *Corpus) Scenarios(ctx context.Context, cases []chartCase) ([]ChartScenario, error) {
	var list []ChartScenario
	for _, k := range cases {
		s, err := c.scenario(ctx, k)
		if err != nil {
			return nil, fmt.Errorf("laying out %s: %w", k.name, err)
		}
		list = append(list, s)
	}
	return list, fits(list)
}

// fits says why scenarios cannot be played side by side.
func fits(list []ChartScenario) error {
	if twice := sharedChart(list); twice != "" {
		return fmt.Errorf("a round has chart %s twice", twice)
	}
	for _, s := range list {
		if s.Health != list[0].Health {
			return fmt.Errorf("a round is with and without a health script: %s", s.Name)
		}
		if slices.ContainsFunc(list, func(other ChartScenario) bool { return strings.HasPrefix(other.Name, s.Name+"-") }) {
			return fmt.Errorf("a name of the same round begins with %s-, as its own Applications do", s.Name)
		}
	}
	return nil
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
