package graph

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLevels(t *testing.T) {
	tests := map[string]struct {
		keys   []string
		edges  [][2]string // first needs second
		levels [][]string
		cycles [][]string
	}{
		"empty":           {},
		"no edges":        {keys: []string{"b", "a"}, levels: [][]string{{"a", "b"}}},
		"chain":           {edges: [][2]string{{"c", "b"}, {"b", "a"}}, levels: [][]string{{"a"}, {"b"}, {"c"}}},
		"diamond":         {edges: [][2]string{{"d", "b"}, {"d", "c"}, {"b", "a"}, {"c", "a"}}, levels: [][]string{{"a"}, {"b", "c"}, {"d"}}},
		"least level":     {edges: [][2]string{{"d", "a"}, {"d", "c"}, {"c", "b"}, {"b", "a"}}, levels: [][]string{{"a"}, {"b"}, {"c"}, {"d"}}},
		"edge said twice": {edges: [][2]string{{"b", "a"}, {"b", "a"}}, levels: [][]string{{"a"}, {"b"}}},
		"self":            {edges: [][2]string{{"a", "a"}}, cycles: [][]string{{"a"}}},
		"pair once":       {edges: [][2]string{{"b", "a"}, {"a", "b"}, {"c", "a"}}, cycles: [][]string{{"a", "b"}}},
		"shortest first": {
			edges:  [][2]string{{"a", "b"}, {"b", "c"}, {"c", "a"}, {"y", "x"}, {"x", "y"}},
			cycles: [][]string{{"x", "y"}, {"a", "b", "c"}},
		},
		"short cut of a long cycle": {
			edges:  [][2]string{{"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "a"}, {"b", "a"}},
			cycles: [][]string{{"a", "b"}, {"a", "b", "c", "d"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g := New(tt.keys...)
			for _, e := range tt.edges {
				g.Need(e[0], e[1])
			}
			levels, cycles := g.Levels()
			if diff := cmp.Diff(tt.levels, levels); diff != "" {
				t.Errorf("levels (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.cycles, cycles); diff != "" {
				t.Errorf("cycles (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReachAndPath(t *testing.T) {
	g := New("z")
	g.Need("d", "c", "b")
	g.Need("c", "a")
	g.Need("b", "a")
	if diff := cmp.Diff([]string{"a", "b", "c"}, g.Reach("d")); diff != "" {
		t.Errorf("reach (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"d", "b", "a"}, g.Path("d", "a")); diff != "" {
		t.Errorf("path (-want +got):\n%s", diff)
	}
	if got := g.Path("a", "d"); got != nil {
		t.Errorf("path against the edges: got %v, want none", got)
	}
}

// TestOrderReplayed replays the levels of random graphs: nobody may start before what it needs, and no level may be higher
// than needed. Where there are cycles, each must be one, and with one edge of every cycle taken away an order must appear in the end.
func TestOrderReplayed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, edges := randomGraph(t)
		levels, cycles := g.Levels()
		if len(cycles) > 0 {
			checkCycles(t, edges, cycles)
			return
		}
		level := map[string]int{}
		for i, keys := range levels {
			if !slices.IsSorted(keys) {
				t.Fatalf("level %d is not sorted: %v", i, keys)
			}
			for _, key := range keys {
				level[key] = i
			}
		}
		if len(level) != len(g.Keys()) {
			t.Fatalf("%d keys in levels, want %d", len(level), len(g.Keys()))
		}
		for _, key := range g.Keys() {
			least := 0
			for _, b := range g.Needs(key) {
				least = max(least, level[b]+1)
			}
			if level[key] != least {
				t.Fatalf("%s is on level %d, want %d", key, level[key], least)
			}
		}
	})
}

func randomGraph(t *rapid.T) (*Graph[string], map[[2]string]bool) {
	n := rapid.IntRange(0, 12).Draw(t, "keys")
	g, edges := New[string](), map[[2]string]bool{}
	for i := range n {
		g.Add(fmt.Sprintf("k%02d", i))
	}
	acyclic := rapid.IntRange(0, 3).Draw(t, "acyclic") > 0
	rank := rapid.Permutation(count(n)).Draw(t, "rank")
	for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
		if acyclic && rank[a] <= rank[b] {
			continue
		}
		from, to := fmt.Sprintf("k%02d", a), fmt.Sprintf("k%02d", b)
		g.Need(from, to)
		edges[[2]string{from, to}] = true
	}
	return g, edges
}

// count returns 0 to n-1.
func count(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func checkCycles(t *rapid.T, edges map[[2]string]bool, cycles [][]string) {
	for i, cycle := range cycles {
		for j, key := range cycle {
			if next := cycle[(j+1)%len(cycle)]; !edges[[2]string{key, next}] {
				t.Fatalf("cycle %v: %s does not need %s", cycle, key, next)
			}
		}
		for _, other := range cycles[:i] {
			if slices.Equal(other, cycle) {
				t.Fatalf("cycle %v is given twice", cycle)
			}
		}
	}
	for len(cycles) > 0 {
		last := cycles[0][len(cycles[0])-1]
		delete(edges, [2]string{last, cycles[0][0]})
		g := New[string]()
		for e := range edges {
			g.Need(e[0], e[1])
		}
		_, cycles = g.Levels()
	}
}

func TestAdditionOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, edges := randomGraph(t)
		var list [][2]string
		for e := range edges {
			list = append(list, e)
		}
		other := New(g.Keys()...)
		for _, e := range list { // in map order: another one at each run
			other.Need(e[0], e[1])
		}
		levels, cycles := g.Levels()
		otherLevels, otherCycles := other.Levels()
		if diff := cmp.Diff([][][]string{levels, cycles}, [][][]string{otherLevels, otherCycles}); diff != "" {
			t.Fatalf("(-one +other):\n%s", diff)
		}
	})
}
