package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

var update = flag.Bool("update", false, "write the golden files")

func id(group, kind, namespace, name string) manifest.ID {
	return manifest.ID{Group: group, Version: "v1", Kind: kind, Namespace: namespace, Name: name}
}

func link(app string, wave int, object manifest.ID, text string) coldstart.Link {
	return coldstart.Link{Application: app, Phase: argocd.Sync, Wave: wave, Object: object, Text: text}
}

// incident is a root whose first wave waits for what its second brings; name is the name of one of its Applications.
func incident(name string) pipeline.Proved {
	service, pool := id("", "Service", "kube-system", "web"), id("metallb.io", "IPAddressPool", "kube-system", "pool")
	application := id("argoproj.io", "Application", "argocd", name)
	waits := link(name, 0, service, "waits for an address")
	later := link("pools", 0, pool, "is in Application pools, in wave 1 of root, which is not reached")
	held := link("root", 0, application, "is waited for until it is in sync and healthy")
	end := link(name, 0, service, "is what waits")
	cure := "move Application pools to wave 0 of root"
	stage := func(wave int, state coldstart.StageState, objects int, children ...string) coldstart.Stage {
		return coldstart.Stage{Phase: argocd.Sync, Wave: wave, State: state, Objects: objects, Children: children}
	}
	stopped := stage(0, coldstart.Stopped, 3, name, "other")
	stopped.Gates = []coldstart.Gate{{Object: application}, {Object: id("argoproj.io", "Application", "argocd", "other"), Well: true}}
	before := stage(0, coldstart.Passed, 1)
	before.Phase = argocd.PreSync
	return pipeline.Proved{
		Name: "lab", Version: argocd.Version{Major: 3, Minor: 2}, Notes: []string{"a note"},
		Proof: coldstart.Proof{
			Verdict: coldstart.Deadlock, Judged: true,
			Used: []coldstart.Given{{Fact: "reachable vault.example.internal"}, {Fact: "Secret a/b", Reason: "restored by hand", Owner: "platform", Expires: "2030-01-01"}},
			Outcomes: []coldstart.Outcome{
				{Application: name, Verdict: coldstart.Unhealthy, Blocked: service, Chain: []coldstart.Link{waits, later, held, end}, Cure: cure, Parent: "root", Stages: []coldstart.Stage{before, stage(0, coldstart.Passed, 2)}, Bootstrap: true},
				{Application: "other", Verdict: coldstart.Retry, Attempts: 2, Parent: "root", Notes: []string{"an attempt may fail"}, Stages: []coldstart.Stage{stage(0, coldstart.Passed, 1)}},
				{Application: "pools", Verdict: coldstart.Deadlock, Ending: coldstart.Absent, Blocked: application, Chain: []coldstart.Link{held, waits, later}, Cure: cure, Parent: "root", Stages: []coldstart.Stage{stage(0, coldstart.NotReached, 1)}},
				{Application: "redis", Verdict: coldstart.Unknown, Axiom: "kind Redis.example.com", Chain: []coldstart.Link{link("redis", 0, id("example.com", "Redis", "a", "r"), "is of a kind"), {Text: "kind Redis.example.com comes from nobody"}}, Stages: []coldstart.Stage{stage(0, coldstart.Stopped, 1)}},
				{Application: "root", Verdict: coldstart.Deadlock, Blocked: application, Chain: []coldstart.Link{held, waits, later}, Cure: cure, Stages: []coldstart.Stage{stopped, stage(1, coldstart.NotReached, 1, "pools")}},
			},
		},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", file, diff)
	}
}

