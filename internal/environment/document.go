package environment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Limits on one file. A model is written by people: what is larger is something else, or meant to harm.
const (
	maxFile   = 1 << 20 // bytes
	maxNodes  = 200_000 // YAML nodes once aliases are expanded
	maxMerges = 64      // maps in one <<
)

// document is one parsed file, in two readings of the same bytes: root has positions, tree means what Helm reads
// (YAML 1.1, integers kept).
type document struct {
	file, layer string
	root        *yamlv3.Node
	tree        any
	at          map[string]Origin // each path to where it stands
	stated      map[string]bool   // typed paths that the file states, rightly or wrongly
	broken      map[string]bool   // those that could not be read: what they would say is unknown, not missing
}

// origin is the place of a node.
func (d *document) origin(n *yamlv3.Node) Origin {
	return Origin{d.layer, d.file, max(n.Line, 1), max(n.Column, 1)}
}

// says reports whether the file says something of a path, be it in a way that could not be read.
func (d *document) says(path string) bool {
	if d.stated[path] {
		return true
	}
	for ; path != ""; path = parentPath(path) {
		if d.broken[path] {
			return true
		}
	}
	return d.broken[""]
}

// top is the place that stands for the whole file.
func (d *document) top() Origin { return Origin{d.layer, d.file, 1, 1} }

// find is the place of a path, or of the nearest path above it that has one.
func (d *document) find(path string) Origin {
	for ; path != ""; path = parentPath(path) {
		if origin, ok := d.at[path]; ok {
			return origin
		}
	}
	return d.top()
}

// parse reads the bytes of a file. It returns nil where they hold nothing that could be looked at further, and notes why.
func parse(file, layer string, data []byte, c *collector) *document {
	d := &document{file: file, layer: layer, at: map[string]Origin{}, stated: map[string]bool{}, broken: map[string]bool{}}
	if !d.readable(data, c) {
		return nil
	}
	decoder := yamlv3.NewDecoder(bytes.NewReader(data))
	var doc, second yamlv3.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF), err == nil && isNull(&doc):
		c.add(d.top(), "", "is empty: it states nothing; fill it or delete it")
		return nil
	case err != nil:
		c.add(d.syntax(data, err), "", "is no YAML: %s", plainSyntax(err))
		return nil
	}
	d.root = doc.Content[0]
	if err := decoder.Decode(&second); err == nil {
		c.add(d.origin(&second), "", "begins a second document: one file holds one; split the file at this line")
		return nil
	} else if !errors.Is(err, io.EOF) {
		c.add(d.syntax(data, err), "", "is no YAML: %s", plainSyntax(err))
		return nil
	}
	before := len(c.found)
	w := walker{doc: d, c: c, above: map[*yamlv3.Node]bool{}, seen: new(int), endless: new(bool)}
	if w.walk(d.root, ""); *w.endless {
		return nil
	}
	tree, err := decodeTree(data)
	switch {
	case err != nil && len(c.found) > before: // the walk has said why
		return nil
	case err != nil:
		c.add(d.syntax(data, err), "", "is no YAML 1.1, which Helm and Kubernetes read: %s", plainSyntax(err))
		return nil
	}
	d.tree = tree
	return d
}

// readable refuses what is no text of a model's size.
func (d *document) readable(data []byte, c *collector) bool {
	switch {
	case len(data) > maxFile:
		c.add(d.top(), "", "has %d bytes: a file of the model holds at most %d; keep large content in charts or manifests", len(data), maxFile)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		c.add(d.top(), "", "is no UTF-8 text: it holds binary data or another encoding; save it as UTF-8 or delete it")
	default:
		return true
	}
	return false
}

// decodeTree reads YAML as manifest.Decode does.
func decodeTree(data []byte) (any, error) {
	raw, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	return tree, nil
}

// syntaxLine finds the line in an error of the YAML libraries, which give it in no other way.
var syntaxLine = regexp.MustCompile(`^(?:error converting YAML to JSON: )?yaml: (?:line (\d+): )?`)

// parserError are the messages whose line the library counts from 0 (go.yaml.in/yaml/v3, decode.go, parser.fail).
var parserError = regexp.MustCompile(`did not find expected ('-' indicator|key|node content|',' or|<document start>)`)

// unknownAnchor is the message that comes without a line.
var unknownAnchor = regexp.MustCompile(`unknown anchor '(.+)' referenced`)

// syntax is the place of a syntax error: that of a tab in the indentation where one stands there, since it is the usual cause.
func (d *document) syntax(data []byte, err error) Origin {
	origin := d.top()
	if found := unknownAnchor.FindStringSubmatch(err.Error()); found != nil {
		before, _, _ := strings.Cut(string(data), "*"+found[1])
		origin.Line, origin.Column = strings.Count(before, "\n")+1, len(before)-strings.LastIndexByte(before, '\n')
		return origin
	}
	if found := syntaxLine.FindStringSubmatch(err.Error()); found != nil && found[1] != "" {
		origin.Line, _ = strconv.Atoi(found[1])
		if parserError.MatchString(err.Error()) {
			origin.Line++
		}
	}
	lines := strings.Split(string(data), "\n")
	for line := origin.Line; line <= min(origin.Line+1, len(lines)); line++ {
		text := strings.TrimLeft(lines[line-1], " ")
		if strings.HasPrefix(text, "\t") {
			origin.Line, origin.Column = line, len(lines[line-1])-len(text)+1
			break
		}
	}
	return origin
}

// plainSyntax is the library's message without the line that the place already tells, and with help for tabs.
func plainSyntax(err error) string {
	if found := unknownAnchor.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Sprintf("*%s is an alias, and no &%[1]s stands before it; name an anchor, or quote the text", found[1])
	}
	text := strings.TrimPrefix(err.Error(), syntaxLine.FindString(err.Error()))
	return fmt.Sprintf("%s; mend the line (indent with spaces, never tabs; quote text that begins with @, `, %%, {, [, * or &)", text)
}

// isNull reports whether a node is null or a document of nothing else.
func isNull(n *yamlv3.Node) bool {
	if n.Kind == yamlv3.DocumentNode {
		return len(n.Content) == 0 || isNull(n.Content[0])
	}
	return n.Kind == yamlv3.ScalarNode && n.ShortTag() == "!!null"
}

// below gives the places of what stands below a path, by the path from there.
func (d *document) below(path string) map[string]Origin {
	found := map[string]Origin{}
	for p, origin := range d.at {
		rest, ok := strings.CutPrefix(p, path)
		if ok && rest != "" && (rest[0] == '.' || rest[0] == '[') {
			found[strings.TrimPrefix(rest, ".")] = origin
		}
	}
	return found
}
