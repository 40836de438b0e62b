package transform

import (
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

func ignored(c component.Component, _ manifest.Bundle) []argocd.IgnoreDifference {
	return c.IgnoreDiffs
}
