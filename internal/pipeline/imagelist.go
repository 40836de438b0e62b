package pipeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/imagefield"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// ImageList is what can be known about images without asking anybody.
type ImageList struct {
	Uses     []ImageUse
	Unseen   []UnseenImage
	Warnings []ImageWarning
	policies map[string]image.Policy
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
	plans, err := s.Load()
	if err != nil {
		return ImageList{}, err
	}
	rendered, err := s.Render(ctx, plans)
	if err != nil {
		return ImageList{}, err
	}
	lock, err := s.imagesLock()
	if err != nil {
		return ImageList{}, err
	}
	list := ImageList{policies: map[string]image.Policy{}}
	for i, plan := range plans {
		name, p := plan.Environment.Name, policy(plan.Environment)
		list.policies[name] = p
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
	return slices.DeleteFunc(slices.Clone(l.Uses), func(use ImageUse) bool {
		ref, err := image.Parse(use.Reference)
		return use.Status != image.Listed || err != nil || !l.policies[use.Environment].Rules.Covered(ref)
	})
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
