package render

import (
	"maps"
	"slices"
	"strings"
	"text/template/parse"

	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// references finds which values a chart's templates read, without running them.
type references struct {
	trees  map[string]*parse.Tree // by file and by define
	prefix map[string]string      // of a tree: what its chart's values are called in the values of the whole, "db." for a dependency
}

func newReferences(c *chart.Chart) *references {
	r := &references{trees: map[string]*parse.Tree{}, prefix: map[string]string{}}
	r.add(c, "")
	return r
}

func (r *references) add(c *chart.Chart, prefix string) {
	for _, template := range c.Templates {
		name := c.ChartFullPath() + "/" + template.Name
		tree := parse.New(name)
		tree.Mode = parse.SkipFuncCheck
		trees := map[string]*parse.Tree{}
		if _, err := tree.Parse(string(template.Data), "", "", trees); err != nil {
			continue // the engine, which parses all of them, has said so
		}
		for name, tree := range trees {
			r.trees[name], r.prefix[name] = tree, prefix
		}
	}
	for _, dependency := range c.Dependencies() {
		r.add(dependency, prefix+dependency.Name()+".")
	}
}

// of returns the dotted paths of the values that a template file reads, itself or through what it includes, sorted.
func (r *references) of(file string) []string {
	w := referenceWalk{references: r, seen: map[string]bool{}, found: map[string]bool{}}
	w.tree(file)
	return slices.Sorted(maps.Keys(w.found))
}

type referenceWalk struct {
	*references
	prefix      string
	seen, found map[string]bool
}

func (w *referenceWalk) tree(name string) {
	tree := w.trees[name]
	if tree == nil || w.seen[name] {
		return
	}
	w.seen[name] = true
	before := w.prefix
	w.prefix = w.references.prefix[name]
	w.list(tree.Root)
	w.prefix = before
}

func (w *referenceWalk) list(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		w.node(node)
	}
}

func (w *referenceWalk) node(node parse.Node) {
	switch n := node.(type) {
	case *parse.ActionNode:
		w.pipe(n.Pipe)
	case *parse.IfNode:
		w.branch(n.BranchNode)
	case *parse.RangeNode:
		w.branch(n.BranchNode)
	case *parse.WithNode:
		w.branch(n.BranchNode)
	case *parse.TemplateNode:
		w.pipe(n.Pipe)
		w.tree(n.Name)
	case *parse.PipeNode:
		w.pipe(n)
	case *parse.ChainNode:
		w.node(n.Node)
	case *parse.FieldNode:
		w.value(n.Ident)
	case *parse.VariableNode:
		w.value(n.Ident[1:])
	}
}

func (w *referenceWalk) branch(b parse.BranchNode) {
	w.pipe(b.Pipe)
	w.list(b.List)
	w.list(b.ElseList)
}

func (w *referenceWalk) pipe(pipe *parse.PipeNode) {
	if pipe == nil {
		return
	}
	for _, command := range pipe.Cmds {
		for i, arg := range command.Args {
			w.node(arg)
			if name, ok := arg.(*parse.StringNode); ok && i == 1 && command.Args[0].String() == "include" {
				w.tree(name.Text)
			}
		}
	}
}

// value notes .Values.a.b; .Values alone says nothing.
func (w *referenceWalk) value(fields []string) {
	if len(fields) > 1 && fields[0] == "Values" {
		path := strings.Join(fields[1:], ".")
		if fields[1] != "global" { // which keeps its name in dependencies
			path = w.prefix + path
		}
		w.found[path] = true
	}
}
