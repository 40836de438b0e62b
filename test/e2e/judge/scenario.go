package judge

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"
)

// Want is the verdict that is true of a scenario and, where one object blocks, that object as "Kind name".
type Want struct {
	Verdict Verdict `json:"verdict"`
	Blocked string  `json:"blocked,omitempty"`
	MayFail string  `json:"mayFail,omitempty"` // the object for which an attempt may fail all the same
}

// Scenario is a repository, what is there before, and the end that is expected.
type Scenario struct {
	Name      string            `json:"-"`
	Given     []string          `json:"given"`     // archives of testdata/given that are applied first, with the facts they make true
	Facts     []string          `json:"facts"`     // further facts that hold before the start
	Health    string            `json:"health"`    // which health scripts Argo CD has: those that are generated if empty, "none", or "handed-on"
	Servers   int               `json:"servers"`   // how many API servers the one that runs is told of; 1 if 0. Of 2 it establishes CRDs 5 s late
	Argo      []string          `json:"argo"`      // lines of Argo CD that it is about, as "3.2"; all if empty
	Limit     string            `json:"limit"`     // how long a good end may take; 5m if empty
	Bootstrap []string          `json:"bootstrap"` // folders of the repository whose objects are applied by hand first
	Hold      []string          `json:"hold"`      // Applications $NAME-… that Argo CD leaves alone until the others have ended or failed
	Want      Want              `json:"want"`      // the end of the first commit
	Axiom     string            `json:"axiom"`     // UNKNOWN: the fact that is missing
	Races     bool              `json:"races"`     // no failed attempt is needed for RETRY; a twin with `hold` shows one that fails
	Remove    []string          `json:"remove"`    // files that the second commit removes
	End       Ending            `json:"end"`       // how the root ends after the second commit
	Repo      map[string][]byte `json:"-"`
	Then      map[string][]byte `json:"-"` // the second commit, made once the first has ended
}

// LoadScenario reads a txtar archive: scenario.yaml, repo/…, then/…. Where repo/root.yaml is missing, the root is an
// Application of the folder app with the retry policy that is generated.
func LoadScenario(path string) (Scenario, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return Scenario{}, fmt.Errorf("reading a scenario: %w", err)
	}
	s := Scenario{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), Repo: map[string][]byte{}, Then: map[string][]byte{}}
	for _, f := range archive.Files {
		switch folder, rest, _ := strings.Cut(f.Name, "/"); folder {
		case "scenario.yaml":
			if err := yaml.UnmarshalStrict(f.Data, &s); err != nil {
				return s, fmt.Errorf("reading %s: scenario.yaml: %w", path, err)
			}
		case "repo":
			s.Repo[rest] = f.Data
		case "then":
			s.Then[rest] = f.Data
		default:
			return s, fmt.Errorf("reading %s: %s belongs to nothing", path, f.Name)
		}
	}
	if s.Repo["root.yaml"] == nil {
		s.Repo["root.yaml"] = ApplicationYAML("$NAME", "app", "", "ServerSideApply=true")
	}
	return s, s.check(path)
}

// healths are the sets of health scripts: what is generated; none; and one for Applications alone, which hands on the health that an
// Application states, as Argo CD's documentation has it.
var healths = []string{"", "none", "handed-on"}

const handedOn = `if obj.status ~= nil and obj.status.health ~= nil and obj.status.health.status ~= nil then
  return {status = obj.status.health.status, message = obj.status.health.message or ""}
end
return {status = "Progressing", message = ""}`

func (s Scenario) check(path string) error {
	second := len(s.Then)+len(s.Remove) > 0
	switch {
	case !slices.Contains(healths, s.Health):
		return fmt.Errorf("reading %s: health %q is none of %q", path, s.Health, healths)
	case shown[s.Want.Verdict] == nil:
		return fmt.Errorf("reading %s: want.verdict %q is none", path, s.Want.Verdict)
	case second != (s.End != ""):
		return fmt.Errorf("reading %s: end says how the second commit ends: both or none", path)
	case (s.Want.Verdict == Unknown) != (s.Axiom != ""):
		return fmt.Errorf("reading %s: axiom says what UNKNOWN lacks: both or none", path)
	}
	return nil
}

