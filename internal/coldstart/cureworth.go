package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// state is how far an Application gets.
type state struct {
	rank    int // absent, idle, looks ahead, is at a step, has ended
	applied int // objects
	stuck   []manifest.ID
}

const (
	absent = iota
	idling
	looking
	running
	ended
)

// How much a change does for an Application, from nothing to most.
const (
	useless = iota
	leads   // what blocks it waits for something else now
	helps   // it gets past what blocked it, and is blocked again
	mends   // the same, and the Application that was at fault ends well
	retries // it ends well after attempts that fail or may fail
	cures
)

// worth says what an attempt does for an Application over another one.
func (s *search) worth(was, now *attempt, i int) int {
	o, after := was.outcomes[i], now.outcomes[i]
	for j, x := range was.outcomes {
		if y := now.outcomes[j]; !y.Verdict.Good() && worse(y.Verdict, x.Verdict) && !was.further(now, j) {
			return useless
		}
	}
	at := i // the Application in which the fault is
	if len(o.Chain) > 0 {
		fault := o.Chain[firstReal(o.Chain)].Application
		if j := slices.IndexFunc(was.outcomes, func(x Outcome) bool { return x.Application == fault }); j >= 0 {
			at = j
		}
	}
	switch further := was.further(now, i) || was.further(now, at); {
	case after.Verdict == Proven:
		return cures
	case after.Verdict == Retry:
		return retries
	case further && at != i && !was.outcomes[at].Verdict.Good() && now.outcomes[at].Verdict == Proven:
		return mends
	case further:
		return helps
	case was.led(now, i):
		return leads
	}
	return useless
}

// led reports whether what the last change is about, of which something waited, now waits itself for what was not spoken of before.
func (at *attempt) led(now *attempt, i int) bool {
	x, y := at.outcomes[i].Chain, now.outcomes[i].Chain
	speaks := func(chain []Link, id manifest.ID) int {
		return slices.IndexFunc(chain, func(l Link) bool { return l.Object.Same(id) })
	}
	for id := range now.changes[len(now.changes)-1].edits {
		j, k := speaks(x, id), speaks(y, id)
		if j >= 0 && k >= 0 && k+1 < len(y) && x[j].Text != y[k].Text && speaks(x, y[k+1].Object) < 0 {
			return true
		}
	}
	return false
}

// further reports whether an Application gets past what blocked it. Of one that is not there its parent has to.
func (at *attempt) further(now *attempt, i int) bool {
	i = at.upwards(i, func(o Outcome) bool {
		return at.states[o.Application].rank == absent && now.states[o.Application].rank == absent
	})
	o := at.outcomes[i]
	x, y := at.states[o.Application], now.states[o.Application]
	switch {
	case x.rank != y.rank:
		return y.rank > x.rank
	case x.rank == idling:
		z := now.outcomes[i]
		return len(o.Chain) > 0 && len(z.Chain) > 0 && o.Chain[0] != z.Chain[0]
	}
	return y.past(x, o.Blocked, now.changes)
}

// past reports whether an Application that goes on as before gets past an object: nothing but what blocked it before blocks it still, or more
// of it is applied, and nothing that was changed blocks it.
func (s state) past(before state, blocked manifest.ID, changes []change) bool {
	among := func(list []manifest.ID, id manifest.ID) bool { return slices.ContainsFunc(list, id.Same) }
	if s.applied < before.applied || !among(before.stuck, blocked) || among(s.stuck, blocked) {
		return false
	}
	fresh := func(id manifest.ID) bool { return !among(before.stuck, id) }
	if !slices.ContainsFunc(s.stuck, fresh) {
		return true
	}
	for _, c := range changes {
		for id := range c.edits {
			if among(s.stuck, id) {
				return false
			}
		}
	}
	return s.applied > before.applied
}

// states says how far each Application gets.
func (w *world) states() map[string]state {
	states := map[string]state{}
	for _, a := range w.apps {
		s := state{rank: absent}
		switch {
		case !a.active, w.reasons.asleep:
		case w.ending(a, Proven) == Idle:
			s.rank = idling
		case !a.checked:
			s.rank = looking
		case !a.done():
			s.rank = running
		default:
			s.rank = ended
		}
		if s.rank > idling {
			s.stuck = w.stuckAt(a)
		}
		for _, nodes := range a.nodes {
			for _, n := range nodes {
				if n.applied {
					s.applied++
				}
			}
		}
		states[a.name] = s
	}
	return states
}

// stuckAt names the objects that keep an Application from going on, or from being healthy.
func (w *world) stuckAt(a *app) []manifest.ID {
	var list []manifest.ID
	if a.done() {
		for _, n := range a.unwell() {
			list = append(list, n.id)
		}
		return list
	}
	for _, b := range w.blockers(a) {
		list = append(list, b.node.id)
	}
	return list
}
