// Package graph is a deterministic digraph: its levels in topological order, or the cycles that prevent it.
package graph

import (
	"cmp"
	"maps"
	"slices"
)

// Graph holds keys and what each needs before it. Make one with New.
type Graph[K cmp.Ordered] struct {
	needs map[K]map[K]bool
}

// New returns a graph of the given keys without edges.
func New[K cmp.Ordered](keys ...K) *Graph[K] {
	g := &Graph[K]{needs: make(map[K]map[K]bool, len(keys))}
	for _, key := range keys {
		g.Add(key)
	}
	return g
}

// Add makes sure that key is in the graph.
func (g *Graph[K]) Add(key K) {
	if g.needs[key] == nil {
		g.needs[key] = map[K]bool{}
	}
}

// Need says that key comes after every one of before; keys that are not there yet are added. A key may need itself: that is a cycle.
func (g *Graph[K]) Need(key K, before ...K) {
	g.Add(key)
	for _, b := range before {
		g.Add(b)
		g.needs[key][b] = true
	}
}

// Keys returns all keys, sorted.
func (g *Graph[K]) Keys() []K { return slices.Sorted(maps.Keys(g.needs)) }

// Needs returns what key needs directly, sorted.
func (g *Graph[K]) Needs(key K) []K { return slices.Sorted(maps.Keys(g.needs[key])) }

// Reach returns everything that key needs, directly or through others, sorted; key itself only if it lies on a cycle.
func (g *Graph[K]) Reach(key K) []K {
	seen := map[K]bool{}
	queue := g.Needs(key)
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if seen[next] {
			continue
		}
		seen[next] = true
		queue = append(queue, g.Needs(next)...)
	}
	return slices.Sorted(maps.Keys(seen))
}

// Levels returns the keys level by level: a key's level is the least that lies above those of all its needs. Keys within a
// level are sorted. Where cycles prevent an order, levels is nil and cycles holds them (see Cycles).
func (g *Graph[K]) Levels() (levels [][]K, cycles [][]K) {
	open := make(map[K]int, len(g.needs))
	dependents := make(map[K][]K, len(g.needs))
	var ready []K
	for _, key := range g.Keys() {
		open[key] = len(g.needs[key])
		if open[key] == 0 {
			ready = append(ready, key)
		}
		for _, b := range g.Needs(key) {
			dependents[b] = append(dependents[b], key)
		}
	}
	placed := 0
	for len(ready) > 0 {
		levels = append(levels, ready)
		placed += len(ready)
		ready = nextLevel(ready, open, dependents)
	}
	if placed < len(g.needs) {
		return nil, g.Cycles()
	}
	return levels, nil
}

// nextLevel takes the keys of one level out of the count of open needs and returns, sorted, those that have none left.
func nextLevel[K cmp.Ordered](level []K, open map[K]int, dependents map[K][]K) []K {
	var next []K
	for _, key := range level {
		for _, d := range dependents[key] {
			if open[d]--; open[d] == 0 {
				next = append(next, d)
			}
		}
	}
	slices.Sort(next)
	return next
}
