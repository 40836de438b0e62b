package graph

import (
	"cmp"
	"slices"
)

// Cycles returns, for every key that lies on a cycle, a shortest cycle through it. Each cycle is given once, starts at its
// least key and goes from a key to what it needs; the last needs the first. Shorter cycles come first, then by name.
func (g *Graph[K]) Cycles() [][]K {
	var cycles [][]K
	for _, key := range g.Keys() {
		cycle := g.cycleThrough(key)
		if cycle == nil {
			continue
		}
		cycle = fromLeast(cycle)
		if !slices.ContainsFunc(cycles, func(c []K) bool { return slices.Equal(c, cycle) }) {
			cycles = append(cycles, cycle)
		}
	}
	slices.SortFunc(cycles, func(a, b []K) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b))
	})
	return cycles
}

// Path returns a shortest path from key to what it reaches, both included, or nil; among equals the least by name.
func (g *Graph[K]) Path(from, to K) []K {
	cameFrom := map[K]K{}
	queue := []K{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, next := range g.Needs(at) {
			if _, seen := cameFrom[next]; seen {
				continue
			}
			cameFrom[next] = at
			if next == to {
				return walkBack(cameFrom, from, to)
			}
			queue = append(queue, next)
		}
	}
	return nil
}

// cycleThrough returns a shortest cycle through key without repeating key at the end, or nil.
func (g *Graph[K]) cycleThrough(key K) []K {
	path := g.Path(key, key)
	if path == nil {
		return nil
	}
	return path[:len(path)-1]
}

// walkBack turns the steps of a search into the path from first to last.
func walkBack[K cmp.Ordered](cameFrom map[K]K, first, last K) []K {
	path := []K{last}
	for at := cameFrom[last]; ; at = cameFrom[at] {
		path = append(path, at)
		if at == first {
			break
		}
	}
	slices.Reverse(path)
	return path
}

// fromLeast turns a cycle so that it starts at its least key.
func fromLeast[K cmp.Ordered](cycle []K) []K {
	i := slices.Index(cycle, slices.Min(cycle))
	return slices.Concat(cycle[i:], cycle[:i])
}
