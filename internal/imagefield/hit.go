package imagefield

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Tier says how a place was recognised.
type Tier string

// The tiers, surest first.
const (
	Typed      Tier = "typed"      // a container, an image volume, or any list of objects with name and image
	Registered Tier = "registered" // a path that the table of kinds names
	Value      Tier = "value"      // a token that begins with the host of a registry
)

// Hit is one place that names an image.
type Hit struct {
	Object     manifest.ID
	Path       string // for people: spec.template.spec.containers.server.image; list items by name where they have one
	Reference  string // as found
	Tier       Tier
	Start, End int    // the bytes of Reference within the string at Path
	Rewritable bool   // whether Rewrite may put another reference there
	Note       string // why it is not rewritable, or what to mind

	at    path   // where the string stands
	split *Split // set where several fields make one reference
	parts path   // where these fields stand
}

// step is one key of a map or one index of a list.
type step struct {
	key   string
	index int
	list  bool
	label string // for people
}

// path is where a value stands. A walk makes the path of each value in the memory of its neighbour's: keep what is to stay.
type path []step

func (p path) String() string {
	labels := make([]string, len(p))
	for i, s := range p {
		labels[i] = s.label
	}
	return strings.Join(labels, ".")
}

// keep returns the path for longer than the walk is there.
func (p path) keep() path { return slices.Clone(p) }

// id is a path as a map key: without names, which need not be unique.
func (p path) id() string { return string(p.appendID(nil)) }

func (p path) appendID(out []byte) []byte {
	for _, s := range p {
		if s.list {
			out = strconv.AppendInt(append(out, 1), int64(s.index), 10)
		} else {
			out = append(append(out, 0), s.key...)
		}
	}
	return out
}

// key returns the path with a further map key.
func (p path) key(name string) path { return append(p, step{key: name, label: name}) }

// item returns the path with a further list index; the item's own name is its label.
func (p path) item(index int, value any) path {
	label := strconv.Itoa(index)
	if fields, ok := value.(map[string]any); ok {
		if name, ok := fields["name"].(string); ok && name != "" {
			label = name
		}
	}
	return append(p, step{index: index, list: true, label: label})
}

// get returns the value at p under root.
func (p path) get(root any) any {
	for _, s := range p {
		switch at := root.(type) {
		case map[string]any:
			root = at[s.key]
		case []any:
			if !s.list || s.index >= len(at) {
				return nil
			}
			root = at[s.index]
		default:
			return nil
		}
	}
	return root
}

// set puts value at p under root, whose containers on the way exist.
func (p path) set(root, value any) {
	last := p[len(p)-1]
	switch at := p[:len(p)-1].get(root).(type) {
	case map[string]any:
		at[last.key] = value
	case []any:
		at[last.index] = value
	}
}
