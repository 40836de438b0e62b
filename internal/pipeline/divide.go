package pipeline

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/transform"
)

// divide splits off what cannot start with the rest of its component. What was split off counts as rendered beside it, from the same
// inputs; later stages know no difference.
func divide(result *Result, plan Plan, all []manifest.Bundle) (Plan, []manifest.Bundle) {
	parts := transform.Split(plan.Components, all)
	result.Moves = parts.Moves
	was := map[string]Rendered{}
	for _, r := range result.Rendered {
		was[r.Component.Name] = r
	}
	result.Rendered = make([]Rendered, len(parts.Components))
	for i, c := range parts.Components {
		r, ok := was[c.Name]
		if !ok {
			r = Rendered{Chart: was[c.Part].Chart}
		}
		r.Component, r.Bundle = c, parts.Bundles[i]
		result.Rendered[i] = r
	}
	return Plan{plan.Environment, parts.Components}, parts.Bundles
}

// Components are the components of an environment as they are written out: what was split off among them, each under its name.
func (r Result) Components() []component.Component {
	out := make([]component.Component, len(r.Rendered))
	for i, each := range r.Rendered {
		out[i] = each.Component
	}
	return out
}

// MovesOf returns what was split off into a component.
func (r Result) MovesOf(name string) []transform.Move {
	return slices.DeleteFunc(slices.Clone(r.Moves), func(m transform.Move) bool { return m.To != name })
}
