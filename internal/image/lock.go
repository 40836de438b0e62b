package image

import (
	"cmp"
	"errors"
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
	Platforms []string // proven ones, sorted; "-" in the file where there is none
}

type lockKey struct {
	source Ref
	place  string
}

// Lock holds the proofs. Its zero value is an empty lock, ready to use.
type Lock struct {
	entries map[lockKey]Entry
}

// ParseLock reads an images.lock; name is used in messages. All mistakes are reported at once. Lines that agree but for their
// platforms are joined, so that a merge by union gives a good lock; lines that disagree about the digest are an error.
func ParseLock(name string, data []byte) (*Lock, error) {
	lock := &Lock{}
	var mistakes []error
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		entry, err := parseEntry(line)
		if err == nil {
			err = lock.join(entry)
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s:%d:1: %w", name, i+1, err))
		}
	}
	return lock, errors.Join(mistakes...)
}

func parseEntry(line string) (Entry, error) {
	fields := strings.Fields(line)
	if len(fields) != 5 {
		return Entry{}, fmt.Errorf("%d fields instead of 5 (source, place, digest, media type, platforms): restore the line, or delete it and run `gen images lock`", len(fields))
	}
	source, err := Parse(fields[0])
	if err != nil {
		return Entry{}, err
	}
	if !validDigest(fields[2]) {
		return Entry{}, fmt.Errorf("%q is no digest: restore the line, or delete it and run `gen images lock`", fields[2])
	}
	entry := Entry{Source: source, Place: fields[1], Digest: fields[2], MediaType: fields[3]}
	if fields[4] != "-" {
		entry.Platforms = sortedSet(strings.Split(fields[4], ","))
	}
	return entry, nil
}

// join adds an entry that was read, and unites its platforms with those of an equal line.
func (l *Lock) join(entry Entry) error {
	key := lockKey{entry.Source, entry.Place}
	old, ok := l.entries[key]
	if ok && old.Digest != entry.Digest {
		return fmt.Errorf("%s at %s stands here with %s and further up with %s: keep one line, then run `gen images verify`", entry.Source, entry.Place, entry.Digest, old.Digest)
	}
	entry.Platforms = sortedSet(append(slices.Clone(entry.Platforms), old.Platforms...))
	l.Put(entry)
	return nil
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
