package argocd

import _ "embed"

// HealthKeyPrefix begins the argocd-cm keys that hold the health script of one kind; "group_Kind" follows.
const HealthKeyPrefix = "resource.customizations.health."

// ApplicationHealthKey is the argocd-cm key under which ApplicationHealth stands.
const ApplicationHealthKey = HealthKeyPrefix + "argoproj.io_Application"

// ConfigMapName is the name of the ConfigMap that Argo CD reads its settings from.
const ConfigMapName = "argocd-cm"

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
