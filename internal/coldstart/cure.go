package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Limits of the search for cures. No verdict depends on them.
const (
	cureChanges = 8                  // that one cure is made of
	cureVisits  = 120_000            // objects that all proofs of one search look at, together
	cureProofs  = 6                  // that are run in any case
	cureWorlds  = 3 * cureVisits / 2 // objects whose simulations are kept
)

// Remainder is how an Application ends once it is cured of what was found first.
type Remainder struct {
	Verdict  Verdict
	Attempts int
	Blocked  manifest.ID
	Chain    []Link
	Axiom    string
}

// search looks for the smallest changes by which Applications end well.
type search struct {
	start  *attempt
	tried  map[string]*attempt // by the words of what is changed
	chosen map[Link]change     // what cures an object, by the link that speaks of it
	left   int                 // objects that may still be looked at
	kept   int                 // objects of simulations that are kept
	proofs int
	short  bool // what is left was too little
}

// attempt is how a cold start ends after some changes.
type attempt struct {
	changes  []change
	in       Input
	outcomes []Outcome
	states   map[string]state
	world    *world // nil where too many are kept; see search.look
}

// cure fills in the cures of all outcomes that end badly. It begins with those that name their own objects first: what cures them cures
// what waits for them, too. An Application that is not there shares the cure of the one by whose end it is not.
func cure(in Input, proof *Proof, w *world) {
	if len(proof.Outcomes) == 0 {
		return
	}
	s := &search{tried: map[string]*attempt{}, chosen: map[Link]change{}, left: max(cureVisits, cureProofs*len(w.all))}
	s.start = &attempt{in: in, outcomes: slices.Clone(proof.Outcomes), states: w.states(), world: w}
	var order []int
	for i, o := range proof.Outcomes {
		if curable(o) {
			order = append(order, i)
		}
	}
	first := func(i int) int { // what names its own objects first, and what is not there last
		o := proof.Outcomes[i]
		if holder := s.holder(i); holder != i {
			return len(proof.Outcomes) + cureLength
		}
		return firstReal(o.Chain)
	}
	slices.SortStableFunc(order, func(a, b int) int { return first(a) - first(b) })
	ends := map[int]*attempt{}
	for _, i := range order {
		at, known := ends[s.holder(i)]
		if !known {
			at = s.cure(i)
			ends[i] = at
		}
		proof.Outcomes[i].cured(at, i)
	}
	proof.Tried, proof.Bounded = s.proofs, s.short
}

// holder returns the outcome of the Application by whose end another one is not there: the nearest above it that is there, or itself.
func (s *search) holder(i int) int {
	return s.start.upwards(i, func(o Outcome) bool { return s.start.states[o.Application].rank == absent })
}

// upwards goes from an outcome to that of the Application above it, as long as it is to.
func (at *attempt) upwards(i int, on func(Outcome) bool) int {
	for range at.outcomes {
		o := at.outcomes[i]
		up := slices.IndexFunc(at.outcomes, func(p Outcome) bool { return p.Application == o.Parent })
		if !on(o) || up < 0 {
			break
		}
		i = up
	}
	return i
}

// cured fills in what changes an Application, and what it comes to.
func (o *Outcome) cured(at *attempt, i int) {
	if len(at.changes) == 0 {
		return
	}
	o.Cure = words(at.changes)
	if now := at.outcomes[i]; now.Verdict != Proven {
		o.Then = &Remainder{Verdict: now.Verdict, Attempts: now.Attempts, Blocked: now.Blocked, Chain: now.Chain, Axiom: now.Axiom}
	}
}

// cure looks for the changes that let one Application end well, one after the other. Of those that only lead a chain on to its next object
// none is kept at the end.
func (s *search) cure(i int) *attempt {
	at, firm := s.start, s.start
	for len(at.changes) < cureChanges && curable(at.outcomes[i]) {
		next, worth := s.next(at, i)
		if next == nil {
			break
		}
		if at = next; worth > leads {
			firm = at
		}
	}
	return s.fewer(firm, i)
}

// next returns the attempt with one change more that does most for an Application: of the smallest changes that let it end well one by
// which no attempt fails, and else one by which it gets further. It is nil where none does.
func (s *search) next(at *attempt, i int) (*attempt, int) {
	o := at.outcomes[i]
	var fault Link // at which it hangs
	if len(o.Chain) > 0 {
		fault = o.Chain[firstReal(o.Chain)]
	}
	if c, known := s.chosen[fault]; known {
		if a := s.prove(at.with(c)); a != nil {
			if worth := s.worth(at, a, i); worth > leads {
				return a, worth
			}
		}
	}
	var best *attempt
	most, size := useless, 0
	for _, c := range s.look(at).changes(o) {
		if most >= retries && c.size > size || most >= mends && most != retries {
			break
		}
		a := s.prove(at.with(c))
		if a == nil {
			break
		}
		if worth := s.worth(at, a, i); worth > most {
			best, most, size = a, worth, c.size
		}
	}
	if most > leads {
		s.chosen[fault] = best.changes[len(best.changes)-1]
	}
	return best, most
}

// with returns the changes of an attempt, and one more.
func (at *attempt) with(c change) []change { return append(slices.Clone(at.changes), c) }

// fewer leaves out the changes without which an Application ends just as well.
func (s *search) fewer(at *attempt, i int) *attempt {
	for j := len(at.changes) - 2; j >= 0; j-- {
		a := s.prove(slices.Delete(slices.Clone(at.changes), j, j+1))
		if a == nil || s.worth(s.start, a, i) <= leads {
			continue
		}
		x, y := at.outcomes[i], a.outcomes[i]
		if x.Verdict.Good() && !worse(y.Verdict, x.Verdict) || x.Verdict == y.Verdict && slices.Equal(x.Chain, y.Chain) {
			at = a
		}
	}
	return at
}

// prove makes changes, in their order. It returns nil where the search has looked at enough, or is ended.
func (s *search) prove(changes []change) *attempt {
	key := words(changes)
	if known := s.tried[key]; known != nil {
		return known
	}
	size := len(s.start.world.all)
	if s.left < size {
		s.short = true
		return nil
	}
	a := &attempt{changes: changes, in: s.start.in}
	for _, c := range changes {
		a.in = c.applied(a.in)
	}
	proof, w := run(a.in)
	if len(proof.Outcomes) == 0 { // it was ended
		return nil
	}
	s.proofs++
	s.left -= len(w.all)
	a.outcomes, a.states = proof.Outcomes, w.states()
	if s.kept += len(w.all); s.kept <= cureWorlds {
		a.world = w
	}
	s.tried[key] = a
	return a
}

// look returns the simulation of an attempt, which is run again where it was not kept.
func (s *search) look(at *attempt) *world {
	if at.world == nil {
		_, at.world = run(at.in)
		s.proofs++
		s.left -= len(at.world.all)
	}
	return at.world
}
