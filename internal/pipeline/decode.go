package pipeline

import (
	"errors"
	"math"
)

// decoder reads the CBOR that encodeMode makes of an object's fields: maps with text keys, arrays, text, int64, float64, booleans
// and null (RFC 8949; lengths first, nothing indefinite). It takes a third of what the general decoder takes, since strings are parts of the entry
// instead of copies, and nothing goes through reflection. Anything else in its input is an error.
type decoder struct {
	text string
	at   int
}

var errCached = errors.New("reading a cached object: it is no value that gen wrote")

// deepest is how deep values may lie in each other.
const deepest = 1000

// decodeFields returns the one map that text is.
func decodeFields(text string) (map[string]any, error) {
	d := decoder{text: text}
	value, err := d.value(0)
	fields, isMap := value.(map[string]any)
	if err != nil || !isMap || d.at != len(text) {
		return nil, errCached
	}
	return fields, nil
}

// The major types of CBOR that occur.
const (
	unsigned = 0
	negative = 1
	textual  = 3
	array    = 4
	mapping  = 5
	simple   = 7
)

func (d *decoder) value(depth int) (any, error) {
	major, info, n, err := d.head()
	if err != nil || depth > deepest {
		return nil, errCached
	}
	switch major {
	case unsigned, negative:
		if n > math.MaxInt64 {
			return nil, errCached
		}
		if major == negative {
			return -1 - int64(n), nil
		}
		return int64(n), nil
	case textual:
		return d.take(n)
	case array:
		return d.list(n, depth)
	case mapping:
		return d.fields(n, depth)
	case simple:
		return special(info, n)
	}
	return nil, errCached
}

// special returns what the head of a simple value says by itself.
func special(info byte, n uint64) (any, error) {
	switch info {
	case 20, 21:
		return info == 21, nil
	case 22:
		return nil, nil
	case 27:
		return math.Float64frombits(n), nil
	}
	return nil, errCached
}

// head reads the first bytes of a value: its type, and its length or number.
func (d *decoder) head() (major, info byte, n uint64, err error) {
	if d.at >= len(d.text) {
		return 0, 0, 0, errCached
	}
	first := d.text[d.at]
	d.at++
	major, info = first>>5, first&31
	if info < 24 {
		return major, info, uint64(info), nil
	}
	size := 1 << (info - 24)
	if info > 27 || len(d.text)-d.at < size {
		return 0, 0, 0, errCached
	}
	for range size {
		n = n<<8 | uint64(d.text[d.at])
		d.at++
	}
	return major, info, n, nil
}

func (d *decoder) take(n uint64) (string, error) {
	if n > uint64(len(d.text)-d.at) {
		return "", errCached
	}
	start := d.at
	d.at += int(n)
	return d.text[start:d.at], nil
}

func (d *decoder) list(n uint64, depth int) (any, error) {
	if n > uint64(len(d.text)-d.at) { // each item has a byte at least
		return nil, errCached
	}
	items := make([]any, n)
	for i := range items {
		var err error
		if items[i], err = d.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func (d *decoder) fields(n uint64, depth int) (any, error) {
	if n > uint64(len(d.text)-d.at) {
		return nil, errCached
	}
	fields := make(map[string]any, n)
	for range n {
		major, _, length, err := d.head()
		if err != nil || major != textual {
			return nil, errCached
		}
		key, err := d.take(length)
		if err != nil {
			return nil, err
		}
		if fields[key], err = d.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return fields, nil
}
