package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// blocker is an object that keeps its Application from going on, with what it lacks.
type blocker struct {
	node  *node
	lacks need
	apply bool // it cannot be applied; else it is not healthy
}

// cause is why something does not happen.
type cause struct {
	verdict Verdict
	links   []Link
	axiom   string
}

// outcome says how one Application ends.
func (w *world) outcome(a *app) Outcome {
	o := Outcome{Application: a.name, Verdict: Proven, Attempts: len(a.failures), Notes: w.notes(a)}
	switch {
	case !a.done():
		c := w.reasons.chain(w.reasons.apps[a])
		o.Verdict, o.Chain, o.Axiom, o.Blocked = c.verdict, c.links, c.axiom, w.reasons.blocked(a)
	case len(a.in.Unknown) > 0:
		o.Verdict, o.Axiom = Unknown, a.in.Unknown[0]
	default:
		w.health(a, &o)
	}
	if o.Verdict == Proven && o.Attempts > 0 {
		o.Verdict = Retry
		w.patience(a, &o)
	}
	if a.balks && o.Verdict == Unhealthy {
		o.Verdict = Fails
	}
	if o.Verdict.Good() {
		o.MayFail = w.mayFail(a)
	}
	o.Ending, o.After = w.ending(a, o.Verdict), w.after(a)
	return o
}

// attemptsOf begins the fact that the attempts of one Application suffice; attemptsOfAll says it of all.
const (
	attemptsOf    = "attempts "
	attemptsOfAll = attemptsOf + "*"
)

// foldAttempts says in one draft what would be said of more than one Application.
func foldAttempts(list []string) []string {
	one := func(fact string) bool { return strings.HasPrefix(fact, attemptsOf) }
	first := slices.IndexFunc(list, one)
	if first < 0 || !slices.ContainsFunc(list[first+1:], one) {
		return list
	}
	list[first] = attemptsOfAll
	return append(list[:first+1], slices.DeleteFunc(list[first+1:], one)...)
}

// patience asks whether the attempts that Argo CD makes by itself outlast what they wait for: five, within minutes
// (docs/decisions/0017). A limit that is stated is taken to be meant, and a person who syncs a root syncs it again.
func (w *world) patience(a *app, o *Outcome) {
	_, stated := a.limit()
	axiom := attemptsOf + a.name
	if stated || a.in.Object.Get("spec", "syncPolicy", "automated") == nil || w.givenText(axiom) || w.givenText(attemptsOfAll) {
		return
	}
	text := "states no retry limit, and Argo CD gives up after five attempts, within minutes: " + a.failures[0].String()
	o.Verdict, o.Axiom, o.Blocked = Unknown, axiom, a.in.Object.ID()
	o.Chain = []Link{{Application: a.name, Object: a.in.Object.ID(), Text: text}}
}

// health judges an Application whose sync succeeds: something of it may never become healthy.
func (w *world) health(a *app, o *Outcome) {
	unwell := w.reasons.unwell[a]
	if unwell == nil {
		return
	}
	c := w.reasons.chain(unwell)
	o.Chain, o.Axiom, o.Verdict, o.Blocked = c.links, c.axiom, Unhealthy, unwell.via.object.id
	if c.verdict == Unknown {
		o.Verdict = Unknown
	}
}

// blockers returns the objects that keep the current step, or the dry run, from passing.
func (w *world) blockers(a *app) []blocker {
	if !a.checked {
		return w.dryRun(a)
	}
	var list []blocker
	for _, n := range a.nodes[a.at] {
		if !n.applied || w.waits(n) && !n.well {
			list = append(list, blocker{node: n, apply: !n.applied})
		}
	}
	return list
}

// comesBefore reports whether a need is none of the reasons why an object is not applied: its step is not reached, and by then the
// same sync has provided it.
func (w *world) comesBefore(k need, n *node) bool {
	if n.app.active && n.app.checked && n.app.at >= n.step {
		return false
	}
	return slices.ContainsFunc(w.provided[k.fact], func(p provision) bool { return p.node.app == n.app && p.node != n && p.node.step <= n.step })
}

// held says where an object stands that is not reached.
func held(n *node) string {
	a, subject, end := n.app, "is in ", ", which is not reached"
	if n == a.maker {
		subject, end = "is made (CreateNamespace=true) by the sync of ", ", which does not begin"
	}
	switch {
	case !a.active:
		return subject + "Application " + a.name + ", in " + a.parent.place() + " of " + a.parent.app.name + ", which is not reached"
	case n == a.maker:
		return subject + "Application " + a.name + end
	}
	return subject + n.place() + " of " + a.name + end
}

func rank(n *node) int { return argocd.KindOrder(n.id.Kind) }

// clause ends what a need says where nothing follows it: some of them leave off at a comma.
func clause(why string) string { return strings.TrimSuffix(why, ",") }

func link(n *node, text string) Link {
	s := n.stage()
	return Link{Application: n.app.name, Phase: s.Phase, Wave: s.Wave, Object: n.id, Text: clause(text)}
}
