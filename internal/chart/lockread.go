package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ParseLock reads charts.lock strictly: name is the file's name in messages. All mistakes are reported at once, sorted, each
// with its place. Empty data is a lock that pins nothing.
func ParseLock(data []byte, name string) (*Lock, error) {
	p := &lockParser{name: name}
	entries, err := p.file(data)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w; if a merge left it so, restore either side and run `%s`", name, err, LockCommand)
	}
	if len(p.problems) > 0 {
		return nil, p.joined()
	}
	lock, err := NewLock(entries)
	if err != nil {
		return nil, err
	}
	lock.name = name
	return lock, nil
}

// file reads the one document of the file.
func (p *lockParser) file(data []byte) ([]Entry, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	if err := decoder.Decode(&first); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	if err := decoder.Decode(&second); err == nil {
		p.mistake(&second, "file: a second document; a lock is one")
	}
	return p.document(first.Content[0]), nil
}

// lockParser collects mistakes.
type lockParser struct {
	name     string
	problems []problem
}

// problem is a mistake at a place.
type problem struct {
	line, column int
	text         string
}

// mistake notes a mistake at a node.
func (p *lockParser) mistake(at *yaml.Node, format string, args ...any) {
	p.problems = append(p.problems, problem{at.Line, at.Column, fmt.Sprintf(format, args...)})
}

// joined returns all mistakes, sorted by place.
func (p *lockParser) joined() error {
	slices.SortFunc(p.problems, func(a, b problem) int {
		if a.line != b.line {
			return a.line - b.line
		}
		if a.column != b.column {
			return a.column - b.column
		}
		return strings.Compare(a.text, b.text)
	})
	var all []error
	for _, m := range p.problems {
		all = append(all, fmt.Errorf("%s:%d:%d: %s", p.name, m.line, m.column, m.text))
	}
	return errors.Join(all...)
}

// document reads the top of the file.
func (p *lockParser) document(node *yaml.Node) []Entry {
	var charts *yaml.Node
	texts := map[string]string{}
	p.mapping(node, "file", func(key string, value *yaml.Node) bool {
		switch key {
		case "apiVersion", "kind":
			texts[key] = p.text(value, key)
		case "charts":
			charts = value
		default:
			return false
		}
		return true
	})
	if texts["apiVersion"] != "gen/v1" || texts["kind"] != "ChartsLock" {
		p.mistake(node, "apiVersion, kind: this is no gen/v1 ChartsLock; another version of gen wrote it, or another tool; run `%s`", LockCommand)
	}
	var entries []Entry
	seen := map[Source]*yaml.Node{}
	for _, item := range p.list(charts, "charts") {
		entry := p.entry(item)
		if first, ok := seen[entry.Source]; ok {
			p.duplicate(first, item, entry)
			continue
		}
		seen[entry.Source] = item
		entries = append(entries, entry)
	}
	return entries
}

// duplicate reports a second entry of a source. The same line twice is what a union merge of two equal additions leaves: no mistake.
func (p *lockParser) duplicate(first, item *yaml.Node, entry Entry) {
	before := p.quietly(first)
	if before.line() == entry.line() {
		return
	}
	p.mistake(item, "%s: pinned before, in line %d, as %s and here as %s: two branches locked different content; find out which is right, then run `%s`",
		entry.Source, first.Line, before.Digest, entry.Digest, LockCommand)
}

// quietly reads an entry again without reporting.
func (p *lockParser) quietly(item *yaml.Node) Entry {
	return (&lockParser{name: p.name}).entry(item)
}

// entry reads one chart.
func (p *lockParser) entry(node *yaml.Node) Entry {
	var e Entry
	fields := map[string]*string{
		"repo": &e.Repo, "name": &e.Name, "version": &e.Version, "git": &e.Git, "ref": &e.Ref, "path": &e.Path,
		"commit": &e.Commit, "digest": &e.Digest, "url": &e.URL,
	}
	ok := p.mapping(node, "charts", func(key string, value *yaml.Node) bool {
		if key == "dependencies" {
			for _, item := range p.list(value, key) {
				e.Dependencies = append(e.Dependencies, p.dependency(item))
			}
			return true
		}
		return p.field(fields, key, value)
	})
	if !ok {
		return e
	}
	if err := e.Source.Validate(); err != nil {
		p.mistake(node, "charts: %v", err)
	}
	p.pin(node, e.Digest)
	if (e.Git != "") != (e.Commit != "") {
		p.mistake(node, "commit: a chart from git has one, and only that; run `%s`", LockCommand)
	}
	slices.SortFunc(e.Dependencies, func(a, b Dependency) int { return strings.Compare(a.At, b.At) })
	return e
}

// dependency reads one pinned dependency.
func (p *lockParser) dependency(node *yaml.Node) Dependency {
	var d Dependency
	fields := map[string]*string{"at": &d.At, "repo": &d.Repo, "path": &d.Path, "name": &d.Name, "version": &d.Version, "digest": &d.Digest, "url": &d.URL}
	ok := p.mapping(node, "dependencies", func(key string, value *yaml.Node) bool { return p.field(fields, key, value) })
	if !ok {
		return d
	}
	if (d.Repo == "") == (d.Path == "") || d.Name == "" || d.Version == "" {
		p.mistake(node, "dependencies: name, version and one of repo and path are needed; run `%s`", LockCommand)
	}
	if d.Path != "" && validPath(d.Path) != nil {
		p.mistake(node, "path: %q leaves its folder; run `%s`", d.Path, LockCommand)
	}
	if !strings.HasPrefix(d.At, "charts/") || validPath(d.At) != nil {
		p.mistake(node, "at: %q does not lie in charts/; run `%s`", d.At, LockCommand)
	}
	p.pin(node, d.Digest)
	return d
}

// pin checks a digest's form.
func (p *lockParser) pin(node *yaml.Node, digest string) {
	if !digestForm.MatchString(digest) {
		p.mistake(node, "digest: %q is not sha256: or tree-sha256: and 64 hex digits; run `%s`", digest, LockCommand)
	}
}

// field reads a text into its place, if the key is known.
func (p *lockParser) field(fields map[string]*string, key string, value *yaml.Node) bool {
	place, ok := fields[key]
	if ok {
		*place = p.text(value, key)
	}
	return ok
}

// mapping calls take for each key, and reports repeated keys and those that take does not know. It says whether the node is a mapping.
func (p *lockParser) mapping(node *yaml.Node, field string, take func(key string, value *yaml.Node) bool) bool {
	if node.Kind != yaml.MappingNode {
		p.mistake(node, "%s: expected a mapping of keys to values", field)
		return false
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if seen[key.Value] {
			p.mistake(key, "%s: this key stands here twice", key.Value)
			continue
		}
		seen[key.Value] = true
		if !take(key.Value, value) {
			p.mistake(key, "%s: unknown key; another version of gen wrote it, or a hand did", key.Value)
		}
	}
	return true
}

// list returns a sequence's items; no node and an empty one have none.
func (p *lockParser) list(node *yaml.Node, field string) []*yaml.Node {
	if node == nil || node.Tag == "!!null" {
		return nil
	}
	if node.Kind != yaml.SequenceNode {
		p.mistake(node, "%s: expected a list", field)
		return nil
	}
	return node.Content
}

// text returns a string; numbers and the like are refused, for another reader would change them (1.10 to 1.1).
func (p *lockParser) text(node *yaml.Node, field string) string {
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		p.mistake(node, "%s: expected a text; put it into double quotes", field)
		return ""
	}
	return node.Value
}
