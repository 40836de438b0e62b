// Package generators holds what a cluster is made of: one Go file a built-in component, each a component.Definition that
// derives the product's values and its own objects from an environment's facts.
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
