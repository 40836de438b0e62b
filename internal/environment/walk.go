package environment

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// walker visits every node of a document once a place: it notes where each path stands and refuses what could not be
// read in one way only.
type walker struct {
	doc   *document
	c     *collector
	above map[*yamlv3.Node]bool // the nodes on the way down: an alias to one of them never ends
	seen  *int
	// endless is set where reading on would not end, or not soon.
	endless *bool
}

// walk visits n, which stands under path.
func (w walker) walk(n *yamlv3.Node, path string) {
	if *w.seen++; *w.seen >= maxNodes {
		*w.endless = true
		if *w.seen == maxNodes {
			w.c.add(w.doc.origin(n), path, "the file has more than %d values once its aliases are expanded; write fewer aliases", maxNodes)
		}
		return
	}
	if n.Kind == yamlv3.AliasNode {
		if w.above[n.Alias] {
			*w.endless = true
			w.c.add(w.doc.origin(n), path, "alias *%s stands inside its own anchor, which never ends; remove it", n.Value)
			return
		}
		n = n.Alias
	}
	w.above[n] = true
	defer delete(w.above, n)
	switch n.Kind {
	case yamlv3.MappingNode:
		for _, e := range w.entries(n, path) {
			w.doc.at[keyPath(path, e.name)] = w.place(e)
			w.walk(e.value, keyPath(path, e.name))
		}
	case yamlv3.SequenceNode:
		for i, item := range n.Content {
			w.doc.at[itemPath(path, i)] = w.doc.origin(item)
			w.walk(item, itemPath(path, i))
		}
	case yamlv3.ScalarNode:
		w.scalar(n, path)
	}
}

// place is where an entry stands: a scalar's own place, else its key's, which is nearer to what people look for.
func (w walker) place(e entry) Origin {
	if e.value.Kind == yamlv3.ScalarNode || e.value.Kind == yamlv3.AliasNode {
		return w.doc.origin(e.value)
	}
	return w.doc.origin(e.key)
}

// entries lists a mapping's entries and notes keys that repeat or are no text.
func (w walker) entries(n *yamlv3.Node, path string) []entry {
	first := map[string]*yamlv3.Node{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yamlv3.AliasNode {
			key = key.Alias
		}
		if key.Kind != yamlv3.ScalarNode {
			w.c.add(w.doc.origin(key), path, "a key is a map or a list: keys are text; write text")
			continue
		}
		if isNull(key) {
			w.c.add(w.doc.origin(key), path, "a key is empty: keys are text; write text, or quote it")
			continue
		}
		if key.ShortTag() == "!!merge" {
			if i > 0 {
				w.c.add(w.doc.origin(key), keyPath(path, "<<"), "stands after other keys: readers of YAML disagree on which value wins then; put it first, and once")
			}
			w.merges(n.Content[i+1], path)
			continue
		}
		name := keyName(key)
		if before, twice := first[name]; twice {
			w.c.add(w.doc.origin(n.Content[i]), keyPath(path, name), "stands in line %d already: one of the two would be lost; keep one", before.Line)
			continue
		}
		first[name] = n.Content[i]
	}
	return entriesOf(n)
}

// merges notes what cannot be merged under <<.
func (w walker) merges(n *yamlv3.Node, path string) {
	if n.Kind == yamlv3.SequenceNode {
		if len(n.Content) > maxMerges {
			*w.endless = true
			w.c.add(w.doc.origin(n), keyPath(path, "<<"), "merges %d maps: at most %d are read; merge fewer", len(n.Content), maxMerges)
		}
		for _, item := range n.Content {
			w.merges(item, path)
		}
		return
	}
	target := n
	if n.Kind == yamlv3.AliasNode {
		target = n.Alias
	}
	switch {
	case target.Kind != yamlv3.MappingNode:
		w.c.add(w.doc.origin(n), keyPath(path, "<<"), "merges what is no map; name an anchor of a map")
	case w.above[target]:
		*w.endless = true
		w.c.add(w.doc.origin(n), keyPath(path, "<<"), "merges a map into itself, which never ends; remove it")
	}
}

