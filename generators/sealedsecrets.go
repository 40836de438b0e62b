package generators

import (
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
)

// sealedSecrets opens secrets that were sealed for this cluster. Its keys are made in the cluster: one that is rebuilt from
// nothing cannot open what was sealed for the one before, unless its keys were saved and put back first.
func sealedSecrets() component.Definition {
	return component.Definition{
		Name:      "sealed-secrets",
		Doc:       "Secrets that only this cluster can open; found by kubeseal without flags.",
		Repo:      "https://bitnami.github.io/sealed-secrets", // bitnami-labs.github.io answers 404 since the project moved
		Namespace: "kube-system",
		Build: func(*environment.Environment) (component.Parts, error) {
			return component.Parts{
				Values: map[string]any{"fullnameOverride": "sealed-secrets-controller"}, // the name that kubeseal looks for
				Needs:  []string{"cilium"},
			}, nil
		},
	}
}
