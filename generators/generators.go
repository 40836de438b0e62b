// Package generators holds what a cluster is made of: one Go file a built-in component, each a component.Definition that
// derives the product's values and its own objects from an environment's facts; and the component.Artifacts that are derived
// from the result.
package generators

import "github.com/coldstart-gitops/gen/internal/component"

// All returns the definitions of every built-in component, by name.
func All() []component.Definition {
	return []component.Definition{
		argoCD(),
		certManager(),
		cilium(),
		externalSecrets(),
		metricsServer(),
		sealedSecrets(),
	}
}

// Artifacts returns what is derived from an environment's final objects, by name.
func Artifacts() []component.Artifact {
	return []component.Artifact{bootstrap()}
}
