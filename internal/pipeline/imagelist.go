package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/imagefield"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// ImageList is what can be known about images without asking anybody.
type ImageList struct {
	Uses     []ImageUse
	Machine  []MachineImage
	Unseen   []UnseenImage
	Warnings []ImageWarning
	Unused   []error // entries of the fleet's imageFields whose kind the model does not render
	policies map[string]image.Policy
}

// MachineImage is what the environment's machines pull by themselves.
type MachineImage struct {
	Environment string
	imagefield.MachineImage
	Mirror string // what a mirror of the model is to it, for people
}

// UnseenImage is what an operator pulls although no manifest names it.
type UnseenImage struct {
	Environment, Component string
	imagefield.Unseen
}

// ImageWarning is what a rewritten name may break.
type ImageWarning struct {
	Environment, Component string
	imagefield.Warning
}

// ListImages renders what is selected, and lists its images, what its operators are known to pull besides, and what to mind.
func (s Setup) ListImages(ctx context.Context) (ImageList, error) {
	plans, rendered, lock, err := s.renderForImages(ctx)
	if err != nil {
		return ImageList{}, err
	}
	list := ImageList{policies: map[string]image.Policy{}, Unused: s.unusedFields(plans, rendered)}
	for i, plan := range plans {
		name, p := plan.Environment.Name, policy(plan.Environment)
		list.policies[name] = p
		if !s.partial() {
			list.Machine = append(list.Machine, machineImages(plan.Environment, objectsOf(rendered[i]), p)...)
		}
		for _, use := range collectImages(plan.Environment, bundles(rendered[i]), lock) {
			if use = s.selected(use); len(use.Places) > 0 {
				list.Uses = append(list.Uses, use)
			}
		}
		for _, b := range bundles(rendered[i]) {
			if s.Wants(b.Name) {
				list.mind(name, b, p)
			}
		}
	}
	return list, nil
}

// machineImages lists what the machines of an environment pull, and whether a mirror stands before it: machines ask transparent ones only.
func machineImages(env *environment.Environment, objects []manifest.Object, p image.Policy) []MachineImage {
	machine := imagefield.Machine{
		Talos: env.Versions.Talos, Kubernetes: env.Versions.Kubernetes,
		OwnNetwork: slices.ContainsFunc(objects, needs.GivesNetwork), OwnProxy: slices.ContainsFunc(objects, imagefield.ReplacesProxy),
	}
	var out []MachineImage
	for _, m := range machine.Images() {
		out = append(out, MachineImage{env.Name, m, machineMirror(m.Reference, p.Rules)})
	}
	return out
}

func machineMirror(reference string, rules image.Rules) string {
	ref, err := image.Parse(reference)
	if err != nil {
		return "no reference"
	}
	targets := rules.Candidates(ref)
	switch {
	case slices.ContainsFunc(targets, func(t image.Target) bool { return t.Kind == image.Transparent }):
		return "mirrored"
	case len(targets) > 0:
		return "not mirrored: the mirror is explicit, and machines ask transparent ones alone"
	}
	return "not mirrored"
}

// unusedFields names the entries of imageFields whose kind no environment renders, where the whole model was rendered.
func (s Setup) unusedFields(plans []Plan, rendered [][]Rendered) []error {
	if len(plans) == 0 || len(s.Environments) > 0 || s.partial() {
		return nil
	}
	var out []error
	env := plans[0].Environment
	for i, kind := range registered(env) {
		occurs := slices.ContainsFunc(rendered, func(r []Rendered) bool { return kind.Occurs(objectsOf(r)) })
		if !occurs {
			out = append(out, env.Wrong(fmt.Sprintf("imageFields[%d].kind", i), "the model renders no "+kind.Kind+" of that group: the entry finds nothing; correct it or take it out"))
		}
	}
	return out
}

// mind adds what is to be said about one bundle besides its images.
func (l *ImageList) mind(environment string, b manifest.Bundle, p image.Policy) {
	for _, unseen := range imagefield.UnseenImages(b.Objects) {
		l.Unseen = append(l.Unseen, UnseenImage{environment, b.Name, unseen})
	}
	for _, o := range b.Objects {
		for _, w := range imagefield.Warnings(o, p.Rules.Hosts()) {
			l.Warnings = append(l.Warnings, ImageWarning{environment, b.Name, w})
		}
	}
}

// Left returns the places that name an image at a mirrored registry and cannot be rewritten.
func (l ImageList) Left() []ImageUse {
	var out []ImageUse
	for _, name := range slices.Sorted(maps.Keys(l.policies)) {
		own := slices.DeleteFunc(slices.Clone(l.Uses), func(use ImageUse) bool { return use.Environment != name })
		out = append(out, left(own, l.policies[name].Rules)...)
	}
	return out
}

// Suggested is a suggestion for an image of one environment.
type Suggested struct {
	Environment string `json:"environment"`
	image.Suggestion
}

// SuggestImages asks, for every image of the selected environments that no mirror covers, where a mirror holds the same bytes.
func (s Setup) SuggestImages(ctx context.Context, client *image.Client) ([]Suggested, error) {
	uses, policies, err := s.Images(ctx)
	if err != nil {
		return nil, err
	}
	references := map[string][]string{}
	for _, use := range uses {
		if use.Status == image.NotCovered {
			references[use.Environment] = append(references[use.Environment], use.Reference)
		}
	}
	var out []Suggested
	for environment, list := range references {
		for _, suggestion := range client.Suggest(ctx, list, policies[environment]) {
			out = append(out, Suggested{environment, suggestion})
		}
	}
	slices.SortFunc(out, func(a, b Suggested) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), cmp.Compare(a.Reference, b.Reference))
	})
	return out, ctx.Err()
}
