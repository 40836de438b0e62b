package imagefield

import "strings"

// Kind says where objects of one kind name images. Paths are dotted; "*" stands for every item of a list or every key of a map.
type Kind struct {
	Group, Kind string
	Paths       []string // strings that are whole references
}

// split is a reference in several fields.
type split struct{}

func (s *split) under(path) *split { return s }

// table names the kinds whose image fields are not told by their shape.
var table = []Kind{}

func (f *finder) registered(fields map[string]any, extra []Kind) {
	for _, kind := range append(table[:len(table):len(table)], extra...) {
		if kind.Group != f.id.Group || kind.Kind != f.id.Kind {
			continue
		}
		for _, p := range kind.Paths {
			f.follow(nil, fields, strings.Split(p, "."))
		}
	}
}

// follow claims the strings at a pattern of keys.
func (f *finder) follow(at path, value any, pattern []string) {
	if len(pattern) == 0 {
		if reference, ok := value.(string); ok {
			f.whole(Registered, at, reference)
		}
		return
	}
	switch v := value.(type) {
	case map[string]any:
		if next, ok := v[pattern[0]]; ok {
			f.follow(at.key(pattern[0]), next, pattern[1:])
		}
	case []any:
		for i, item := range v {
			if pattern[0] == "*" {
				f.follow(at.item(i, item), item, pattern[1:])
			}
		}
	}
}
