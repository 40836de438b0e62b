package render

import (
	"fmt"
	"slices"
	"strings"
)

const (
	foldFrom  = 2000 // bytes: shorter texts are left alone
	maxPeriod = 24   // parts: the longest circle of templates that is recognized
	keptEnds  = 1500 // bytes of each end of a text that stays too long
)

// foldedError is an error with a shorter text. Templates that include each other in a circle end in one line of 100 kB and more,
// and `tpl` repeats the whole text that it was given.
type foldedError struct {
	error

	text string
}

func (e foldedError) Error() string { return e.text }
func (e foldedError) Unwrap() error { return e.error }

// folded returns err, with a text of a readable length.
func folded(err error) error {
	text := err.Error()
	if len(text) < foldFrom {
		return err
	}
	text = foldRepeats(text)
	if len(text) > 2*keptEnds {
		text = fmt.Sprintf("%s […%d bytes left out…] %s", strings.ToValidUTF8(text[:keptEnds], ""), len(text)-2*keptEnds, strings.ToValidUTF8(text[len(text)-keptEnds:], ""))
	}
	return foldedError{err, text}
}

// foldRepeats says once what a text of parts between colons says many times in a row.
func foldRepeats(text string) string {
	const between = ": "
	parts := strings.Split(text, between)
	var out []string
	for i := 0; i < len(parts); {
		period, times := repeats(parts[i:])
		if times < 3 {
			out = append(out, parts[i])
			i++
			continue
		}
		out = append(out, parts[i:i+period]...)
		out = append(out, fmt.Sprintf("[the same %d times more]", times-1))
		i += period * times
	}
	return strings.Join(out, between)
}

// repeats returns the shortest run of parts that comes at least three times in a row at the start, and how often.
func repeats(parts []string) (period, times int) {
	for period = 1; period <= min(maxPeriod, len(parts)/3); period++ {
		times = 1
		for at := period; at+period <= len(parts) && slices.Equal(parts[at:at+period], parts[:period]); at += period {
			times++
		}
		if times >= 3 {
			return period, times
		}
	}
	return 0, 0
}
