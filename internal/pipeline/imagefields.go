package pipeline

import (
	"errors"
	"fmt"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/imagefield"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// registered is what the fleet says about image fields, as the finder reads it.
func registered(env *environment.Environment) []imagefield.Kind {
	kinds := make([]imagefield.Kind, len(env.ImageFields))
	for i, f := range env.ImageFields {
		kinds[i] = imagefield.Kind{Group: f.Group, Kind: f.Kind, Paths: f.Paths}
		for _, split := range f.Splits {
			kinds[i].Splits = append(kinds[i].Splits, imagefield.Split(split))
		}
	}
	return kinds
}

// findOptions says what names an image in this environment.
func findOptions(env *environment.Environment) imagefield.Options {
	return imagefield.Options{Hosts: policy(env).Rules.Hosts(), Registered: registered(env)}
}

// checkImageFields holds the fleet's imageFields against gen's own table, before anything is rendered.
func checkImageFields(plans []Plan) error {
	if len(plans) == 0 {
		return nil
	}
	env := plans[0].Environment // the fleet says the same to all
	return wrongFields(env, imagefield.CheckKinds(registered(env)), map[string]bool{})
}

// checkFound holds the fleet's imageFields against what is rendered: a field that a kind has not, or that holds no text, would find nothing.
func checkFound(plans []Plan, rendered [][]Rendered) error {
	var problems []error
	said := map[string]bool{}
	for i, plan := range plans {
		if kinds := registered(plan.Environment); len(kinds) > 0 {
			problems = append(problems, wrongFields(plan.Environment, imagefield.CheckObjects(kinds, objectsOf(rendered[i])), said))
		}
	}
	return errors.Join(problems...)
}

// wrongFields names the place of each mistake, once for all environments.
func wrongFields(env *environment.Environment, wrong []imagefield.Wrong, said map[string]bool) error {
	var problems []error
	for _, w := range wrong {
		err := env.Wrong(fmt.Sprintf("imageFields[%d].%s", w.Kind, w.Field), w.Message)
		if !said[err.Error()] {
			said[err.Error()] = true
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

func objectsOf(rendered []Rendered) []manifest.Object {
	var out []manifest.Object
	for _, r := range rendered {
		out = append(out, r.Bundle.Objects...)
	}
	return out
}
