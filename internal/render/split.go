package render

import (
	"strings"
	"unicode"
)

// split cuts a stream of YAML documents where Helm 3.18.4 cuts it: at every line that begins with three dashes, whatever
// follows them ("---# comment", "---apiVersion: v1"), inside block scalars too. It trims each document, drops empty ones, and
// ends each with one newline, as `helm template` prints them.
//
// Helm does it with the expression (?:^|\s*\n)---\s*, on which rendering spent more time than on templates; a test compares the two.
func split(stream string) []string {
	var documents []string
	rest := strings.TrimFunc(stream, unicode.IsSpace)
	if after, ok := strings.CutPrefix(rest, "---"); ok {
		rest = skipSpace(after)
	}
	for rest != "" {
		// A separator takes the white space behind it along, so that a second one right behind it is none.
		document, after, _ := strings.Cut(rest, "\n---")
		if document = strings.TrimFunc(document, unicode.IsSpace); document != "" {
			documents = append(documents, document+"\n")
		}
		rest = skipSpace(after)
	}
	return documents
}

// skipSpace drops what \s* of a Go expression matches: ASCII white space without the vertical tab.
func skipSpace(s string) string { return strings.TrimLeft(s, " \t\n\f\r") }

// splitYAML cuts a stream of plain YAML documents where YAML does, at lines of three dashes alone or followed by white space, and
// leaves the documents as they are. What follows the dashes belongs to the document.
func splitYAML(stream string) []string {
	var documents []string
	start := 0
	for at := 0; at < len(stream); {
		next := at + strings.IndexByte(stream[at:], '\n') + 1
		if next == at {
			next = len(stream)
		}
		if rest, ok := strings.CutPrefix(stream[at:next], "---"); ok && strings.TrimLeft(rest[:min(len(rest), 1)], " \t\r\n") == "" {
			documents = append(documents, stream[start:at])
			start = at + len("---")
		}
		at = next
	}
	return append(documents, stream[start:])
}