func (s Scenario) good() bool { return s.Want.Verdict == Proven || s.Want.Verdict == Retry }

// about reports whether the scenario is played on a version of Argo CD.
func (s Scenario) about(argo string) bool {
	return len(s.Argo) == 0 || slices.ContainsFunc(s.Argo, func(line string) bool { return strings.HasPrefix(argo, line+".") })
}

// on gives the scenario as it is for a version: before 3.2 retry.refresh does not exist, and a server-side apply of an Application
// with it is refused ("field not declared in schema").
func (s Scenario) on(argo string) Scenario {
	if !strings.HasPrefix(argo, "2.") {
		return s
	}
	older := func(files map[string][]byte) map[string][]byte {
		out := map[string][]byte{}
		for name, b := range files {
			out[name] = bytes.ReplaceAll(b, []byte("refresh: true, "), nil)
		}
		return out
	}
	s.Repo, s.Then = older(s.Repo), older(s.Then)
	return s
}

func (s Scenario) limit() time.Duration {
	if d, err := time.ParseDuration(s.Limit); err == nil {
		return d
	}
	return 5 * time.Minute
}

// ApplicationYAML writes an Application of one folder of $REPO, with the retry policy of a generated one but shorter pauses.
func ApplicationYAML(name, path, wave string, options ...string) []byte {
	annotations := ""
	if wave != "" {
		annotations = fmt.Sprintf(", annotations: {argocd.argoproj.io/sync-wave: %q}", wave)
	}
	return fmt.Appendf(nil, applicationText, name, annotations, path, strings.Join(options, ", "))
}

const applicationText = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: %s, namespace: argocd%s}
spec:
  project: default
  source: {repoURL: $REPO, path: %s, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: $NAME}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    retry: {limit: -1, refresh: true, backoff: {duration: 3s, factor: 2, maxDuration: 10s}}
    syncOptions: [%s]
`

// longText stands for what a readable file should not hold: a description that is longer than an annotation may be.
const longText = "$LONG"

func (s Scenario) fill(files map[string][]byte, url string) map[string][]byte {
	out := map[string][]byte{}
	for name, b := range files {
		b = bytes.ReplaceAll(b, []byte("$NAME"), []byte(s.Name))
		b = bytes.ReplaceAll(b, []byte("$REPO"), []byte(url))
		out[name] = bytes.ReplaceAll(b, []byte(longText), bytes.Repeat([]byte("long "), 60000))
	}
	return out
}

// Given is what is applied before the start, and the facts that are true then.
type Given struct {
	Folder  string   `json:"folder"` // of the repository, applied whole
	Facts   []string `json:"facts"`
	Objects []byte   `json:"-"`
}

// LoadGiven reads testdata/given/NAME.txtar: given.yaml, objects.yaml.
func LoadGiven(name string) (Given, error) {
	path := filepath.Join("testdata", "given", name+".txtar")
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return Given{}, fmt.Errorf("reading what is given: %w", err)
	}
	var g Given
	for _, f := range archive.Files {
		switch f.Name {
		case "given.yaml":
			if err := yaml.UnmarshalStrict(f.Data, &g); err != nil {
				return g, fmt.Errorf("reading %s: %w", path, err)
			}
		case "objects.yaml":
			g.Objects = f.Data
		default:
			return g, fmt.Errorf("reading %s: %s belongs to nothing", path, f.Name)
		}
	}
	return g, nil
}

// facts gives all that holds before the start.
func (s Scenario) facts() ([]string, error) {
	out := slices.Clone(s.Facts)
	for _, name := range s.Given {
		g, err := LoadGiven(name)
		if err != nil {
			return nil, err
		}
		out = append(out, g.Facts...)
	}
	return out, nil
}
