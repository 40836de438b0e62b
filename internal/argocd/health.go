package argocd

import (
	_ "embed"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// HealthKeyPrefix begins the argocd-cm keys that hold the health script of one kind; "group_Kind" follows.
const HealthKeyPrefix = customizations + ".health."

// The argocd-cm keys under which ApplicationHealth and DefinitionHealth stand.
const (
	ApplicationHealthKey = HealthKeyPrefix + "argoproj.io_Application"
	DefinitionHealthKey  = HealthKeyPrefix + "apiextensions.k8s.io_CustomResourceDefinition"
)

// DefinitionPattern names CustomResourceDefinitions as scripts are looked up.
const DefinitionPattern = "apiextensions.k8s.io/CustomResourceDefinition"

// ConfigMapName is the name of the ConfigMap that Argo CD reads its settings from.
const ConfigMapName = "argocd-cm"

// IsSettings reports whether an object is the argocd-cm of the Argo CD that runs in a namespace: it reads that of its own namespace alone
// (util/settings, NewSettingsManager). One that states no namespace is put there by whoever applies it. Of an Argo CD whose namespace is
// not known ("") any may be.
func IsSettings(o manifest.Object, namespace string) bool {
	id := o.ID()
	return id.Group == "" && id.Kind == "ConfigMap" && id.Name == ConfigMapName && (namespace == "" || id.Namespace == "" || id.Namespace == namespace)
}

// ApplicationHealth returns the Lua script that gives Applications health. Argo CD has none of its own since 1.8, and without
// health the waves of child Applications gate nothing.
//
// It is total: it never raises an error, whatever the Application holds, because argocd-cm serves every Application of that
// Argo CD, not only ours. It demands no operationState, because an Application whose objects were there already never gets
// one. It compares what was synced with what is asked for, because the old verdict stays visible for a moment after a
// change. Degraded is reported as Progressing: the parent's sync would fail at once instead of waiting for the cure.
func ApplicationHealth() string { return applicationHealth }

//go:embed health.lua
var applicationHealth string

// DefinitionHealth returns the Lua script that calls a CRD Progressing until the API server has established it. The one that
// Argo CD ships from 3.0 to 3.4 calls it Degraded then, which ends a sync that looks in that moment (argo-cd#25084,
// argo-cd#26346; docs/decisions/0023). Degraded is what the API server refuses: names that are taken, and a schema that is not
// structural. Like ApplicationHealth it is total.
func DefinitionHealth() string { return definitionHealth }

//go:embed crd.lua
var definitionHealth string

// EmittedHealth returns the argocd-cm entries that every Argo CD of a release line should have, by key.
func EmittedHealth(v Version) map[string]string {
	entries := map[string]string{ApplicationHealthKey: ApplicationHealth()}
	if v.Has(CRDHealth) && !v.Has(CRDInstallingHealthy) {
		entries[DefinitionHealthKey] = DefinitionHealth()
	}
	return entries
}
