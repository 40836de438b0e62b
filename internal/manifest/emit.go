package manifest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Emit returns the object as canonical YAML: sorted keys, two spaces, no folding, a final newline. Decode of the result gives the
// object again, under YAML 1.1 and 1.2. It refuses values that no decoder makes (a Go int, NaN).
func Emit(o Object) ([]byte, error) { return Append(make([]byte, 0, 4096), o) }

// Append appends what Emit returns to out, so that whoever emits many objects can use one buffer.
func Append(out []byte, o Object) ([]byte, error) {
	if len(o.fields) == 0 {
		return append(out, "{}\n"...), nil
	}
	out, err := appendMap(out, o.fields, 0)
	if err != nil {
		return nil, fmt.Errorf("emitting %s: %w", o.ID(), err)
	}
	return out, nil
}

// EmitValue returns any decoded value as canonical YAML, for reports and values.
func EmitValue(value any) ([]byte, error) {
	out, err := appendValue(nil, value, 0, false)
	if err != nil {
		return nil, fmt.Errorf("emitting a value: %w", err)
	}
	if len(out) > 0 && (out[0] == ' ' || out[0] == '\n') {
		out = out[1:]
	}
	return out, nil
}

// maxKey is how long a key may be before YAML 1.1 demands the "? key" form (1024 characters; kept well below).
const maxKey = 900

// appendMap writes the entries of a non-empty map, each line beginning at indent; the first entry too.
func appendMap(out []byte, fields map[string]any, indent int) ([]byte, error) {
	return appendEntries(out, fields, indent, false)
}

// appendEntries writes a map's entries; inline says that the first one continues a line ("- key: …").
func appendEntries(out []byte, fields map[string]any, indent int, inline bool) ([]byte, error) {
	var buffer [16]string // most maps are small: their keys lie on the stack
	var err error
	for i, key := range sortedKeys(buffer[:0], fields) {
		if i > 0 || !inline {
			out = appendIndent(out, indent)
		}
		if out, err = appendEntry(out, key, fields[key], indent); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sortedKeys appends the keys of a map to buffer, sorted.
func sortedKeys(buffer []string, fields map[string]any) []string {
	for key := range fields {
		buffer = append(buffer, key)
	}
	slices.Sort(buffer)
	return buffer
}

// appendEntry writes a key and its value; the line is indented already.
func appendEntry(out []byte, key string, value any, indent int) ([]byte, error) {
	start := len(out)
	out = appendKey(out, key)
	if len(out)-start > maxKey {
		out = slices.Insert(out, start, '?', ' ')
		out = append(out, '\n')
		out = appendIndent(out, indent)
	}
	out, err := appendValue(append(out, ':'), value, indent, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return out, nil
}

// appendValue writes a value after "key:" or "-", up to and with its final newline. indent is the parent's; inList says that the
// value follows a dash, where maps and lists begin on the same line.
func appendValue(out []byte, value any, indent int, inList bool) ([]byte, error) {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return append(out, " {}\n"...), nil
		}
		if inList {
			return appendEntries(append(out, ' '), v, indent+2, true)
		}
		return appendMap(append(out, '\n'), v, indent+2)
	case []any:
		return appendList(out, v, indent, inList)
	case string:
		return appendString(append(out, ' '), v, indent+2), nil
	}
	return appendScalar(append(out, ' '), value)
}

func appendList(out []byte, items []any, indent int, inList bool) ([]byte, error) {
	if len(items) == 0 {
		return append(out, " []\n"...), nil
	}
	if inList {
		// "- - item": the inner dashes stand two further in, the first on the same line
		indent += 2
		out = append(out, ' ')
	} else {
		out = append(out, '\n')
	}
	var err error
	for i, item := range items {
		if i > 0 || !inList {
			out = appendIndent(out, indent)
		}
		if out, err = appendValue(append(out, '-'), item, indent, true); err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
	}
	return out, nil
}

func appendScalar(out []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		out = append(out, "null"...)
	case bool:
		out = strconv.AppendBool(out, v)
	case int64:
		out = strconv.AppendInt(out, v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v is no JSON number", v)
		}
		out = appendFloat(out, v)
	default:
		return nil, fmt.Errorf("a %T is no decoded value", value)
	}
	return append(out, '\n'), nil
}

// appendFloat writes a float so that both YAML versions read a float: with a point, and a signed exponent.
func appendFloat(out []byte, v float64) []byte {
	start := len(out)
	out = strconv.AppendFloat(out, v, 'g', -1, 64)
	exponent := slices.Index(out[start:], 'e')
	if slices.Contains(out[start:], '.') {
		return out
	}
	if exponent < 0 {
		return append(out, ".0"...)
	}
	return slices.Insert(out, start+exponent, '.', '0')
}

const spaces = "                                                                "

func appendIndent(out []byte, n int) []byte {
	for n > len(spaces) {
		out, n = append(out, spaces...), n-len(spaces)
	}
	return append(out, spaces[:n]...)
}
