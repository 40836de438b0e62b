package coldstart

import (
	"slices"
	"strconv"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
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

// better reports whether a cause says more than another: what is certain first, then what is short.
func (c cause) better(other cause) bool {
	if (c.verdict == Unknown) != (other.verdict == Unknown) {
		return other.verdict == Unknown
	}
	return len(c.links) < len(other.links)
}

// outcome says how one Application ends.
func (w *world) outcome(a *app) Outcome {
	o := Outcome{Application: a.name, Verdict: Proven, Attempts: len(a.failures), Notes: w.notes(a)}
	c, blocked := w.why(a, nil)
	switch {
	case len(blocked) > 0:
		o.Verdict, o.Chain, o.Axiom, o.Blocked = c.verdict, c.links, c.axiom, blocked[0].node.id
	case !a.done():
		o.Verdict, o.Chain, o.Axiom = c.verdict, c.links, c.axiom
	case len(a.in.Unknown) > 0:
		o.Verdict, o.Axiom = Unknown, a.in.Unknown[0]
	default:
		w.health(a, &o)
	}
	if o.Verdict == Proven && o.Attempts > 0 {
		o.Verdict = Retry
		w.patience(a, &o)
	}
	w.rob(a, &o)
	if o.Verdict.Good() {
		o.MayFail = w.mayFail(a)
	}
	o.Ending, o.After = w.ending(a, o.Verdict), w.after(a)
	return o
}

// patience asks whether the attempts that Argo CD makes by itself outlast what they wait for: five, within minutes
// (docs/decisions/0017). A limit that is stated is taken to be meant, and a person who syncs a root syncs it again.
func (w *world) patience(a *app, o *Outcome) {
	_, stated := a.limit()
	axiom := "attempts " + a.name
	if stated || a.in.Object.Get("spec", "syncPolicy", "automated") == nil || w.givenText(axiom) {
		return
	}
	text := "states no retry limit, and Argo CD gives up after five attempts, within minutes: " + a.failures[0].String()
	o.Verdict, o.Axiom, o.Blocked = Unknown, axiom, a.in.Object.ID()
	o.Chain = []Link{{Application: a.name, Object: a.in.Object.ID(), Text: text}}
}

// health judges an Application whose sync succeeds: something of it may never become healthy.
func (w *world) health(a *app, o *Outcome) {
	best := cause{verdict: Unknown}
	for _, n := range a.unwell() {
		c := w.whyNot(blocker{node: n}, nil)
		if o.Blocked == (manifest.ID{}) || c.better(best) {
			best, o.Blocked = c, n.id
		}
	}
	if o.Blocked == (manifest.ID{}) {
		return
	}
	o.Chain, o.Axiom, o.Verdict = best.links, best.axiom, Unhealthy
	if best.verdict == Unknown {
		o.Verdict = Unknown
	}
}

// why returns what keeps an Application from going on, and the objects which do.
func (w *world) why(a *app, stack []*node) (cause, []blocker) {
	switch {
	case a.done():
		return cause{}, nil
	case !a.active:
		n := a.parent
		c, _ := w.why(n.app, stack)
		return c, []blocker{{n, need{}, true}}
	case !a.synced():
		text := "is not synced by anybody: it has no syncPolicy.automated"
		if a.rolling != nil {
			text = "is not synced by anybody: no step of ApplicationSet " + a.rolling.set.id.Name + " takes it"
		}
		return cause{Deadlock, []Link{{Application: a.name, Object: a.in.Object.ID(), Text: text}}, ""}, nil
	case w.behind(a) != nil:
		return w.whyBehind(a, w.behind(a), stack), nil
	case a.barred != "":
		return cause{Fails, []Link{{Application: a.name, Object: a.in.Object.ID(), Text: a.barred}}, ""}, nil
	case a.closed != "":
		return cause{Deadlock, []Link{{Application: a.name, Object: a.in.Object.ID(), Text: a.closed}}, ""}, nil
	case !w.allHold(a.begin):
		return w.whyLacking(a, a.begin, stack), nil
	case a.spent():
		limit, _ := a.limit()
		text := "has used up its attempts (limit " + strconv.FormatInt(limit, 10) + "): " + slices.Concat(a.failures, a.moments)[0].String()
		return cause{Fails, []Link{{Application: a.name, Object: a.in.Object.ID(), Text: text}}, ""}, nil
	}
	list := w.blockers(a)
	best := cause{verdict: Unknown}
	at := 0
	for i, b := range list {
		if c := w.whyNot(b, stack); best.links == nil || c.better(best) {
			best, at = c, i
		}
	}
	if at > 0 {
		list = append([]blocker{list[at]}, list...)
	}
	return best, list
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

// notFollowed stands in the place of an axiom where a chain is longer than any that a person would read.
const notFollowed = "a shorter chain"

// closes ends a chain that has come round.
const closes = "is what waits"

// whyNot returns the shortest chain of causes for which an object is not applied, or not healthy.
func (w *world) whyNot(b blocker, stack []*node) cause {
	n := b.node
	if slices.Contains(stack, n) {
		return cause{verdict: Deadlock, links: []Link{link(n, closes)}}
	}
	if len(stack) > 24 {
		return cause{verdict: Unknown, links: []Link{link(n, "stands at the end of a long chain")}, axiom: notFollowed}
	}
	stack = append(slices.Clone(stack), n)
	if child := w.child(n); child != nil && n.applied && !w.childWell(n) {
		return w.whyChild(n, child, stack)
	}
	if b.lacks != (need{}) {
		return w.whyNeed(n, b.lacks, true, stack)
	}
	if n.differs() && n.applied {
		return cause{verdict: Deadlock, links: []Link{link(n, n.unlike)}}
	}
	list, apply := n.healthy, false
	if !n.applied {
		list, apply = n.apply, true
	}
	best := cause{verdict: Unknown}
	for _, k := range list {
		if w.met(k) || apply && w.comesBefore(k, n) {
			continue
		}
		if c := w.whyNeed(n, k, apply, stack); best.links == nil || c.better(best) {
			best = c
		}
	}
	if best.links == nil && !n.applied {
		return w.whyHeld(n, stack)
	}
	return best
}

// comesBefore reports whether a need is none of the reasons why an object is not applied: its step is not reached, and by then the
// same sync has provided it.
func (w *world) comesBefore(k need, n *node) bool {
	if n.app.active && n.app.checked && n.app.at >= n.step {
		return false
	}
	return slices.ContainsFunc(w.provided[k.fact], func(p provision) bool { return p.node.app == n.app && p.node != n && p.node.step <= n.step })
}

// whyChild says why a child Application is not healthy.
func (w *world) whyChild(n *node, child *app, stack []*node) cause {
	c, blocked := w.why(child, stack)
	if len(blocked) == 0 && c.links == nil {
		c = w.whyUnwell(child, stack)
	}
	c.links = append([]Link{link(n, "is waited for until it is in sync and healthy")}, c.links...)
	return c
}

// whyUnwell says why an Application whose sync succeeded is not healthy.
func (w *world) whyUnwell(a *app, stack []*node) cause {
	best := cause{verdict: Unknown}
	for _, n := range a.unwell() {
		if c := w.whyNot(blocker{node: n}, stack); best.links == nil || c.better(best) {
			best = c
		}
	}
	return best
}

// whyNeed says why a fact is not true: of everything that would provide it, the cause that leaves most hope.
func (w *world) whyNeed(n *node, k need, apply bool, stack []*node) cause {
	first := link(n, k.why)
	first.Lacks = k.fact.String()
	if k.unless != "" {
		return cause{Unknown, []Link{first}, k.unless}
	}
	providers := w.provided[k.fact]
	if len(providers) == 0 {
		return w.nobody(n, k, apply)
	}
	var best cause
	for i, p := range providers {
		c := w.whyNot(blocker{node: p.node, apply: !p.node.applied}, stack)
		if i == 0 || c.verdict == Unknown && best.verdict != Unknown || c.verdict == best.verdict && len(c.links) < len(best.links) {
			best = c
		}
	}
	best.links = append([]Link{first}, best.links...)
	return best
}

// whyHeld says why an object that lacks nothing is not applied: its step is not reached.
func (w *world) whyHeld(n *node, stack []*node) cause {
	a := n.app
	text := held(n)
	c := cause{verdict: Deadlock}
	holder := a
	for !holder.active {
		holder = holder.parent.app
	}
	if outer, list := w.why(holder, stack); len(list) > 0 && !onStack(list, stack) {
		c = outer
	}
	c.links = append([]Link{link(n, text)}, c.links...)
	return c
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

// onStack reports whether what holds a step is what the chain began with: the circle is closed.
func onStack(list []blocker, stack []*node) bool {
	return slices.ContainsFunc(list, func(b blocker) bool { return slices.Contains(stack, b.node) })
}

func rank(n *node) int { return argocd.KindOrder(n.id.Kind) }

func link(n *node, text string) Link {
	s := n.stage()
	return Link{Application: n.app.name, Phase: s.Phase, Wave: s.Wave, Object: n.id, Text: text}
}
