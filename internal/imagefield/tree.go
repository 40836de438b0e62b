package imagefield

import (
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"
)

// tree is a document as values, with the node behind every scalar. Only strings keep their value: nothing else names an image.
type tree struct {
	root  any
	nodes map[string]*yaml.Node // by path
}

// How many values a document may have after its aliases are followed, beyond the number of its bytes, which bounds what it can hold without
// aliases; and how deep they may lie.
const (
	treeLimit = 250_000
	treeDepth = 200
)

// grower makes a tree; it stops where aliases multiply a document beyond measure.
type grower struct {
	nodes map[string]*yaml.Node
	count int
	limit int
	open  []*yaml.Node // anchors that are being followed
}

var errTooDeep = errors.New("it is nested too deeply, or its aliases expand beyond measure or into themselves")

func grow(node *yaml.Node, size int) (tree, error) {
	g := &grower{nodes: map[string]*yaml.Node{}, limit: treeLimit + size}
	root, err := g.value(nil, node)
	return tree{root, g.nodes}, err
}

// other is the value of a scalar that is no string, as text: enough to see that it has not changed.
type other string

func (g *grower) value(at path, node *yaml.Node) (any, error) {
	if g.count++; g.count > g.limit || len(at) > treeDepth {
		return nil, errTooDeep
	}
	switch node.Kind {
	case yaml.DocumentNode:
		return g.value(at, node.Content[0])
	case yaml.AliasNode:
		if slices.Contains(g.open, node.Alias) {
			return nil, errTooDeep
		}
		g.open = append(g.open, node.Alias)
		value, err := g.value(at, node.Alias)
		g.open = g.open[:len(g.open)-1]
		return value, err
	case yaml.SequenceNode:
		return g.list(at, node)
	case yaml.MappingNode:
		fields := map[string]any{}
		return fields, g.fields(at, node, fields)
	}
	g.nodes[at.id()] = node
	if node.ShortTag() == "!!str" {
		return node.Value, nil
	}
	return other(node.Value), nil
}

func (g *grower) list(at path, node *yaml.Node) (any, error) {
	items := make([]any, len(node.Content))
	for i, item := range node.Content {
		var err error
		if items[i], err = g.value(append(at[:len(at):len(at)], step{index: i, list: true}), item); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// fields reads a map's own keys; of a key that stands twice the last counts. What a merge key brings is read first, and overridden.
func (g *grower) fields(at path, node *yaml.Node, into map[string]any) error {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].ShortTag() == "!!merge" {
			if err := g.merge(at, node.Content[i+1], into); err != nil {
				return err
			}
		}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.ShortTag() == "!!merge" {
			continue
		}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		value, err := g.value(at.key(key.Value), node.Content[i+1])
		if err != nil {
			return err
		}
		into[key.Value] = value
	}
	return nil
}

// merge reads the map or maps of a merge key; of several the first counts.
func (g *grower) merge(at path, node *yaml.Node, into map[string]any) error {
	if g.count++; g.count > g.limit || len(g.open) > 100 {
		return errTooDeep
	}
	switch node.Kind {
	case yaml.AliasNode:
		g.open = append(g.open, node.Alias)
		defer func() { g.open = g.open[:len(g.open)-1] }()
		return g.merge(at, node.Alias, into)
	case yaml.SequenceNode:
		for _, item := range slices.Backward(node.Content) {
			if err := g.merge(at, item, into); err != nil {
				return err
			}
		}
		return nil
	case yaml.MappingNode:
		return g.fields(at, node, into)
	}
	return errors.New("the value of a merge key is no map")
}
