package transform

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Excluded returns a notice for every object that Argo CD overlooks, and thus never applies: by what is compiled into it, and
// by the exclusions of the argocd-cm among the objects, else of those that its release line ships. An argocd-cm whose
// exclusions cannot be read is an error.
func Excluded(t Target, bundles []manifest.Bundle) ([]Notice, error) {
	if t.In == "none" {
		return nil, nil
	}
	version, err := argocd.ParseVersion(t.Version)
	if err != nil {
		return nil, fmt.Errorf("looking for kinds that Argo CD overlooks: %w", err)
	}
	filter := argocd.Filter{Exclusions: argocd.DefaultExclusions(version)}
	if settings, name, ok := settingsIn(t.Namespace, bundles); ok && t.In == "cluster" {
		// The shipped list is part of the shipped argocd-cm: one that has none excludes nothing.
		exclusions, _, err := argocd.ReadFilter(settings, argocd.ExclusionsKey)
		inclusions, _, inclusionsErr := argocd.ReadFilter(settings, argocd.InclusionsKey)
		if err := errors.Join(err, inclusionsErr); err != nil {
			return nil, fmt.Errorf("component %s: %w", name, err)
		}
		filter = argocd.Filter{Inclusions: inclusions, Exclusions: exclusions}
	}
	var notices []Notice
	for _, b := range bundles {
		for _, o := range b.Objects {
			notices = append(notices, overlooked(b.Name, o.ID(), filter)...)
		}
	}
	slices.SortFunc(notices, compareNotices)
	return notices, nil
}

func overlooked(name string, id manifest.ID, filter argocd.Filter) []Notice {
	over := func(f argocd.Filter) bool { return f.Overlooks(id.Group, id.Kind, argocd.HomeServer) }
	message := ""
	switch {
	case over(argocd.Filter{}):
		message = "is never applied: Argo CD overlooks every " + id.Kind + ", whatever its settings; take it out with `remove`"
	case over(argocd.Filter{Exclusions: filter.Exclusions}):
		message = "is never applied: " + argocd.ExclusionsKey + " of " + argocd.ConfigMapName + " names its kind (argo-cd#24030); take the kind out of that list, or the object out with `remove`"
	case over(filter):
		message = "is never applied: " + argocd.InclusionsKey + " of " + argocd.ConfigMapName + " does not name its kind; add the kind to that list, or take the object out with `remove`"
	default:
		return nil
	}
	return []Notice{{Component: name, Object: id, Message: message}}
}