// TestProofFormats holds what people and programs read against golden files.
func TestProofFormats(t *testing.T) {
	list := []pipeline.Proved{incident("web")}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"proof.txt":  func(b *bytes.Buffer) error { return WriteProofs(b, list, false) },
		"proof.json": func(b *bytes.Buffer) error { return WriteJSON(b, Proofs(list)) },
		"proof.mmd":  func(b *bytes.Buffer) error { return WriteProofMermaid(b, list) },
		"proof.html": func(b *bytes.Buffer) error { return WriteProofPage(b, list) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

// TestProofJSON states the fields that programs rely on, whatever the verdict.
func TestProofJSON(t *testing.T) {
	data, err := json.Marshal(Proofs([]pipeline.Proved{incident("web")}))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Verdict      string
		Given        []map[string]any
		Applications []map[string]any
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Verdict != "DEADLOCK" || len(got.Given) != 2 {
		t.Errorf("verdict %s, given %v", got.Verdict, got.Given)
	}
	for _, app := range got.Applications {
		for _, field := range []string{"name", "verdict", "blocked", "chain", "cure"} {
			if _, there := app[field]; !there {
				t.Errorf("%v has no %s", app["name"], field)
			}
		}
	}
	want := map[string]any{"apiVersion": "v1", "kind": "Service", "namespace": "kube-system", "name": "web"}
	if diff := cmp.Diff(any(want), got.Applications[0]["blocked"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// evil is a name that every format would take for its own signs, were it not escaped.
const evil = "</title><script>alert(1)</script>\"]; end %%{init}%% [x](javascript:y) | `z` & #35; \n subgraph"

// TestProofPageIsOneFile parses the page: no script, nothing loaded from elsewhere, and every text is text.
func TestProofPageIsOneFile(t *testing.T) {
	var b bytes.Buffer
	if err := WriteProofPage(&b, []pipeline.Proved{incident(evil)}); err != nil {
		t.Fatal(err)
	}
	for what, pattern := range map[string]string{
		"an element that runs or loads": `<(script|link|img|iframe|object|embed|a|base|form)\b`,
		"an attribute that does":        `<[^>]*\s(on\w+|src|href|action|xlink:href)=`,
		"something outside of itself":   `url\(|@import|https?://`,
	} {
		if found := regexp.MustCompile(pattern).Find(b.Bytes()); found != nil {
			t.Errorf("the page has %s: %s", what, found)
		}
	}
	if !strings.Contains(html.UnescapeString(b.String()), evil) || strings.Contains(b.String(), evil) {
		t.Error("the name does not stand in the page as a text")
	}
}

// TestProofPageTells states what a newcomer sees: one picture of one cause, its way round, who is kept, and where the waves end.
func TestProofPageTells(t *testing.T) {
	v := newProofView(incident("web"))
	if len(v.Hangs) != 1 || len(v.Unknown) != 1 {
		t.Fatalf("%d causes and %d unknown, want one of each: %v", len(v.Hangs), len(v.Unknown), v.Hangs)
	}
	h := v.Hangs[0]
	if diff := cmp.Diff([]string{"web", "pools", "root"}, h.Apps); diff != "" || h.Verdict != "DEADLOCK" || !h.Circle || h.Cure == "" || len(h.Links) != 4 {
		t.Errorf("%+v (-want +got):\n%s", h, diff)
	}
	if len(v.Lanes) != 2 || v.Lanes[0].Name != "root" || len(v.Lanes[0].Columns) != 2 {
		t.Fatalf("lanes %+v", v.Lanes)
	}
	first, second := v.Lanes[0].Columns[0], v.Lanes[0].Columns[1]
	if diff := cmp.Diff(gateView{Waits: 2, Never: []string{"web"}, Healthy: []string{"other"}}, first.Gate); diff != "" || first.State != "stopped" || first.More != 1 {
		t.Errorf("%+v (-want +got):\n%s", first, diff)
	}
	if second.State != "not-reached" || second.Cards[0].Verdict != "never starts" {
		t.Errorf("%+v", second)
	}
}

// mermaidLine is the part of Mermaid's grammar that is used: a line is one of these, and quotes hold no sign of Mermaid's own.
var mermaidLine = regexp.MustCompile(`^(flowchart TB| *subgraph g\d+\["[^"\[\]{}|<>` + "`" + `]*"\]| *direction (TB|LR)| *end| *n\d+\["(?:[^"\[\]{}|<>` + "`" + `]|<br/>)*"\]|` +
	` *n\d+ (==>|-\.->|-->|--x|(-\.->|-->|--x)\|"[^"|<>]*"\|) n\d+| *classDef \w+ [\w:#,\- ]+| *class n\d+(,n\d+)* \w+)$`)

// TestProofMermaid holds every line against the grammar, with a name that would break it. (The real parser took the same text.)
func TestProofMermaid(t *testing.T) {
	var b bytes.Buffer
	if err := WriteProofMermaid(&b, []pipeline.Proved{incident("web"), incident(evil)}); err != nil {
		t.Fatal(err)
	}
	if file := os.Getenv("GEN_MERMAID_OUT"); file != "" {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	depth := 0
	for line := range strings.Lines(strings.TrimRight(b.String(), "\n")) {
		line = strings.TrimRight(line, "\n")
		if !mermaidLine.MatchString(line) {
			t.Errorf("no line of a flowchart: %s", line)
		}
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "subgraph"):
			depth++
		case strings.TrimSpace(line) == "end":
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d subgraphs are not closed", depth)
	}
}
