package generators

import (
	"cmp"
	"errors"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// externalSecrets fetches secrets from Vault: its store needs it running.
func externalSecrets() component.Definition {
	return component.Definition{
		Name:      "external-secrets",
		Doc:       "Secrets from Vault; derives the ClusterSecretStore vault from vault, with the mount and role of this cluster alone.",
		Repo:      "https://charts.external-secrets.io",
		Namespace: "external-secrets",
		Build:     buildExternalSecrets,
	}
}

// vaultAccount is the ServiceAccount as which Vault knows the cluster; its role is bound to this name and namespace.
const vaultAccount = "external-secrets"

func buildExternalSecrets(env *environment.Environment) (component.Parts, error) {
	var errs []error
	vault := env.Facts.Vault
	switch {
	case vault == nil:
		errs = append(errs, env.Missing("facts.vault", "where secrets come from, and by which mount and role this cluster alone is known there"))
	case vault.Mount == "":
		// One mount for two clusters: setting up the second cuts the first one off.
		errs = append(errs, env.Missing("facts.vault.mount", "by which auth mount this cluster, and no other, is known to Vault"))
	}
	if err := errors.Join(errs...); err != nil {
		return component.Parts{}, err
	}
	return component.Parts{
		Values: map[string]any{
			"installCRDs":    true,
			"serviceAccount": map[string]any{"create": true, "name": vaultAccount},
		},
		Config: []manifest.Object{secretStore(env, *vault)},
		Needs:  []string{"cilium"},
	}, nil
}

// secretStore is Vault as this cluster may see it.
func secretStore(env *environment.Environment, vault environment.Vault) manifest.Object {
	account := map[string]any{"name": vaultAccount, "namespace": namespaceOf(env, externalSecrets())}
	return object(storeVersion(env), "ClusterSecretStore", "", "vault", map[string]any{"provider": map[string]any{"vault": map[string]any{
		"server":  vault.Address,
		"path":    vault.Path,
		"version": "v2",
		"auth": map[string]any{"kubernetes": map[string]any{
			"mountPath":         vault.Mount,
			"role":              cmp.Or(vault.Role, env.Name+"-external-secrets"),
			"serviceAccountRef": account,
		}},
	}}})
}

// storeVersion is the version in which the chart's CRDs serve stores: v1 since 0.16, which 0.17 made the only one.
func storeVersion(env *environment.Environment) string {
	if atLeast(env, "external-secrets", "0.16.0-0") {
		return "external-secrets.io/v1"
	}
	return "external-secrets.io/v1beta1"
}
