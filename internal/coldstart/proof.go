package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Verdict says how a cold start ends.
type Verdict string

// The verdicts, from best to worst (docs/decisions/0011).
const (
	Proven    Verdict = "PROVEN"    // ends without a failed attempt
	Retry     Verdict = "RETRY"     // ends after attempts that failed or may fail
	Unhealthy Verdict = "UNHEALTHY" // everything is applied, and something never becomes healthy
	Unknown   Verdict = "UNKNOWN"   // depends on what nobody stated
	Fails     Verdict = "FAILS"     // every attempt fails, and no order cures it
	Deadlock  Verdict = "DEADLOCK"  // waits for ever
)

var severity = []Verdict{Proven, Retry, Unhealthy, Unknown, Fails, Deadlock}

func worse(a, b Verdict) bool { return slices.Index(severity, a) > slices.Index(severity, b) }

// Good reports whether the cluster gets there.
func (v Verdict) Good() bool { return v == Proven || v == Retry }

// Application is one Application object and what a sync of it is given; or an ApplicationSet that no Application applies, of which not
// all that it makes is known.
type Application struct {
	Object    manifest.Object
	Objects   []manifest.Object
	Unknown   []string    // why a part of what it applies is not known
	Broken    []string    // why Argo CD can generate none of its manifests
	Applied   bool        // it stands in a file that no Application applies
	Bootstrap bool        // its objects are applied by hand before Argo CD runs
	Generator manifest.ID // the ApplicationSet that makes it; zero where none does
}

// Given is a fact taken for granted: it holds before the start.
type Given struct {
	Fact    string // as Fact.String writes it: "ability load-balancer-address", "Secret team/token"
	Reason  string
	Owner   string
	Expires string // YYYY-MM-DD
}

// expired reports whether an assumption is past the day until which it was made. Days are compared as they are written.
func expired(g Given, today string) bool { return g.Expires != "" && today != "" && g.Expires < today }

// Reviewed reports whether a person stands behind the assumption.
func (g Given) Reviewed() bool { return g.Reason != "" && g.Owner != "" }

// Input is all that a proof looks at.
type Input struct {
	Version      argocd.Version
	Applications []Application
	Projects     []manifest.Object // that exist before the start
	Clusters     []manifest.Object // Secrets of clusters that are registered before the start
	Filter       argocd.Filter     // the kinds that Argo CD sees
	Impersonates bool              // Argo CD syncs in the name of ServiceAccounts
	Given        []Given
	Hosts        []Host            // that machines ask before anything runs on them
	Network      bool              // nodes have a network before anything is applied
	Today        string            // YYYY-MM-DD: what is given only until a day before it is not given; everything is where it is empty
	Customized   []string          // kinds with an entry in argocd-cm, as GROUP/KIND
	missed       map[string]string // Applications that may be out of sync before anybody has seen them in sync, with the reason
	// Health tells the health of an object as the Argo CD in question does; nil says that it has no check for the kind.
	Health func(manifest.Object) (*argocd.Health, error)
	// HealthWith is Health with one more entry in argocd-cm; nil where cures need not be looked for.
	HealthWith func(key, lua string) (func(manifest.Object) (*argocd.Health, error), error)

	brake  *brake // nil where nothing ends the proof early
	strict bool   // a cluster that nobody is known to register is none
}

// Link is one step in a chain of causes.
type Link struct {
	Application string
	Phase       argocd.Phase
	Wave        int
	Object      manifest.ID
	Text        string // a clause whose subject is the object
	Lacks       string // the fact that it waits for, as a given states it; empty where it waits for its turn, or for nothing
}

// Outcome is how one Application ends.
type Outcome struct {
	Application string
	Verdict     Verdict
	Ending      Ending
	After       []string // Applications that are healthy before this one is made
	Attempts    int      // that fail or may fail before the one that succeeds, at least
	Blocked     manifest.ID
	Chain       []Link
	Axiom       string     // UNKNOWN: the given that would settle it
	Cure        string     // the smallest changes found that let it end well, or get past what blocks it, proven; empty where none was found
	Then        *Remainder // how it ends after that; nil where it is PROVEN, and where there is no cure
	MayFail     []Moment   // for which an attempt may fail although the verdict is good: the next attempt finds them well
	Notes       []string   // what a person should know beside the verdict
	Parent      string     // the Application that creates it; empty where a person applies it
	Bootstrap   bool       // applied before Argo CD runs
	Stages      []Stage    // from the first to the last
}

// Moment is an object that may make an attempt fail for nothing but a moment.
type Moment struct {
	Object manifest.ID
	Why    string // a clause whose subject is the object
}

