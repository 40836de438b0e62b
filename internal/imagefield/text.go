package imagefield

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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
		d.err = inStream(readable, line, err)
		return d
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		d.err = errors.New("something follows the end of its document")
		return d
	}
	d.tree, d.err = grow(&node, len(raw))
	return d
}

// countsFromZero are the messages whose line the library counts from 0 (go.yaml.in/yaml/v3, decode.go, parser.fail): there is no other sign.
var countsFromZero = regexp.MustCompile(`did not find expected ('-' indicator|key|node content|',' or|<document start>)`)

// inStream returns the error of a document that cannot be read with the line of the stream instead of its own.
func inStream(raw []byte, line int, err error) error {
	if !countsFromZero.MatchString(err.Error()) {
		line--
	}
	padded := append(bytes.Repeat([]byte("\n"), line), raw...)
	var node yaml.Node
	if again := yaml.Unmarshal(padded, &node); again != nil {
		return again
	}
	return err
}

// Problem is a document that could not be read, and is kept as it is.
type Problem struct {
	Line int // of the stream, at which it begins
	Err  error
}

// Error names the line and the cause.
func (p Problem) Error() string {
	return fmt.Sprintf("the document that begins at line %d cannot be read: %s", p.Line, p.Err)
}

// Problems returns every document that could not be read.
func (t *Text) Problems() []Problem {
	var out []Problem
	for _, d := range t.documents {
		if d.err != nil {
			out = append(out, Problem{d.line, d.err})
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
	starts := d.starts(todo)
	spots := map[int]spot{} // by where they begin: an anchored scalar is edited once however often it is used
	for _, e := range todo {
		found, ok := d.locate(e, starts)
		if !ok {
			return d.raw, false
		}
		spots[found.start] = found
	}
	out, ok := splice(d.raw, spots)
	if !ok {
		return d.raw, false
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

// splice puts every spot's text into its place; false where two overlap.
func splice(raw []byte, spots map[int]spot) ([]byte, bool) {
	var out []byte
	end := 0
	for _, start := range slices.Sorted(maps.Keys(spots)) {
		if start < end {
			return nil, false
		}
		out = append(append(out, raw[end:start]...), spots[start].text...)
		end = spots[start].end
	}
	return append(out, raw[end:]...), true
}

// locate finds the raw bytes of an edit: in the scalar's own text, the occurrence that is edited.
func (d document) locate(e edit, starts map[*yaml.Node]int) (spot, bool) {
	node := d.tree.nodes[e.at.id()]
	if node == nil || node.Value == "" {
		return spot{}, false
	}
	old, before := node.Value, 0
	if e.within {
		old = node.Value[e.start:e.end]
		before = strings.Count(node.Value[:e.start], old)
	}
	at := starts[node]
	for range before + 1 {
		i := bytes.Index(d.raw[at:], []byte(old))
		if i < 0 {
			return spot{}, false
		}
		at += i + len(old)
	}
	return spot{at - len(old), at, e.text}, true
}

// starts returns where the nodes of edits begin in raw, in one pass over it: a stream may be one line of many megabytes. yaml counts lines from
// 1 and columns in characters.
func (d document) starts(todo []edit) map[*yaml.Node]int {
	var nodes []*yaml.Node
	for _, e := range todo {
		if node := d.tree.nodes[e.at.id()]; node != nil {
			nodes = append(nodes, node)
		}
	}
	slices.SortFunc(nodes, func(a, b *yaml.Node) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	out := make(map[*yaml.Node]int, len(nodes))
	at, line, column := 0, 1, 1
	for _, node := range nodes {
		for line < node.Line {
			i := bytes.IndexByte(d.raw[at:], '\n')
			if i < 0 {
				break
			}
			at, line, column = at+i+1, line+1, 1
		}
		for column < node.Column && at < len(d.raw) {
			_, size := utf8.DecodeRune(d.raw[at:])
			at, column = at+size, column+1
		}
		out[node] = at
	}
	return out
}
