package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// Proof is one proof for programs.
type Proof struct {
	Name         string        `json:"name"`
	Verdict      string        `json:"verdict"`
	Retries      int           `json:"retries,omitempty"`
	ArgoCD       string        `json:"argocd,omitempty"`
	Judged       bool          `json:"judged"`
	Applications []ProvedApp   `json:"applications"`
	Given        []ProvedGiven `json:"given"`
	Expired      []ProvedGiven `json:"expired,omitempty"`
	Notes        []string      `json:"notes,omitempty"`
	Differences  []string      `json:"differences,omitempty"` // of a release line that is not judged
}

// ProvedApp is how one Application ends.
type ProvedApp struct {
	Name    string         `json:"name"`
	Verdict string         `json:"verdict"`
	Ending  string         `json:"ending,omitempty"`
	After   []string       `json:"after,omitempty"`
	Retries int            `json:"retries,omitempty"`
	Blocked *ProvedID      `json:"blocked"`
	Chain   []ProvedLink   `json:"chain"`
	Axiom   string         `json:"axiom,omitempty"`
	Cure    *string        `json:"cure"`
	Then    *ProvedThen    `json:"then,omitempty"`    // after the cure, where that is not PROVEN
	MayFail []ProvedMoment `json:"mayFail,omitempty"` // although the verdict is good
	Notes   []string       `json:"notes,omitempty"`
}

// ProvedThen is how an Application ends once the changes that its cure names are made.
type ProvedThen struct {
	Verdict string       `json:"verdict"`
	Retries int          `json:"retries,omitempty"`
	Blocked *ProvedID    `json:"blocked"`
	Chain   []ProvedLink `json:"chain"`
	Axiom   string       `json:"axiom,omitempty"`
}

// ProvedID names an object.
type ProvedID struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// ProvedMoment is an object for which one attempt may fail, and the next does not.
type ProvedMoment struct {
	Object *ProvedID `json:"object"`
	Why    string    `json:"why"`
}

// ProvedLink is one cause.
type ProvedLink struct {
	Application string    `json:"application,omitempty"`
	Phase       string    `json:"phase,omitempty"`
	Wave        int       `json:"wave"`
	Object      *ProvedID `json:"object,omitempty"`
	Text        string    `json:"text"`
}