// wholeNumber is a number without fraction, as YAML 1.1 and people write it.
var wholeNumber = regexp.MustCompile(`^[-+]?[0-9][0-9_]*$`)

// scalar refuses values that one of the readers of YAML would change.
func (w walker) scalar(n *yamlv3.Node, path string) {
	text := strings.ToLower(strings.TrimLeft(n.Value, "+-"))
	switch tag := n.ShortTag(); {
	case n.Style != 0 && n.Style&yamlv3.TaggedStyle == 0:
	case tag == "!!float" && (text == ".inf" || text == ".nan"):
		w.c.add(w.doc.origin(n), path, "%s is no number that JSON, and thus Kubernetes, can hold; write a number, or quote it as text", n.Value)
	case (tag == "!!int" || tag == "!!float") && wholeNumber.MatchString(n.Value) && tooLarge(n.Value):
		w.c.add(w.doc.origin(n), path, "%s is larger than 64 bits hold (%d): it would be rounded; quote it as text", n.Value, math.MaxInt64)
	case strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!"):
		w.c.add(w.doc.origin(n), path, "has the tag %s, which nothing here reads; remove the tag", n.Tag)
	}
}

// tooLarge reports whether a whole number does not fit into an int64.
func tooLarge(number string) bool {
	_, err := strconv.ParseInt(strings.ReplaceAll(number, "_", ""), 10, 64)
	return err != nil
}

// entry is one key and value of a mapping.
type entry struct {
	name       string
	key, value *yamlv3.Node
}

// entriesOf lists a mapping's entries in their order, those merged by << last and only where the mapping has no such key.
func entriesOf(n *yamlv3.Node) []entry {
	return listEntries(n, map[string]bool{}, map[*yamlv3.Node]bool{})
}

// listEntries lists the entries of n and of what it merges, whose keys are not yet in have. A map that was seen gives
// nothing new, so that merges of merges end soon.
func listEntries(n *yamlv3.Node, have map[string]bool, seen map[*yamlv3.Node]bool) []entry {
	var entries []entry
	var merged []*yamlv3.Node
	seen[n] = true
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yamlv3.AliasNode {
			key = key.Alias
		}
		if key.Kind != yamlv3.ScalarNode {
			continue
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, n.Content[i+1])
			continue
		}
		if name := keyName(key); !have[name] {
			have[name] = true
			entries = append(entries, entry{name, n.Content[i], n.Content[i+1]})
		}
	}
	return append(entries, mergedEntries(merged, have, seen)...)
}

// mergedEntries lists the entries of the maps under <<, the first to state a key winning.
func mergedEntries(merged []*yamlv3.Node, have map[string]bool, seen map[*yamlv3.Node]bool) []entry {
	var entries []entry
	for _, n := range merged[:min(len(merged), maxMerges)] {
		if n.Kind == yamlv3.AliasNode {
			n = n.Alias
		}
		switch {
		case seen[n]:
		case n.Kind == yamlv3.SequenceNode:
			seen[n] = true
			entries = append(entries, mergedEntries(n.Content, have, seen)...)
		case n.Kind == yamlv3.MappingNode:
			entries = append(entries, listEntries(n, have, seen)...)
		}
	}
	return entries
}

// plainText is a key that is text in every version of YAML, if it is none of the words below.
var plainText = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)

// yamlWords are the plain words that YAML 1.1 reads as something else than text.
var yamlWords = map[string]bool{
	"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true, "null": true,
}

// keyName is the name under which the tree of YAML 1.1 holds the key: `on` is "true".
func keyName(key *yamlv3.Node) string {
	if key.Style != 0 || plainText.MatchString(key.Value) && !yamlWords[strings.ToLower(key.Value)] {
		return key.Value
	}
	one := map[string]any{}
	if err := yaml.Unmarshal([]byte(key.Value+": 1\n"), &one); err != nil || len(one) != 1 {
		return key.Value
	}
	for name := range one {
		return name
	}
	return key.Value
}
