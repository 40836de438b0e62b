package environment

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Step is one layer's say in a value.
type Step struct {
	Path   string // the value's full path; shorter than asked for where a layer states something else in a map's place
	Value  any
	Origin Origin
	Wins   bool // the last step of its path: the value that the chart gets; null takes the chart's own default away
}

// Explain says where the values of a component come from: for every value at or below path, which layer states it, lowest
// first, the last one winning. layers are the component's values with its own defaults first (component.Component.Values),
// path is written as PathString does, "" for all. A path that no layer states is an error which names its neighbours.
func Explain(layers []Values, path string) ([]Step, error) {
	wanted, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	merged := map[string]any{}
	for _, l := range layers {
		merged = merge(merged, l.Tree)
	}
	if len(merged) == 0 && len(wanted) == 0 {
		return nil, errors.New("explaining the values: no layer states any; the chart's own defaults are used")
	}
	if _, ok := at(merged, wanted); !ok {
		return nil, unstated(merged, wanted)
	}
	var steps []Step
	for _, leaf := range leaves(merged, wanted) {
		steps = append(steps, explainLeaf(layers, leaf)...)
	}
	return steps, nil
}

// leaves lists the paths of the values below a path, sorted. A list is one value, since layers replace it whole; a path into
// a list is explained by the list.
func leaves(tree any, path []any) [][]any {
	for i, element := range path {
		if _, isItem := element.(int); isItem {
			return [][]any{path[:i]}
		}
	}
	value, _ := at(tree, path)
	entries := treeMap(value)
	if len(entries) == 0 {
		return [][]any{path}
	}
	var found [][]any
	for _, name := range keys(entries) {
		found = append(found, leaves(tree, append(slices.Clone(path), name))...)
	}
	return found
}

// explainLeaf lists what each layer says of one value.
func explainLeaf(layers []Values, leaf []any) []Step {
	var steps []Step
	for _, l := range layers {
		for end := range len(leaf) + 1 {
			value, ok := at(l.Tree, leaf[:end])
			if !ok {
				break
			}
			if end == len(leaf) || treeMap(value) == nil {
				steps = append(steps, Step{PathString(leaf[:end]...), value, l.place(leaf[:end]), false})
				break
			}
		}
	}
	steps[len(steps)-1].Wins = true
	return steps
}

// place is where a path of the layer stands; where a map stands that has no place of its own, the layer's.
func (v Values) place(path []any) Origin {
	for end := len(path); end > 0; end-- {
		if origin, ok := v.Positions[PathString(path[:end]...)]; ok {
			return origin
		}
	}
	return v.Origin
}

// unstated is the error for a path that no layer states.
func unstated(tree any, path []any) error {
	for end := len(path) - 1; end >= 0; end-- {
		value, ok := at(tree, path[:end])
		if !ok {
			continue
		}
		names := keys(treeMap(value))
		where := PathString(path[:end]...)
		if where == "" {
			where = "the component"
		}
		if len(names) == 0 {
			return fmt.Errorf("explaining %s: no layer states it, and %s holds nothing by name; the chart's own default is used", PathString(path...), where)
		}
		return fmt.Errorf("explaining %s: no layer states it (%s has %s), so the chart's own default is used%s",
			PathString(path...), where, strings.Join(names, ", "), didYouMean(fmt.Sprint(path[end]), names))
	}
	return fmt.Errorf("explaining %s: no layer states any value; the chart's own defaults are used", PathString(path...))
}
