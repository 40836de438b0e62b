package environment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Mistake is one thing wrong in the model: where, in which field, and what, why, and what to do.
type Mistake struct {
	Origin  Origin
	Field   string // dotted path in the file (see PathString)
	Message string
}

// Error returns "file:line:column: field: message".
func (m Mistake) Error() string {
	if m.Field == "" {
		return m.Origin.String() + ": " + m.Message
	}
	return m.Origin.String() + ": " + m.Field + ": " + m.Message
}

// compare orders mistakes by place, then by field and text.
func (m Mistake) compare(other Mistake) int {
	return cmp.Or(
		m.Origin.Compare(other.Origin),
		cmp.Compare(m.Field, other.Field),
		cmp.Compare(m.Message, other.Message),
	)
}

// Mistakes are all mistakes of a model, sorted by file, line and column, each once.
type Mistakes []Mistake

// Error returns one mistake a line.
func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i, mistake := range m {
		lines[i] = mistake.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives each mistake, as errors.Join would.
func (m Mistakes) Unwrap() []error {
	errs := make([]error, len(m))
	for i, mistake := range m {
		errs[i] = mistake
	}
	return errs
}

// collector gathers mistakes in the order in which they are found.
type collector struct{ found []Mistake }

// add notes a mistake.
func (c *collector) add(at Origin, field, format string, args ...any) {
	c.found = append(c.found, Mistake{at, field, fmt.Sprintf(format, args...)})
}

// err returns the mistakes sorted and each once, or nil where there is none.
func (c *collector) err() error {
	if len(c.found) == 0 {
		return nil
	}
	sorted := slices.Clone(c.found)
	slices.SortFunc(sorted, Mistake.compare)
	return Mistakes(slices.CompactFunc(sorted, func(a, b Mistake) bool { return a.compare(b) == 0 }))
}

// didYouMean returns `; did you mean "x"?` with the known name nearest to name, or "" where none is near.
func didYouMean(name string, known []string) string {
	best, limit := "", 1+len(name)/4
	for _, candidate := range slices.Sorted(slices.Values(known)) {
		if strings.EqualFold(name, candidate) {
			return fmt.Sprintf("; did you mean %q?", candidate)
		}
		if d := distance(name, candidate); d <= limit {
			best, limit = candidate, d-1
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance counts the letters to insert, remove, replace or swap with their neighbour that turn a into b.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
