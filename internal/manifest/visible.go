package manifest

import (
	"strconv"
	"strings"
	"unicode"
)

// Visible returns a text as one line that moves no terminal: control characters and those that turn the direction of writing are
// written as Go writes them (\n, \x1b). Names in other people's files may hold any.
func Visible(text string) string { return escaped(text, "") }

// VisibleLines is Visible for a text of several lines.
func VisibleLines(text string) string { return escaped(text, "\n\t") }

func escaped(text, keep string) string {
	hidden := func(r rune) bool {
		return (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') && !strings.ContainsRune(keep, r)
	}
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteToASCII(string(r))
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
