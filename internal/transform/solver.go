package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/graph"
)

// solver assigns waves to groups of components that share one. A group bears the name of its first component.
type solver struct {
	group  map[string]string // component to group
	hand   map[string]hand   // group to the wave set by hand
	whole  []string          // components that the model keeps from being split
	edges  []Edge
	graph  *graph.Graph[string]
	errors []error
}

// hand is a wave set by hand and the component that has it.
type hand struct {
	wave int
	by   component.Component
}

func newSolver(components []component.Component, edges []Edge) *solver {
	s := &solver{group: groups(components), hand: map[string]hand{}, edges: edges, graph: graph.New[string]()}
	for _, c := range components {
		group := s.group[c.Name]
		s.graph.Add(group)
		if c.Whole {
			s.whole = append(s.whole, c.Name)
		}
		if c.Wave == nil {
			continue
		}
		if old, ok := s.hand[group]; ok && old.wave != *c.Wave {
			s.errors = append(s.errors, fmt.Errorf("%s: components.%s.wave: %d contradicts wave %d of %s: the two start together; give both one wave",
				c.Origin, c.Name, *c.Wave, old.wave, old.by.Name))
		}
		s.hand[group] = hand{*c.Wave, c}
	}
	for _, e := range edges {
		if from, to := s.group[e.From], s.group[e.To]; from != to && !s.bothByHand(from, to) {
			s.graph.Need(from, to)
		}
	}
	return s
}

// groups joins every component with the one that its With names.
func groups(components []component.Component) map[string]string {
	with := map[string]string{}
	for _, c := range components {
		with[c.Name] = c.With
	}
	group := map[string]string{}
	for name := range with {
		root, seen := name, map[string]bool{}
		for !seen[root] {
			seen[root] = true
			if _, ok := with[with[root]]; ok {
				root = with[root]
			}
		}
		group[name] = root
	}
	return group
}

// bothByHand reports that both waves are set by hand, so that a person decides; wrongOrder judges them.
func (s *solver) bothByHand(a, b string) bool {
	_, byHandA := s.hand[a]
	_, byHandB := s.hand[b]
	return byHandA && byHandB
}

func (s *solver) solve() (map[string]int, error) {
	levels, cycles := s.graph.Levels()
	for _, cycle := range cycles {
		s.errors = append(s.errors, s.cycleError(cycle))
	}
	if len(s.errors) > 0 {
		return nil, errors.Join(s.errors...)
	}
	waves := s.assign(levels)
	s.errors = slices.Concat(s.contradictions(levels, waves), s.wrongOrder())
	if len(s.errors) > 0 {
		return nil, errors.Join(s.errors...)
	}
	out := map[string]int{}
	for name, group := range s.group {
		out[name] = waves[group]
	}
	return out, nil
}

// assign gives each group the least wave from 0 on above all that it needs, or its wave by hand. What a group with a low wave
// by hand needs goes below 0 with it.
func (s *solver) assign(levels [][]string) map[string]int {
	ceiling := map[string]int{} // no higher, or a wave set by hand above could not hold
	for _, level := range slices.Backward(levels) {
		for _, group := range level {
			if h, ok := s.hand[group]; ok {
				ceiling[group] = h.wave
			}
			limit, ok := ceiling[group]
			for _, need := range s.graph.Needs(group) {
				if old, has := ceiling[need]; ok && (!has || limit-1 < old) {
					ceiling[need] = limit - 1
				}
			}
		}
	}
	waves := map[string]int{}
	for _, level := range levels {
		for _, group := range level {
			waves[group] = min(0, ceiling[group])
			for _, need := range s.graph.Needs(group) {
				waves[group] = max(waves[group], waves[need]+1)
			}
			if h, ok := s.hand[group]; ok {
				waves[group] = h.wave
			}
		}
	}
	return waves
}

// contradictions returns an error for every wave set by hand that is not above the waves of what its component needs.
func (s *solver) contradictions(levels [][]string, waves map[string]int) []error {
	var errs []error
	for _, group := range slices.Sorted(slices.Values(slices.Concat(levels...))) {
		h, ok := s.hand[group]
		if !ok {
			continue
		}
		for _, need := range s.graph.Needs(group) {
			if waves[need] >= h.wave {
				errs = append(errs, fmt.Errorf("%s: components.%s.wave: %d is too low, its need %s starts in wave %d; set it to %d or more, or take it out:\n%s",
					h.by.Origin, h.by.Name, h.wave, need, waves[need], waves[need]+1, s.explain(group, need)))
			}
		}
	}
	return errs
}

// wrongOrder returns an error for every need between two waves set by hand that comes after what needs it. Equal waves are
// let through: that is how a person says that two components start together and find each other by retrying.
func (s *solver) wrongOrder() []error {
	var errs []error
	seen := map[[2]string]bool{}
	for _, e := range s.edges {
		from, to := s.group[e.From], s.group[e.To]
		if from == to || !s.bothByHand(from, to) || seen[[2]string{from, to}] {
			continue
		}
		seen[[2]string{from, to}] = true
		if a, b := s.hand[from], s.hand[to]; a.wave < b.wave {
			errs = append(errs, fmt.Errorf("%s: components.%s.wave: %d contradicts wave %d of %s, which it needs; set it to %d or more:\n%s",
				a.by.Origin, a.by.Name, a.wave, b.wave, b.by.Name, b.wave, s.explain(from, to)))
		}
	}
	return errs
}

// cycleError names the components of a cycle and what makes each of its edges.
func (s *solver) cycleError(cycle []string) error {
	var lines []string
	for i, from := range cycle {
		lines = append(lines, s.explain(from, cycle[(i+1)%len(cycle)]))
	}
	hint := ""
	if whole := slices.DeleteFunc(slices.Clone(s.whole), func(name string) bool { return !slices.Contains(cycle, s.group[name]) }); len(whole) > 0 {
		hint = ", or take `split: never` out of " + listed(whole)
	}
	return fmt.Errorf("ordering components: %s wait for each other; take a need away, move the object that makes it into a component of its own, or set one `wave:` by hand on all of them, so that they start together%s:\n%s",
		strings.Join(append(slices.Clone(cycle), cycle[0]), " ▸ "), hint, strings.Join(lines, "\n"))
}

// explain lists the edges from one group to another, at most three a pair.
func (s *solver) explain(from, to string) string {
	var lines []string
	for _, e := range s.edges {
		if s.group[e.From] == from && s.group[e.To] == to {
			lines = append(lines, "  "+e.String())
		}
	}
	if len(lines) > maxReasons {
		rest := len(lines) - maxReasons
		lines = append(lines[:maxReasons], fmt.Sprintf("  … and for %d more objects", rest))
	}
	return strings.Join(lines, "\n")
}

// maxReasons bounds the objects that an error lists for one edge.
const maxReasons = 3
