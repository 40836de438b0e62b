package argocd

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Phase is a part of one sync, in the order in which they run.
type Phase string

// The phases of a sync. SyncFail runs only after a failure.
const (
	PreSync  Phase = "PreSync"
	Sync     Phase = "Sync"
	PostSync Phase = "PostSync"
	SyncFail Phase = "SyncFail"
)

// skip is the hook value of an object that is never applied.
const skip = "Skip"

// phaseOrder is the engine's order of phases (gitops-engine pkg/sync/sync_tasks.go, syncPhaseOrder).
var phaseOrder = map[Phase]int{PreSync: -1, Sync: 0, PostSync: 1, SyncFail: 2}

// Compare orders phases as they run.
func (p Phase) Compare(other Phase) int { return phaseOrder[p] - phaseOrder[other] }

// helmPhases says which phase a Helm hook becomes (gitops-engine pkg/sync/hook/helm/type.go). What stands in helm.sh/hook
// and not here (test, pre-rollback, pre-delete …) gives the object no phase: a sync never applies it.
var helmPhases = map[string]Phase{
	"pre-install":  PreSync,
	"pre-upgrade":  PreSync,
	"post-install": PostSync,
	"post-upgrade": PostSync,
}

// helmCRD is the helm.sh/hook value that makes no hook: Helm 2 used it for CRDs, and Argo CD applies them like any object.
const helmCRD = "crd-install"

// IsHook reports whether the engine treats the object as a hook, with a phase or without.
func IsHook(o manifest.Object) bool {
	if has(o, HookAnnotation) {
		return !isSkipped(o)
	}
	value, ok := annotation(o, HelmHookAnnotation)
	return ok && value != helmCRD
}

// Phases returns the phases in which a sync applies the object, in their order. An ordinary object has Sync; an object that
// no sync ever applies (Skip, a Helm test, a deletion hook) has none.
func Phases(o manifest.Object) []Phase {
	switch {
	case isSkipped(o):
		return nil
	case !IsHook(o):
		return []Phase{Sync}
	}
	phases := slices.DeleteFunc(hookPhases(o), func(p Phase) bool { return p == skip })
	slices.SortFunc(phases, Phase.Compare)
	return slices.Compact(phases)
}

// isSkipped reports whether Skip is the object's only valid hook value; beside another one it does nothing.
func isSkipped(o manifest.Object) bool {
	return slices.Equal(hookPhases(o), []Phase{skip})
}

// hookPhases returns the valid hook values, each once: Argo CD's own or, where none of them is valid, Helm's.
func hookPhases(o manifest.Object) []Phase {
	var phases []Phase
	for _, value := range values(o, HookAnnotation) {
		if _, ok := phaseOrder[Phase(value)]; ok || value == skip {
			phases = append(phases, Phase(value))
		}
	}
	if len(phases) > 0 {
		return phases
	}
	for _, value := range values(o, HelmHookAnnotation) {
		if phase, ok := helmPhases[value]; ok {
			phases = append(phases, phase)
		}
	}
	return phases
}

// Deletion of hooks.
const (
	BeforeHookCreation = "BeforeHookCreation"
	HookSucceeded      = "HookSucceeded"
	HookFailed         = "HookFailed"
)

var deletePolicies = map[string]string{
	BeforeHookCreation:     BeforeHookCreation,
	HookSucceeded:          HookSucceeded,
	HookFailed:             HookFailed,
	"before-hook-creation": BeforeHookCreation,
	"hook-succeeded":       HookSucceeded,
	"hook-failed":          HookFailed,
}

// DeletePolicies returns when the engine deletes a hook, sorted, each once: what either dialect states, else BeforeHookCreation.
func DeletePolicies(o manifest.Object) []string {
	var policies []string
	for _, value := range values(o, HookDeleteAnnotation) {
		if policy := deletePolicies[value]; policy == value && policy != "" {
			policies = append(policies, policy)
		}
	}
	for _, value := range values(o, HelmDeleteAnnotation) {
		if policy := deletePolicies[value]; policy != value && policy != "" {
			policies = append(policies, policy)
		}
	}
	if len(policies) == 0 {
		return []string{BeforeHookCreation}
	}
	slices.Sort(policies)
	return slices.Compact(policies)
}

// Wave returns the object's wave inside its own sync: the sync-wave annotation, else Helm's hook weight (on every object, hook
// or not), else 0. A value that is no integer counts as absent (gitops-engine pkg/sync/syncwaves/waves.go).
func Wave(o manifest.Object) int {
	for _, key := range []string{WaveAnnotation, HelmWeightAnnotation} {
		if text, ok := annotation(o, key); ok {
			if wave, err := strconv.Atoi(text); err == nil {
				return wave
			}
		}
	}
	return 0
}

// WaveIgnored reports that the sync-wave annotation is there but is no integer, so that the engine overlooks it in silence.
func WaveIgnored(o manifest.Object) bool {
	text, ok := annotation(o, WaveAnnotation)
	if !ok {
		return false
	}
	_, err := strconv.Atoi(text)
	return err != nil
}

// annotation returns an annotation and whether it is there; a value that is no string counts as absent.
func annotation(o manifest.Object, key string) (string, bool) {
	text, ok := o.Map("metadata", "annotations")[key].(string)
	return text, ok
}

func has(o manifest.Object, key string) bool {
	_, ok := annotation(o, key)
	return ok
}

// values returns the comma-separated values of an annotation: trimmed, without empty ones, each once, sorted.
func values(o manifest.Object, key string) []string {
	text, _ := annotation(o, key)
	return splitValues(text)
}

func splitValues(text string) []string {
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
