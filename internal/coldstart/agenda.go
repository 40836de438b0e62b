package coldstart

import "math/bits"

// agenda says which of a numbered row are to be looked at again. A round takes what is due from the first to the last: what falls due
// during it is of the same round where the round has not come that far yet, else of the next one. So a round finds what a walk over the
// whole row would find, in the same order, without the walk.
type agenda struct {
	words []uint64
	due   int
}

// reset makes room for n, of which all are due or none.
func (g *agenda) reset(n int, all bool) {
	size := (n + 63) / 64
	if cap(g.words) < size {
		g.words = make([]uint64, size)
	}
	g.words, g.due = g.words[:size], 0
	clear(g.words)
	for i := 0; all && i < n; i++ {
		g.add(i)
	}
}

func (g *agenda) add(i int) {
	if word, bit := &g.words[i/64], uint64(1)<<(i%64); *word&bit == 0 {
		*word |= bit
		g.due++
	}
}

// take removes the first that is due from a place on, and returns it; -1 where none is.
func (g *agenda) take(from int) int {
	if g.due == 0 {
		return -1
	}
	for at := from / 64; at < len(g.words); at++ {
		word := g.words[at]
		if at == from/64 {
			word &^= 1<<(from%64) - 1
		}
		if word != 0 {
			bit := bits.TrailingZeros64(word)
			g.words[at] &^= 1 << bit
			g.due--
			return at*64 + bit
		}
	}
	return -1
}

// round looks at all that is due in one round.
func (g *agenda) round(look func(i int)) {
	for i := g.take(0); i >= 0; i = g.take(i + 1) {
		look(i)
	}
}
