package manifest

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// appendString writes a string value with its final newline. indent is where lines of a literal block begin.
func appendString(out []byte, s string, indent int) []byte {
	if strings.IndexByte(s, '\n') >= 0 && literalSafe(s) {
		return appendLiteral(out, s, indent)
	}
	return append(appendKey(out, s), '\n')
}

// appendKey writes a string on one line: plain where every reader takes it for that string, else double-quoted.
func appendKey(out []byte, s string) []byte {
	if plainSafe(s) {
		return append(out, s...)
	}
	return appendQuoted(out, s)
}

// appendLiteral writes a literal block: "|" for one final newline, "|-" for none, "|+" for more.
func appendLiteral(out []byte, s string, indent int) []byte {
	out = append(out, '|')
	if s[0] == ' ' {
		out = append(out, '2') // a first line that begins with a space hides where the block begins
	}
	body := strings.TrimSuffix(s, "\n")
	switch {
	case body == s:
		out = append(out, '-')
	case strings.HasSuffix(body, "\n"):
		out = append(out, '+')
	}
	for line := range strings.SplitSeq(body, "\n") {
		out = append(out, '\n')
		if line != "" {
			out = append(appendIndent(out, indent), line...)
		}
	}
	return append(out, '\n')
}

// literalSafe reports whether a literal block brings the string back: printable, and with a first line that has content.
// Readers disagree on leading empty lines (yaml.v3 loses them) and on other line breaks (U+0085, U+2028).
func literalSafe(s string) bool {
	first, _, _ := strings.Cut(s, "\n")
	if strings.TrimLeft(first, " ") == "" || first[0] == '\t' || strings.HasSuffix(s, "\n\n") && strings.Trim(s, "\n") == "" {
		return false
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && !printable(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// printable reports whether a rune may stand unescaped in every YAML reader we know.
func printable(r rune) bool {
	if r < 0x7f {
		return r >= 0x20
	}
	return r != utf8.RuneError && r != 0xfeff && unicode.IsPrint(r)
}

// plainSafe reports whether s, unquoted, is a string under YAML 1.1 and 1.2. It errs towards quotes.
func plainSafe(s string) bool {
	if s == "" || !plainStart(s) || !plainBytes(s) {
		return false
	}
	return !reserved(s) && !numberLike(s)
}

func plainStart(s string) bool {
	c := s[0]
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '_', c == '.', c == '$', c == '(', c == '+', c == '^':
		return true
	case c == '-':
		return len(s) > 2 && (s[1] == '-' && s[2] != '-' && s[2] != ' ' || isLetter(s[1]))
	}
	return false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// plainBytes reports whether s is printable ASCII with nothing that ends a plain scalar: ": ", " #", a final colon or space.
func plainBytes(s string) bool {
	for i := range len(s) {
		c := s[i]
		last := i == len(s)-1
		switch {
		case c < 0x20 || c > 0x7e:
			return false
		case c == ':' && (last || s[i+1] == ' '), c == '#' && s[i-1] == ' ', c == ' ' && last:
			return false
		}
	}
	return true
}

// reserved reports the words that YAML 1.1 or 1.2 reads as null, boolean, merge or default, in any case.
func reserved(s string) bool {
	if len(s) > 5 {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "<<", "=", ".inf", "+.inf", ".nan":
		return true
	}
	return false
}

// numberLike reports strings that some reader may take for a number, a base-60 number or a timestamp.
func numberLike(s string) bool {
	if c := s[0]; (c < '0' || c > '9') && c != '.' && c != '+' && c != '-' {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		case strings.IndexByte("_.:+-xXoOtTzZ ", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// appendQuoted writes a double-quoted string on one line, never folded.
func appendQuoted(out []byte, s string) []byte {
	out = append(out, '"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\t':
			out = append(out, `\t`...)
		case r == '\r':
			out = append(out, `\r`...)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			out = append(out, `\uFFFD`...) // what JSON makes of bytes that are not UTF-8
		case printable(r):
			out = utf8.AppendRune(out, r)
		default:
			out = appendEscape(out, r)
		}
	}
	return append(out, '"')
}

func appendEscape(out []byte, r rune) []byte {
	digits := strconv.FormatInt(int64(r), 16)
	width, letter := 8, byte('U')
	switch {
	case r <= 0xff:
		width, letter = 2, 'x'
	case r <= 0xffff:
		width, letter = 4, 'u'
	}
	out = append(out, '\\', letter)
	for range width - len(digits) {
		out = append(out, '0')
	}
	return append(out, digits...)
}
