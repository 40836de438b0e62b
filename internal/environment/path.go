package environment

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// plainKey is a key that stands in a path without quotes.
var plainKey = regexp.MustCompile(`^[^.\[\]"\s]+$`)

// PathString writes the elements of a path: keys are joined with dots, keys that hold a dot, a bracket, a quote or a space
// stand in brackets and quotes, list items in brackets: a.b["c.d/e"][0]. An element that is an int is a list item, any
// other is a key.
func PathString(elements ...any) string {
	path := ""
	for _, element := range elements {
		switch e := element.(type) {
		case int:
			path = itemPath(path, e)
		default:
			path = keyPath(path, fmt.Sprint(e))
		}
	}
	return path
}

// keyPath is the path of the entry key below path.
func keyPath(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// itemPath is the path of item i below path.
func itemPath(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

// parentPath is the path above. A key in quotes may be cut inside of the quotes first, which names nothing.
func parentPath(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// ParsePath reads what PathString writes, and a path that begins with a dot. It returns an error that shows where it stops
// being one.
func ParsePath(path string) ([]any, error) {
	var elements []any
	rest := strings.TrimPrefix(path, ".")
	for rest != "" {
		element, after, err := nextElement(rest)
		if err != nil {
			return nil, fmt.Errorf("reading path %q at %q: %w; write it as a.b[\"c.d\"][0]", path, rest, err)
		}
		elements = append(elements, element)
		if dotted, ok := strings.CutPrefix(after, "."); ok && dotted != "" && dotted[0] != '[' {
			after = dotted
		}
		rest = after
	}
	return elements, nil
}

// nextElement cuts the first element off a path that is not empty.
func nextElement(path string) (element any, rest string, err error) {
	if path[0] != '[' {
		end := strings.IndexAny(path, ".[")
		switch end {
		case -1:
			return path, "", nil
		case 0:
			return nil, "", fmt.Errorf("a key is missing")
		}
		return path[:end], path[end:], nil
	}
	if len(path) > 1 && path[1] == '"' {
		quoted, err := strconv.QuotedPrefix(path[1:])
		if err != nil || !strings.HasPrefix(path[1+len(quoted):], "]") {
			return nil, "", fmt.Errorf("the quoted key does not end in \"]")
		}
		key, err := strconv.Unquote(quoted)
		return key, path[len(quoted)+2:], err
	}
	end := strings.IndexByte(path, ']')
	if end < 0 {
		return nil, "", fmt.Errorf("a bracket is not closed")
	}
	i, err := strconv.Atoi(path[1:end])
	if err != nil || i < 0 {
		return nil, "", fmt.Errorf("%q is no list index", path[1:end])
	}
	return i, path[end+1:], nil
}

// at returns what stands in tree under the elements, and whether anything does.
func at(tree any, elements []any) (any, bool) {
	for _, element := range elements {
		switch e := element.(type) {
		case int:
			list, ok := tree.([]any)
			if !ok || e >= len(list) {
				return nil, false
			}
			tree = list[e]
		case string:
			entries, ok := tree.(map[string]any)
			if !ok {
				return nil, false
			}
			if tree, ok = entries[e]; !ok {
				return nil, false
			}
		}
	}
	return tree, true
}
