package coldstart

import (
	"slices"
	"strconv"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// reason is why one thing does not happen, as a vertex of a graph: what it says itself, and the reasons behind it. A chain of causes
// is a path through the graph, to an end or back to where it has been.
type reason struct {
	text    []Link    // what it adds to a chain: one link, or none
	next    []*reason // each of them keeps it from happening; of a fact each would bring it about
	any     bool      // it is a fact
	end     *cause    // where chains end; nil elsewhere
	object  *node     // that waits: a chain which comes to it again has come round
	subject *app      // the same, of an Application that no object stands for
	holder  *app      // whose step is not reached: a chain from what it waits for has come round

	solution
}

// reasons is the graph of all that does not happen.
type reasons struct {
	w       *world
	all     []*reason
	objects map[blocker]*reason
	facts   map[needs.Fact]*reason
	apps    map[*app]*reason // what keeps it from going on
	unwell  map[*app]*reason // what keeps it from being healthy, of those whose sync succeeds
	stuck   map[*node]bool   // what the step of its Application waits for
	asleep  bool             // Argo CD never runs, so that nothing of what it syncs is known
	rings   map[*reason][]Link
	path    []*reason // of the chain that is being written

	searching
}

// searching is the state of the search for circles.
type searching struct {
	steps, stamp int
	last         *reason // before the circle of the last search closed
	again        bool    // it says so in a link of its own
}

// explain builds the graph behind all Applications that do not end well, or behind the objects without which nothing starts.
func (w *world) explain(stalled []*node) *reasons {
	r := &reasons{w: w, objects: map[blocker]*reason{}, facts: map[needs.Fact]*reason{}, apps: map[*app]*reason{}, unwell: map[*app]*reason{}, stuck: map[*node]bool{}, rings: map[*reason][]Link{}}
	r.asleep = len(stalled) > 0
	for _, n := range stalled {
		r.object(blocker{node: n})
	}
	for _, a := range w.apps {
		if !r.asleep && (!a.done() || len(a.unwell()) > 0) {
			r.application(a)
		}
	}
	r.solve()
	return r
}

func (r *reasons) add(v *reason) *reason {
	r.all = append(r.all, v)
	return v
}

func ends(verdict Verdict, axiom string, links ...Link) *cause { return &cause{verdict, links, axiom} }

// application is why an Application does not become healthy: something keeps its sync from going on, or its objects are not well.
func (r *reasons) application(a *app) *reason {
	if !a.done() {
		return r.goingOn(a)
	}
	if v := r.unwell[a]; v != nil {
		return v
	}
	v := r.add(&reason{})
	r.unwell[a] = v
	for _, n := range a.unwell() {
		v.next = append(v.next, r.object(blocker{node: n}))
	}
	return v
}

// goingOn is what keeps an Application from going on.
func (r *reasons) goingOn(a *app) *reason {
	if v := r.apps[a]; v != nil {
		return v
	}
	v := r.add(&reason{})
	r.apps[a] = v
	switch text, verdict := r.w.idling(a); {
	case !a.active:
		v.next = append(v.next, r.goingOn(a.parent.app))
	case a.synced() && r.w.behind(a) != nil:
		b := r.w.behind(a)
		v.subject, v.text = a, []Link{a.says("is of a later step of ApplicationSet "+a.rolling.set.id.Name+" than "+b.name+", which is not Synced and Healthy", "")}
		v.next = append(v.next, r.application(b))
	case text != "":
		v.end = ends(verdict, "", a.says(text, ""))
	case !r.w.allHold(a.begin):
		r.lacking(v, a)
	default:
		for _, b := range r.w.blockers(a) {
			r.stuck[b.node] = true
			v.next = append(v.next, r.object(b))
		}
	}
	return v
}

// says is a link about an Application as such.
func (a *app) says(text, lacks string) Link {
	return Link{Application: a.name, Object: a.in.Object.ID(), Text: text, Lacks: lacks}
}

// idling says why no sync of an Application is begun, or is begun again.
func (w *world) idling(a *app) (string, Verdict) {
	switch limit, _ := a.limit(); {
	case !a.synced() && a.rolling != nil:
		return "is not synced by anybody: no step of ApplicationSet " + a.rolling.set.id.Name + " takes it", Deadlock
	case !a.synced():
		return "is not synced by anybody: it has no syncPolicy.automated", Deadlock
	case a.barred != "":
		return a.barred, Fails
	case a.closed != "":
		return a.closed, Deadlock
	case w.allHold(a.begin) && a.spent():
		return "has used up its attempts (limit " + strconv.FormatInt(limit, 10) + "): " + slices.Concat(a.failures, a.moments)[0].String(), Fails
	}
	return "", ""
}

// lacking is why no sync of an Application begins: the first of its own needs that is not met.
func (r *reasons) lacking(v *reason, a *app) {
	k := a.begin[slices.IndexFunc(a.begin, func(k need) bool { return !r.w.met(k) })]
	first, fact := a.says(k.why, k.fact.String()), k.fact.String()
	if len(r.w.provided[k.fact]) == 0 {
		v.end = ends(Unknown, fact, first, Link{Text: fact + " comes from nobody", Lacks: fact})
		return
	}
	v.subject, v.text = a, []Link{first}
	v.next = append(v.next, r.fact(k.fact))
}

// object is why an object is not applied, or not healthy.
func (r *reasons) object(b blocker) *reason {
	key := blocker{node: b.node, lacks: b.lacks}
	if v := r.objects[key]; v != nil {
		return v
	}
	n := b.node
	v := r.add(&reason{object: n})
	r.objects[key] = v
	child := r.w.child(n)
	switch {
	case child != nil && n.applied && !r.w.childWell(n):
		v.text = []Link{link(n, "is waited for until it is in sync and healthy")}
		v.next = append(v.next, r.application(child))
	case b.lacks != (need{}):
		v.next = append(v.next, r.need(n, b.lacks, true))
	case n.differs() && n.applied && !(r.w.waits(n) && !r.w.allHold(n.healthy)): // what waits for it waits for its health
		v.end = ends(Deadlock, "", link(n, n.unlike))
	default:
		r.unmet(v, n)
	}
	return v
}

// unmet adds what an object lacks, or that its step is not reached.
func (r *reasons) unmet(v *reason, n *node) {
	list := n.healthy
	if !n.applied {
		list = n.apply
	}
	for _, k := range list {
		if !r.w.met(k) && (n.applied || !r.w.comesBefore(k, n)) {
			v.next = append(v.next, r.need(n, k, !n.applied))
		}
	}
	if len(v.next) == 0 && !n.applied {
		r.standing(v, n)
	}
}

// standing is why an object that lacks nothing is not applied: its step is not reached.
func (r *reasons) standing(v *reason, n *node) {
	text := held(n)
	for v.holder = n.app; !v.holder.active; {
		v.holder = v.holder.parent.app
	}
	if r.asleep || v.holder.done() {
		v.end = ends(Deadlock, "", link(n, text))
		return
	}
	v.text, v.next = []Link{link(n, text)}, append(v.next, r.goingOn(v.holder))
}

// need is why a need of an object is not met.
func (r *reasons) need(n *node, k need, apply bool) *reason {
	v := r.add(&reason{})
	first := link(n, k.why)
	first.Lacks = k.fact.String()
	switch {
	case k.unless != "":
		v.end = ends(Unknown, k.unless, first)
	case len(r.w.provided[k.fact]) == 0:
		c := r.w.nobody(n, k, apply)
		v.end = &c
	default:
		v.text, v.next = []Link{first}, append(v.next, r.fact(k.fact))
	}
	return v
}

// fact is why a fact is not true: nothing that would provide it does.
func (r *reasons) fact(fact needs.Fact) *reason {
	if v := r.facts[fact]; v != nil {
		return v
	}
	v := r.add(&reason{any: true})
	r.facts[fact] = v
	for _, p := range r.w.provided[fact] {
		v.next = append(v.next, r.object(blocker{node: p.node}))
	}
	return v
}

// blocked names the object that keeps an Application from going on: the first of its chain.
func (r *reasons) blocked(a *app) manifest.ID {
	if !a.active {
		return a.parent.id
	}
	if v := r.apps[a]; v.via != nil && v.subject == nil {
		return v.via.object.id
	}
	return manifest.ID{}
}
