package image

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// LockHeader is the first line of every images.lock.
const LockHeader = "# images.lock: written by `gen images lock`. One proven image a line: source, place at the mirror, digest, media type, platforms.\n"

// Entry is the proof for one reference at one place: the same whichever environment asks.
type Entry struct {
	Source    Ref
	Place     string // Target.Key
	Digest    string // what both sides hash to
	MediaType string
	Platforms []string // what was proven, sorted: platforms, "!" before those that neither side has, "+signatures"; "-" in the file for nothing
}

type lockKey struct {
	source Ref
	place  string
}

// Lock holds the proofs. Its zero value is an empty lock, ready to use.
type Lock struct {
	entries map[lockKey]Entry
}

// Put enters a proof, in the place of an older one of the same source and place.
func (l *Lock) Put(entry Entry) {
	if l.entries == nil {
		l.entries = map[lockKey]Entry{}
	}
	l.entries[lockKey{entry.Source, entry.Place}] = entry
}

// Get returns the proof for a reference at a place.
func (l *Lock) Get(source Ref, place string) (Entry, bool) {
	entry, ok := l.entries[lockKey{source, place}]
	return entry, ok
}

// Delete removes the proof for a reference at a place.
func (l *Lock) Delete(source Ref, place string) { delete(l.entries, lockKey{source, place}) }

// Entries returns all proofs, sorted by source and place.
func (l *Lock) Entries() []Entry {
	out := slices.Collect(maps.Values(l.entries))
	slices.SortFunc(out, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Source.String(), b.Source.String()), cmp.Compare(a.Place, b.Place))
	})
	return out
}

// Emit returns the file's text: sorted, one line an entry, so that two branches merge line by line.
func (l *Lock) Emit() []byte {
	var out strings.Builder
	out.WriteString(LockHeader)
	for _, e := range l.Entries() {
		platforms := strings.Join(e.Platforms, ",")
		fmt.Fprintln(&out, e.Source, e.Place, e.Digest, e.MediaType, cmp.Or(platforms, "-"))
	}
	return []byte(out.String())
}

func sortedSet(in []string) []string {
	out := slices.Clone(in)
	slices.Sort(out)
	return slices.Compact(out)
}