// ProvedGiven is one assumption that the proof rests on.
type ProvedGiven struct {
	Fact    string `json:"fact"`
	Reason  string `json:"reason,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Expires string `json:"expires,omitempty"`
}

// Proofs returns proofs for programs: one as it is, several as a list.
func Proofs(list []pipeline.Proved) any {
	out := []Proof{}
	for _, p := range list {
		out = append(out, proofOf(p))
	}
	if len(out) == 1 {
		return out[0]
	}
	return out
}

func proofOf(p pipeline.Proved) Proof {
	out := Proof{
		Name: p.Name, Verdict: string(p.Proof.Verdict), Retries: p.Proof.Attempts, ArgoCD: p.Version.String(), Judged: p.Proof.Judged,
		Applications: []ProvedApp{}, Given: []ProvedGiven{}, Notes: notesOf(p),
	}
	for _, o := range p.Proof.Outcomes {
		app := ProvedApp{
			Name: o.Application, Verdict: string(o.Verdict), Ending: string(o.Ending), After: o.After, Retries: o.Attempts,
			Blocked: provedID(o.Blocked), Chain: provedChain(o.Chain), Axiom: o.Axiom, Notes: o.Notes,
		}
		if o.Cure != "" {
			app.Cure = &o.Cure
		}
		if t := o.Then; t != nil {
			app.Then = &ProvedThen{string(t.Verdict), t.Attempts, provedID(t.Blocked), provedChain(t.Chain), t.Axiom}
		}
		for _, m := range o.MayFail {
			app.MayFail = append(app.MayFail, ProvedMoment{provedID(m.Object), m.Why})
		}
		out.Applications = append(out.Applications, app)
	}
	for _, d := range p.Proof.Differences {
		out.Differences = append(out.Differences, d.Says)
	}
	for _, g := range p.Proof.Used {
		out.Given = append(out.Given, ProvedGiven(g))
	}
	for _, g := range p.Proof.Expired {
		out.Expired = append(out.Expired, ProvedGiven(g))
	}
	return out
}

func provedChain(chain []coldstart.Link) []ProvedLink {
	out := []ProvedLink{}
	for _, l := range chain {
		out = append(out, ProvedLink{l.Application, string(l.Phase), l.Wave, provedID(l.Object), l.Text})
	}
	return out
}

func provedID(id manifest.ID) *ProvedID {
	if id == (manifest.ID{}) {
		return nil
	}
	return &ProvedID{id.APIVersion(), id.Kind, id.Namespace, id.Name}
}

// always is what every proof takes for granted (docs/decisions/0011).
const always = "nodes, their network and DNS run, images can be pulled, Argo CD runs and reaches git, storage classes have their provisioner"

// WriteProofs writes proofs for people: the verdict first, then what stands in its way, then what it takes for granted.
func WriteProofs(out io.Writer, list []pipeline.Proved, verbose bool) error {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s: %s\n", manifest.Visible(p.Name), headline(p))
		if len(p.Proof.Outcomes) > 1 {
			fmt.Fprintf(&b, "  Applications: %s\n", tally(p.Proof.Outcomes))
		}
		writeOutcomes(&b, p.Proof.Outcomes, verbose)
		for _, note := range notesOf(p) {
			fmt.Fprintf(&b, "  note: %s\n", manifest.Visible(note))
		}
		for _, d := range p.Proof.Differences {
			fmt.Fprintf(&b, "  differs from what is judged: %s (since Argo CD %s; %s)\n", d.Says, d.Since, d.Source)
		}
		b.WriteString(nextStep(p.Proof))
		fmt.Fprintf(&b, "  always given: %s\n", always)
		for _, g := range p.Proof.Used {
			fmt.Fprintf(&b, "  given: %s\n", manifest.Visible(g.Fact+because(g)))
		}
		for _, g := range p.Proof.Expired {
			fmt.Fprintf(&b, "  expired, counts for nothing: %s\n", manifest.Visible(g.Fact+because(g)))
		}
	}
	_, err := io.WriteString(out, manifest.VisibleLines(b.String()))
	return err
}

// bounded says that an outcome without a cure may have one.
const bounded = "the search for cures ended at its limit: mend what is named, and prove again"

func notesOf(p pipeline.Proved) []string {
	if p.Proof.Bounded {
		return append(slices.Clone(p.Notes), bounded)
	}
	return p.Notes
}

func headline(p pipeline.Proved) string {
	unreviewed := 0
	for _, g := range p.Proof.Used {
		if !g.Reviewed() {
			unreviewed++
		}
	}
	text := string(p.Proof.Verdict)
	if p.Proof.Verdict == coldstart.Retry {
		text = fmt.Sprintf("RETRY(%d)", p.Proof.Attempts)
	}
	if n := len(p.Proof.Used); n > 0 {
		text += fmt.Sprintf(" given %d assumptions", n)
		if unreviewed > 0 {
			text += fmt.Sprintf(" (%d unreviewed)", unreviewed)
		}
	}
	if p.Version != (argocd.Version{}) {
		text += " on Argo CD " + p.Version.String()
		if !p.Proof.Judged {
			text += ", a line that this proof is not judged on"
		}
	}
	return text
}

func because(g coldstart.Given) string {
	if !g.Reviewed() {
		return " (unreviewed)"
	}
	text := " (" + g.Reason + "; " + g.Owner
	if g.Expires != "" {
		text += ", until " + g.Expires
	}
	return text + ")"
}

// causeText is the verdict and, on lines of their own, what leads to it.
func causeText(o coldstart.Outcome) string {
	text := string(o.Verdict)
	if o.Verdict == coldstart.Retry {
		text = fmt.Sprintf("RETRY(%d)", o.Attempts)
	}
	text += "\n"
	for _, l := range o.Chain {
		text += fmt.Sprintf("    ▸ %s\n", manifest.Visible(linkText(l)))
	}
	switch {
	case o.Axiom != "" && len(o.Chain) > 0:
		text += fmt.Sprintf("    would be settled by given: %s\n", manifest.Visible(o.Axiom))
	case o.Axiom != "":
		text += fmt.Sprintf("    not known: %s\n", manifest.Visible(o.Axiom))
	}
	if o.Cure != "" {
		text += fmt.Sprintf("    cure: %s\n", strings.ReplaceAll(o.Cure, "\n", "\n      "))
	}
	if o.Then != nil {
		text += afterwards(*o.Then)
	}
	return text
}

// afterwards says how an Application ends once it is cured of what is named first.
func afterwards(t coldstart.Remainder) string {
	if t.Verdict == coldstart.Retry {
		return fmt.Sprintf("      after which it ends RETRY(%d)\n", t.Attempts)
	}
	text := fmt.Sprintf("      after which this remains, %s:\n", t.Verdict)
	for _, l := range t.Chain {
		text += fmt.Sprintf("      ▸ %s\n", manifest.Visible(linkText(l)))
	}
	if t.Axiom != "" {
		text += fmt.Sprintf("      would be settled by given: %s\n", manifest.Visible(t.Axiom))
	}
	return text
}

// linkText writes one cause on one line.
func linkText(l coldstart.Link) string {
	if l.Object == (manifest.ID{}) {
		return l.Text
	}
	place := ""
	if l.Phase != "" {
		place = fmt.Sprintf("%s wave %d", l.Application, l.Wave)
		if l.Phase != argocd.Sync {
			place = fmt.Sprintf("%s %s wave %d", l.Application, l.Phase, l.Wave)
		}
		place += " ▸ "
	}
	return place + l.Object.String() + " " + l.Text
}
