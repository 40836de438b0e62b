package report

import (
	"fmt"
	"slices"

	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// proofView is one proof as pictures show it: what hangs, then a lane for each Application that creates others.
type proofView struct {
	Name, Headline, Verdict, Sentence string
	Tone                              string     // good, warn, bad, unknown
	Hangs                             []hangView // what ends badly
	Unknown                           []hangView // what nobody stated
	Lanes                             []laneView
	Apps                              []appView
	Given                             []string
	Notes                             []string
	Counts                            []countView
}

// countView is how many Applications end in one way.
type countView struct {
	Verdict, Tone string
	Number        int
}

// hangView is one chain of causes, and every Application that it keeps from ending well.
type hangView struct {
	Verdict, Tone string
	Apps          []string
	Links         []linkView
	Circle        bool // it ends where it began
	Cure, Axiom   string
}

// linkView is one cause.
type linkView struct{ Place, Kind, Name, Text string }

// laneView is what one Application does over time.
type laneView struct {
	Name, Under string
	Columns     []columnView
}

// columnView is one wave of a lane.
type columnView struct {
	Title, State string // passed, stopped, waiting
	Cards        []cardView
	More         int // objects beside the cards
	Gate         gateView
}

// gateView is what stands between a wave and the next.
type gateView struct {
	Last    bool
	Beyond  bool     // behind where it hangs: nobody ever stands there
	Waits   int      // for how many objects
	Never   []string // those that never get there
	Healthy []string // some of those that do
}

// cardView is one Application in a wave.
type cardView struct {
	Name, Verdict, Tone string
	Bootstrap           bool
	Objects             string
	Steps               []stepView // where it has more than one
}

// stepView is one step inside an Application.
type stepView struct{ Title, State string }

// appView is how one Application ends, in words.
type appView struct {
	Name, Verdict, Tone string
	Objects             int
	Notes               []string
}

var tones = map[coldstart.Verdict]string{
	coldstart.Proven: "good", coldstart.Retry: "warn", coldstart.Unhealthy: "warn", coldstart.Unknown: "unknown",
	coldstart.Fails: "bad", coldstart.Deadlock: "bad",
}

func newProofView(p pipeline.Proved) proofView {
	v := proofView{
		Name: p.Name, Headline: headline(p), Verdict: string(p.Proof.Verdict), Tone: tones[p.Proof.Verdict],
		Sentence: sentence(p.Proof), Notes: p.Notes, Given: []string{always},
	}
	for _, g := range p.Proof.Used {
		v.Given = append(v.Given, g.Fact+because(g))
	}
	for _, o := range p.Proof.Outcomes {
		v.Apps = append(v.Apps, appView{o.Application, verdictText(o), tones[o.Verdict], objectsOf(o), o.Notes})
	}
	v.Counts = counts(p.Proof.Outcomes)
	for _, h := range hangs(p.Proof.Outcomes) {
		if h.Verdict == string(coldstart.Unknown) {
			v.Unknown = append(v.Unknown, h)
			continue
		}
		v.Hangs = append(v.Hangs, h)
	}
	v.Lanes = lanes(p.Proof.Outcomes)
	return v
}

// sentence says what the verdict means for whoever builds the cluster.
func sentence(p coldstart.Proof) string {
	stuck := 0
	for _, o := range p.Outcomes {
		if !o.Verdict.Good() {
			stuck++
		}
	}
	of := fmt.Sprintf("%d of %d Applications", stuck, len(p.Outcomes))
	switch p.Verdict {
	case coldstart.Proven:
		return "The cluster comes up from nothing, each step at its first attempt."
	case coldstart.Retry:
		return fmt.Sprintf("The cluster comes up from nothing, after attempts that fail (at least %d for one Application).", p.Attempts)
	case coldstart.Unhealthy:
		return "Everything is applied, and something never becomes healthy: " + of + " do not end well."
	case coldstart.Unknown:
		return "It depends on what nobody stated: " + of + " cannot be told."
	case coldstart.Fails:
		return "The cluster does not come up from nothing: every attempt fails. " + of + " do not end well."
	}
	return "The cluster does not come up from nothing: something waits for what comes later, or never. " + of + " do not end well."
}

func verdictText(o coldstart.Outcome) string {
	if o.Verdict == coldstart.Retry {
		return fmt.Sprintf("RETRY(%d)", o.Attempts)
	}
	return string(o.Verdict)
}

func objectsOf(o coldstart.Outcome) int {
	sum := 0
	for _, s := range o.Stages {
		sum += s.Objects
	}
	return sum
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func counts(outcomes []coldstart.Outcome) []countView {
	var list []countView
	for _, v := range []coldstart.Verdict{coldstart.Deadlock, coldstart.Fails, coldstart.Unhealthy, coldstart.Unknown, coldstart.Retry, coldstart.Proven} {
		n := 0
		for _, o := range outcomes {
			if o.Verdict == v {
				n++
			}
		}
		if n > 0 {
			list = append(list, countView{string(v), tones[v], n})
		}
	}
	return list
}

// cureText is the cure in one line, and what it comes to where that is not PROVEN.
func cureText(o coldstart.Outcome) string {
	if o.Cure == "" || o.Then == nil {
		return o.Cure
	}
	return o.Cure + " (after which it ends " + string(o.Then.Verdict) + ")"
}

// hangs gathers the chains: one for all Applications that end with the same links, the worst and those that hold up most first.
func hangs(outcomes []coldstart.Outcome) []hangView {
	index := map[string]int{}
	var list []hangView
	for _, o := range outcomes {
		if o.Verdict.Good() || len(o.Chain) == 0 {
			continue
		}
		h := hangView{Verdict: string(o.Verdict), Tone: tones[o.Verdict], Cure: cureText(o), Axiom: o.Axiom, Circle: circular(o.Chain)}
		for _, l := range o.Chain {
			h.Links = append(h.Links, viewOf(l))
		}
		key := firstText(o.Cure, fmt.Sprint(tail(h.Links)))
		at, known := index[key]
		if !known {
			at = len(list)
			index[key] = at
			list = append(list, h)
		}
		list[at].join(h, o.Application)
	}
	slices.SortStableFunc(list, func(a, b hangView) int {
		if c := rankOf(b.Verdict) - rankOf(a.Verdict); c != 0 {
			return c
		}
		return len(b.Apps) - len(a.Apps)
	})
	return list
}

// join adds an Application that ends by the same cause, or is cured by the same change. The chain that comes round tells the most,
// else the one that tells the whole way; the worst verdict names it.
func (h *hangView) join(other hangView, app string) {
	if other.Circle && !h.Circle || other.Circle == h.Circle && len(other.Links) > len(h.Links) {
		h.Links, h.Circle = other.Links, other.Circle
	}
	if rankOf(other.Verdict) > rankOf(h.Verdict) {
		h.Verdict, h.Tone = other.Verdict, other.Tone
	}
	h.Apps = append(h.Apps, app)
	h.Cure, h.Axiom = firstText(h.Cure, other.Cure), firstText(h.Axiom, other.Axiom)
}

// tail is the end of a chain, which those that begin elsewhere share.
func tail(links []linkView) []linkView { return links[max(0, len(links)-2):] }

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func rankOf(verdict string) int {
	return slices.Index([]string{"UNKNOWN", "UNHEALTHY", "FAILS", "DEADLOCK"}, verdict)
}

// circular reports whether the last link names an object that an earlier one names.
func circular(chain []coldstart.Link) bool {
	last := chain[len(chain)-1]
	return last.Object != (manifest.ID{}) && slices.ContainsFunc(chain[:len(chain)-1], func(l coldstart.Link) bool { return l.Object.Same(last.Object) })
}

func viewOf(l coldstart.Link) linkView {
	if l.Object == (manifest.ID{}) {
		return linkView{Text: l.Text}
	}
	view := linkView{Kind: l.Object.Kind, Name: objectName(l.Object), Text: l.Text, Place: l.Application}
	if l.Phase != "" {
		view.Place += " ▸ " + stepTitle(l.Phase, l.Wave)
	}
	return view
}

func objectName(id manifest.ID) string {
	if id.Namespace == "" {
		return id.Name
	}
	return id.Namespace + "/" + id.Name
}
