package chart

import (
	"bytes"
	"regexp"
)

// Helm writes an index in one form: `entries:` at the left edge, below it the charts' names as keys of one indent, below each a list. In
// that form lines alone tell where a chart begins and ends, for all that belongs to it is indented deeper than its name, or is an item of its
// list. Any other form (JSON, flow style, tabs) is parsed as a whole.

// entriesLine opens the charts.
var entriesLine = []byte("entries:")

// sliceable says whether the index has the form.
func sliceable(body []byte) bool {
	_, indent := chartLines(body)
	return indent > 0
}

// chartLines returns the lines below `entries:` and the indent of the charts' names, 0 where the form is another.
func chartLines(body []byte) (rest []byte, indent int) {
	for len(body) > 0 {
		var line []byte
		line, body = cutLine(body)
		if bytes.Equal(line, entriesLine) {
			break
		}
	}
	rest = body
	for len(body) > 0 {
		var line []byte
		line, body = cutLine(body)
		if depth, ok := depthOf(line); ok {
			return rest, depth
		}
	}
	return nil, 0
}

// sliceIndex returns the list of one chart's versions.
func sliceIndex(body []byte, name string) ([]byte, bool) {
	rest, indent := chartLines(body)
	if indent == 0 {
		return nil, false
	}
	for len(rest) > 0 {
		var line []byte
		line, rest = cutLine(rest)
		depth, ok := depthOf(line)
		if !ok {
			continue
		}
		if depth < indent {
			return nil, false // the end of the entries
		}
		if depth == indent && isKey(line[depth:], name) {
			return rest[:listLength(rest, indent)], true
		}
	}
	return nil, false
}

// sliceNames returns the names of all charts, or false where a line is not certain to be one.
func sliceNames(body []byte) ([]string, bool) {
	rest, indent := chartLines(body)
	var names []string
	for len(rest) > 0 {
		var line []byte
		line, rest = cutLine(rest)
		depth, ok := depthOf(line)
		if !ok || depth > indent || depth == indent && line[depth] == '-' {
			continue
		}
		if depth < indent {
			break
		}
		match := plainKey.FindSubmatch(line[depth:])
		if match == nil {
			return nil, false
		}
		names = append(names, string(match[1]))
	}
	return names, len(names) > 0
}

// plainKey is a key that is written without quotes and has nothing behind it.
var plainKey = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*): *\r?$`)

// listLength is how many bytes belong to the list that begins here.
func listLength(rest []byte, indent int) int {
	length := 0
	for length < len(rest) {
		line, _ := cutLine(rest[length:])
		depth, ok := depthOf(line)
		if ok && (depth < indent || depth == indent && line[depth] != '-') {
			break
		}
		length += min(len(line)+1, len(rest)-length)
	}
	return length
}

// cutLine returns the first line without its end, and what follows. A carriage return belongs to the end.
func cutLine(body []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(body, []byte("\n"))
	return line, rest
}

// depthOf is the indent of a line; blank lines and comments have none.
func depthOf(line []byte) (int, bool) {
	text := bytes.TrimLeft(line, " ")
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] == '#' {
		return 0, false
	}
	return len(line) - len(text), true
}

// isKey says whether a line is the key, with nothing behind it.
func isKey(line []byte, name string) bool {
	line = bytes.TrimRight(line, " \r")
	key, ok := bytes.CutSuffix(line, []byte(":"))
	if !ok {
		return false
	}
	return string(key) == name || string(key) == `"`+name+`"` || string(key) == "'"+name+"'"
}
