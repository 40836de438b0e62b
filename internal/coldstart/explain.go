package coldstart

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
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
	}
	return o
}

// health judges an Application whose sync succeeds: something of it may never become healthy.
func (w *world) health(a *app, o *Outcome) {
	best := cause{verdict: Unknown}
	for _, n := range w.all {
		if n.app != a || !n.gate || n.well {
			continue
		}
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
		return cause{Deadlock, []Link{{Application: a.name, Object: a.in.Object.ID(), Text: text}}, ""}, nil
	case a.spent():
		limit, _ := a.limit()
		text := "has used up its attempts (limit " + strconv.FormatInt(limit, 10) + "): " + a.failures[0]
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
	if child := w.child(n); child != nil && n.applied {
		return w.whyChild(n, child, stack)
	}
	if b.lacks != (need{}) {
		return w.whyNeed(n, b.lacks, true, stack)
	}
	list, apply := append(slices.Clone(n.healthy), w.podAdmission(n)...), false
	if !n.applied {
		list, apply = w.applyNeeds(n), true
	}
	best := cause{verdict: Unknown}
	for _, k := range list {
		if w.holds(k.fact) {
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
	for _, n := range w.all {
		if n.app == a && n.gate && !n.well {
			if c := w.whyNot(blocker{node: n}, stack); best.links == nil || c.better(best) {
				best = c
			}
		}
	}
	return best
}

// whyNeed says why a fact is not true: of everything that would provide it, the cause that leaves most hope.
func (w *world) whyNeed(n *node, k need, apply bool, stack []*node) cause {
	first := link(n, k.why)
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
	text := "is in " + n.place() + " of " + a.name + ", which is not reached"
	if !a.active {
		text = "is in Application " + a.name + ", in " + a.parent.place() + " of " + a.parent.app.name + ", which is not reached"
	}
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

// onStack reports whether what holds a step is what the chain began with: the circle is closed.
func onStack(list []blocker, stack []*node) bool {
	return slices.ContainsFunc(list, func(b blocker) bool { return slices.Contains(stack, b.node) })
}

// nobody says what follows from a fact that nothing among the objects provides.
func (w *world) nobody(n *node, k need, apply bool) cause {
	if k.fact.Type == "never" {
		verdict := Deadlock
		if apply {
			verdict = Fails
		}
		return cause{verdict: verdict, links: []Link{link(n, k.why)}}
	}
	links := []Link{link(n, k.why), {Text: k.fact.String() + " comes from nobody"}}
	if text := w.hidden(); text != "" {
		links[1].Text += " that is known: " + text
		return cause{Unknown, links, k.fact.String()}
	}
	switch {
	case w.mayExist(k.fact):
		return cause{Unknown, links, k.fact.String()}
	case apply || n.degrade:
		return cause{verdict: Fails, links: links}
	}
	return cause{verdict: Deadlock, links: links}
}

// hidden names the Applications of which a part is not known: whatever nobody known provides may be in there.
func (w *world) hidden() string {
	var names []string
	for _, a := range w.apps {
		if len(a.in.Unknown) > 0 {
			names = append(names, a.name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 3:
		names = append(names[:2], strconv.Itoa(len(names)-2)+" more Applications")
	}
	return "not all that " + strings.Join(names, ", ") + " apply is in the folder"
}

// mayExist reports whether a fact may well be true although no object provides it: people and controllers make such things.
func (w *world) mayExist(fact needs.Fact) bool {
	switch fact.Type {
	case needs.Exists:
		return slices.Contains([]string{"Secret", "ConfigMap", "StorageClass"}, fact.Kind)
	case needs.Ability:
		return fact.Name == needs.DefaultStorage || fact.Name == publishes
	case needs.Kind:
		return len(w.anyCRDs) > 0
	}
	return fact.Type == controller || fact.Type == endpoints || fact.Type == reachable
}

func link(n *node, text string) Link {
	s := n.app.steps[n.step]
	return Link{Application: n.app.name, Phase: s.Phase, Wave: s.Wave, Object: n.id, Text: text}
}

// notes says what a person should know of an Application beside its verdict.
func (w *world) notes(a *app) []string {
	var notes []string
	for _, id := range a.excluded {
		notes = append(notes, id.String()+" is never applied: Argo CD overlooks its kind")
	}
	if _, stated := a.limit(); !stated && len(a.failures) > 0 {
		notes = append(notes, "states no retry limit: Argo CD makes 5 attempts more, within minutes, and none after that")
	}
	for _, why := range a.failures {
		notes = append(notes, "an attempt fails or may fail: "+why)
	}
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			if argocd.WaveIgnored(n.task.Object) {
				notes = append(notes, n.id.String()+" has a sync-wave that is no integer: it counts as absent")
			}
			if w.fakeBarrier(n) {
				notes = append(notes, n.id.String()+" gates nothing: Argo CD has no health check for it, so "+n.place()+" does not wait for it")
			}
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// fakeBarrier reports whether an Application stands before a later step that looks as if it waited for it.
func (w *world) fakeBarrier(n *node) bool {
	if n.gate || n.step == len(n.app.steps)-1 || w.child(n) == nil {
		return false
	}
	return strings.EqualFold(n.id.Kind, "Application") && slices.ContainsFunc(n.app.nodes[n.step+1:], func(later []*node) bool {
		return slices.ContainsFunc(later, func(x *node) bool { return w.child(x) != nil })
	})
}