// Proof is how a cold start ends.
type Proof struct {
	Verdict     Verdict
	Attempts    int
	Outcomes    []Outcome           // by Application
	Expired     []Given             // stated, and past their date: they count for nothing
	Used        []Given             // the givens without which the verdict would be another, as stated
	Drafts      []string            // facts that, taken for granted, leave nothing UNKNOWN, as far as facts can
	Differences []argocd.Difference // of a line that is not judged from the nearest one that is, as far as they touch the objects
	Judged      bool                // the release line is one that a real Argo CD judges this model on
	Tried       int                 // proofs that the search for cures took
	Bounded     bool                // that search ended early: an outcome without a cure may have one
}

// judgedLines are the release lines that test/e2e runs.
var judgedLines = []argocd.Version{{Major: 2, Minor: 14}, {Major: 3, Minor: 2}}

// Prove simulates Argo CD syncing the Applications onto an empty cluster and says how that ends. For every bad verdict it looks
// for a small change that cures it, and proves it before it names it.
func Prove(in Input) Proof {
	proof, w := run(in)
	if !in.strict && w.strangers() && !worse(proof.Verdict, Unknown) {
		in.strict = true // no end is good that hangs on what nobody is known to do; a bad one is bad all the same
		proof, w = run(in)
	}
	cure(in, &proof, w)
	proof.Drafts = drafts(in, proof, w)
	return proof
}

// drafts grants what is not known, proof by proof, until nothing new is asked for.
func drafts(in Input, proof Proof, w *world) []string {
	var list []string
	for {
		before := len(list)
		for _, o := range proof.Outcomes {
			for _, axiom := range w.axioms(o) {
				if !slices.Contains(list, axiom) {
					list = append(list, axiom)
				}
			}
		}
		if len(list) == before || in.brake.pulled() {
			slices.Sort(list)
			return foldAttempts(list)
		}
		granted := in
		granted.Given = slices.Clone(in.Given)
		for _, fact := range list {
			granted.Given = append(granted.Given, Given{Fact: fact})
		}
		proof, w = run(granted)
	}
}

// axioms returns what an Application with an UNKNOWN end lacks now that nobody known brings and somebody may.
func (w *world) axioms(o Outcome) []string {
	if o.Verdict != Unknown || o.Axiom == "" || len(o.Chain) == 0 {
		return nil
	}
	list := []string{o.Axiom}
	for _, a := range w.named(o.Application) {
		for _, nodes := range a.nodes {
			for _, n := range nodes {
				list = append(list, w.lacks(n)...)
			}
		}
	}
	return list
}

// lacks returns what an object waits for next that nobody known brings and somebody may.
func (w *world) lacks(n *node) []string {
	wanted := n.apply
	switch {
	case n.applied && !n.gate:
		return nil
	case n.applied:
		wanted = n.healthy
	}
	var list []string
	for _, k := range wanted {
		if len(w.provided[k.fact]) > 0 || w.met(k) {
			continue
		}
		if c := w.nobody(n, k, !n.applied); c.verdict == Unknown {
			list = append(list, c.axiom)
		}
	}
	return list
}

// run proves without looking for cures.
func run(in Input) (Proof, *world) {
	w := newWorld(in)
	if in.brake.pulled() {
		return Proof{}, w
	}
	w.bootstrap()
	stalled := w.stalled()
	if other, changed := in.unburdened(stalled); changed {
		return run(other)
	}
	if len(stalled) == 0 {
		w.simulate()
		if missed := w.rob(); in.misses(missed) {
			return run(in)
		}
	}
	if in.brake.pulled() {
		return Proof{}, w
	}
	w.reasons = w.explain(stalled)
	proof := Proof{Verdict: Proven, Judged: slices.Contains(judgedLines, in.Version), Differences: w.differences()}
	for _, a := range w.apps {
		if in.brake.pulled() {
			return Proof{}, w
		}
		var o Outcome
		if len(stalled) > 0 {
			o = w.neverStarts(a, stalled[0])
		} else {
			o = w.outcome(a)
		}
		o.Stages, o.Bootstrap = w.timeline(a), a.in.Bootstrap
		if a.parent != nil {
			o.Parent = a.parent.app.name
		}
		if worse(o.Verdict, proof.Verdict) {
			proof.Verdict = o.Verdict
		}
		proof.Attempts = max(proof.Attempts, o.Attempts)
		proof.Outcomes = append(proof.Outcomes, o)
	}
	for _, g := range in.Given {
		if expired(g, in.Today) {
			proof.Expired = append(proof.Expired, g)
		} else if w.used[g.Fact] {
			proof.Used = append(proof.Used, g)
		}
	}
	return proof, w
}

// Worst returns the worse of two verdicts.
func Worst(a, b Verdict) Verdict {
	if worse(b, a) {
		return b
	}
	return a
}

// Holds returns the assumption that states a fact, where one does which is not past its day.
func Holds(list []Given, fact, today string) (Given, bool) {
	i := slices.IndexFunc(list, func(g Given) bool { return g.Fact == fact && !expired(g, today) })
	if i < 0 {
		return Given{}, false
	}
	return list[i], true
}
