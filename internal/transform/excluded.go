package transform

import (
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
	exclusions := argocd.DefaultExclusions(version)
	if settings, name, ok := settingsIn(t.Namespace, bundles); ok && t.In == "cluster" {
		stated, isStated, err := argocd.ReadExclusions(settings)
		if err != nil {
			return nil, fmt.Errorf("component %s: %w", name, err)
		}
		if isStated || version.Has(argocd.ExclusionsShipped) {
			exclusions = stated // the shipped list is part of the shipped argocd-cm: one that has none excludes nothing
		}
	}
	var notices []Notice
	for _, b := range bundles {
		for _, o := range b.Objects {
			notices = append(notices, overlooked(b.Name, o.ID(), exclusions)...)
		}
	}
	slices.SortFunc(notices, compareNotices)
	return notices, nil
}

func overlooked(name string, id manifest.ID, exclusions []argocd.Exclusion) []Notice {
	matches := func(e argocd.Exclusion) bool { return e.Matches(id.Group, id.Kind) }
	switch {
	case slices.ContainsFunc(argocd.CoreExclusions(), matches):
		return []Notice{{Component: name, Object: id, Message: "is never applied: Argo CD overlooks every " + id.Kind + ", whatever its settings; take it out with `remove`"}}
	case slices.ContainsFunc(exclusions, matches):
		return []Notice{{Component: name, Object: id, Message: "is never applied: " + argocd.ExclusionsKey + " of " + argocd.ConfigMapName + " names its kind (argo-cd#24030); take the kind out of that list, or the object out with `remove`"}}
	}
	return nil
}
