package imagefield

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Text is a stream of YAML or JSON documents whose references can be edited with every other byte kept: comments, order, quotes, line
// ends (docs/decisions, YAML positions).
type Text struct {
	documents []document
}

// document is one part of the stream, from its "---" to the next.
type document struct {
	raw    []byte
	line   int // of its first line in the stream, from 1
	tree   tree
	err    error
	silent bool // nothing but comments
}

// separator is a line that begins a document. Inside a scalar such a line cannot stand. Helm takes "---# comment" for one, too.
var separator = regexp.MustCompile(`(?m)^---(?:[ \t\r#]|$)`)

// ParseText reads a stream. A document that cannot be read is kept as it is; Problems names it.
func ParseText(data []byte) *Text {
	text, line := &Text{}, 1
	starts := []int{0}
	for _, at := range separator.FindAllIndex(data, -1) {
		if at[0] > 0 {
			starts = append(starts, at[0])
		}
	}
	for i, start := range starts {
		end := len(data)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		text.documents = append(text.documents, parseDocument(data[start:end], line))
		line += bytes.Count(data[start:end], []byte("\n"))
	}
	return text
}

func parseDocument(raw []byte, line int) document {
	d := document{raw: raw, line: line}
	readable := raw
	if bytes.HasPrefix(raw, []byte("---#")) { // not YAML's own, so YAML is shown a comment
		readable = append([]byte("   "), raw[3:]...)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(readable))
	var node, more yaml.Node
	switch err := decoder.Decode(&node); {
	case errors.Is(err, io.EOF):
		d.silent = true
		return d
	case err != nil:
		d.err = err
		return d
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		d.err = errors.New("something follows the end of its document")
		return d
	}
	d.tree, d.err = grow(&node)
	return d
}

// Problem is a document that could not be read, and is kept as it is.
type Problem struct {
	Line int // of the stream, at which it begins
	Err  error
	Text string
}

// Error names the line and the cause.
func (p Problem) Error() string { return fmt.Sprintf("the document at line %d: %s", p.Line, p.Err) }

// Names reports whether the document holds the name of one of hosts.
func (p Problem) Names(hosts []string) bool {
	return slices.ContainsFunc(hosts, func(host string) bool { return names(p.Text, host) })
}

// Problems returns every document that could not be read.
func (t *Text) Problems() []Problem {
	var out []Problem
	for _, d := range t.documents {
		if d.err != nil {
			out = append(out, Problem{d.line, d.err, string(d.raw)})
		}
	}
	return out
}

// Objects returns the objects of the documents, in their order, as they stand: a List is one object.
func (t *Text) Objects() []manifest.Object {
	var out []manifest.Object
	for _, d := range t.documents {
		if fields, ok := d.tree.root.(map[string]any); ok {
			out = append(out, manifest.New(fields))
		}
	}
	return out
}

// Find returns every place of the stream that names an image, document by document.
func (t *Text) Find(options Options) []Hit {
	var out []Hit
	for _, d := range t.documents {
		out = append(out, d.find(options)...)
	}
	return out
}

func (d document) find(options Options) []Hit {
	fields, ok := d.tree.root.(map[string]any)
	if !ok {
		return nil
	}
	return Find(manifest.New(fields), options)
}

// Rewrite returns the stream with every reference replaced by what lookup returns for it; lookup is as in the function Rewrite, and what stays in one
// place stays in all of the stream. Each edited document is read again: where it does not say exactly what the edited object says, the
// document is left as it was, with the references it names.
func (t *Text) Rewrite(options Options, lookup func(reference string) (string, bool)) ([]byte, []Change) {
	refused := map[string]bool{}
	for {
		changes := plan(rewritable(t.Find(options)), func(reference string) (string, bool) {
			if refused[reference] {
				return reference, false
			}
			return lookup(reference)
		})
		out, failed := t.edited(options, changes)
		if len(failed) == 0 {
			return out, changes
		}
		for _, change := range failed {
			refused[change.Hit.Reference] = true
		}
	}
}

func rewritable(hits []Hit) []Hit {
	return slices.DeleteFunc(hits, func(h Hit) bool { return !h.Rewritable })
}

// edited applies changes to their documents; those of documents that would say something else afterwards are returned.
func (t *Text) edited(options Options, changes []Change) ([]byte, []Change) {
	var out []byte
	var failed []Change
	replacement := map[string]string{}
	for _, change := range changes {
		replacement[change.Hit.Reference] = change.New
	}
	for _, d := range t.documents {
		var own []Change
		for _, hit := range rewritable(d.find(options)) {
			if text, ok := replacement[hit.Reference]; ok {
				own = append(own, Change{hit, text})
			}
		}
		raw, ok := d.edit(own)
		if !ok {
			failed = append(failed, own...)
		}
		out = append(out, raw...)
	}
	return out, failed
}

// edit applies changes to the document's bytes, and reads the result again.
func (d document) edit(changes []Change) ([]byte, bool) {
	if len(changes) == 0 {
		return d.raw, true
	}
	todo := edits(d.tree.root, changes)
	spots := map[int]spot{} // by where they begin: an anchored scalar is edited once however often it is used
	for _, e := range todo {
		found, ok := d.locate(e)
		if !ok {
			return d.raw, false
		}
		spots[found.start] = found
	}
	sorted := make([]spot, 0, len(spots))
	for _, s := range spots {
		sorted = append(sorted, s)
	}
	slices.SortFunc(sorted, func(a, b spot) int { return b.start - a.start })
	out := slices.Clone(d.raw)
	for _, s := range sorted {
		out = slices.Concat(out[:s.start], []byte(s.text), out[s.end:])
	}
	want := manifest.Copy(d.tree.root)
	apply(want, todo)
	got := parseDocument(out, d.line)
	if got.err != nil || !reflect.DeepEqual(got.tree.root, want) {
		return d.raw, false
	}
	return out, true
}

// spot is a run of raw bytes and what comes in its place.
type spot struct {
	start, end int
	text       string
}

// locate finds the raw bytes of an edit: in the scalar's own text, the occurrence that is edited.
func (d document) locate(e edit) (spot, bool) {
	node := d.tree.nodes[e.at.id()]
	if node == nil || node.Value == "" {
		return spot{}, false
	}
	old, before := node.Value, 0
	if e.within {
		old = node.Value[e.start:e.end]
		before = strings.Count(node.Value[:e.start], old)
	}
	at := offset(d.raw, node)
	for range before + 1 {
		i := bytes.Index(d.raw[at:], []byte(old))
		if i < 0 {
			return spot{}, false
		}
		at += i + len(old)
	}
	return spot{at - len(old), at, e.text}, true
}

// offset returns where a node begins in raw: yaml counts lines from 1 and columns in characters.
func offset(raw []byte, node *yaml.Node) int {
	at := 0
	for range node.Line - 1 {
		at += bytes.IndexByte(raw[at:], '\n') + 1
	}
	column := 1
	for i := range string(raw[at:]) {
		if column == node.Column {
			return at + i
		}
		column++
	}
	return at
}
