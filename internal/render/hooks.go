package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Helm's annotations for hooks. (Argo CD's own are in package argocd, which knows nothing of rendering.)
const (
	hookAnnotation       = "helm.sh/hook"
	hookDeleteAnnotation = "helm.sh/hook-delete-policy"
	argoHookAnnotation   = "argocd.argoproj.io/hook"
)

// phases says what Argo CD makes of Helm's hook events (gitops-engine pkg/sync/hook/helm). Events that it ignores have no phase.
var phases = map[string]string{
	"pre-install": "PreSync", "pre-upgrade": "PreSync", "post-install": "PostSync", "post-upgrade": "PostSync",
	"pre-delete": "PreDelete", "post-delete": "PostDelete", "pre-rollback": "", "post-rollback": "", "test": "", "test-success": "",
}

// hooks drops what `helm template` or the model drops, and says of the hooks that stay what Argo CD does with them.
func (r *run) hooks(found []located) []located {
	kept := make([]located, 0, len(found))
	for _, one := range found {
		events, isHook := hookEvents(one.object)
		switch {
		case !isHook:
			kept = append(kept, one)
		case slices.ContainsFunc(events, isUnknownEvent):
			r.hookNotice(one, Warning, TopicDropped, fmt.Sprintf("left out: Helm does not know all of its hook events (%s)", strings.Join(events, ", ")))
		case slices.ContainsFunc(events, isTestEvent):
			r.hookNotice(one, Note, TopicDropped, "left out: a test hook, which only `helm test` runs")
		case !r.in.Component.KeepHooks:
			r.hookNotice(one, Note, TopicDropped, fmt.Sprintf("left out: a hook (%s), and the model says `hooks: drop`", strings.Join(events, ", ")))
		default:
			kept = append(kept, one)
			r.explainHook(one, events)
		}
	}
	return kept
}

// hookEvents returns the events of a Helm hook.
func hookEvents(object manifest.Object) (events []string, isHook bool) {
	value, isHook := object.Map("metadata", "annotations")[hookAnnotation].(string)
	if !isHook {
		return nil, false
	}
	for event := range strings.SplitSeq(value, ",") {
		events = append(events, strings.ToLower(strings.TrimSpace(event)))
	}
	return events, true
}

func isUnknownEvent(event string) bool {
	_, known := phases[event]
	return !known
}

func isTestEvent(event string) bool { return event == "test" || event == "test-success" }

// explainHook says where Argo CD runs a hook otherwise than Helm would.
func (r *run) explainHook(one located, events []string) {
	if one.object.Annotation(argoHookAnnotation) != "" {
		return // Argo CD then ignores Helm's annotations
	}
	has := func(event string) bool { return slices.Contains(events, event) }
	if phaseOf(events) == "" {
		r.hookNotice(one, Warning, TopicHook, fmt.Sprintf("Argo CD never applies it: it knows no hook for %s", strings.Join(events, ", ")))
		return
	}
	installOnly := has("pre-install") && !has("pre-upgrade") || has("post-install") && !has("post-upgrade")
	switch {
	case installOnly:
		r.hookNotice(one, Warning, TopicHook, fmt.Sprintf("Helm runs it on installation only (%s), Argo CD as %s hook in every sync: %s",
			strings.Join(events, ", "), phaseOf(events), rerun(one.object)))
	case !has("pre-install") && !has("post-install") && !has("pre-upgrade") && !has("post-upgrade"):
		r.hookNotice(one, Note, TopicHook, fmt.Sprintf("Argo CD runs it as %s hook, when the Application is deleted (PreDelete from 3.3 on)", phaseOf(events)))
	}
}

// phaseOf returns the phases of events, each once.
func phaseOf(events []string) string {
	var all []string
	for _, event := range events {
		if phase := phases[event]; phase != "" && !slices.Contains(all, phase) {
			all = append(all, phase)
		}
	}
	return strings.Join(all, " and ")
}

// rerun says what a hook does when it runs again.
func rerun(object manifest.Object) string {
	policy := object.Annotation(hookDeleteAnnotation)
	recreated := policy == "" || strings.Contains(policy, "before-hook-creation")
	switch kind := object.ID().Kind; {
	case kind == "Job" || kind == "Pod":
		return "its work is done again each time, which must be safe"
	case kind == "CustomResourceDefinition" && recreated:
		return "it is deleted and made again each time, and every object of its kind with it: drop it as a hook (`hooks: drop`, and add it by `objects`)"
	case kind == "PersistentVolumeClaim" && recreated:
		return "it is deleted and made again each time, and its data with it: drop it as a hook (`hooks: drop`, and add it by `objects`)"
	case recreated:
		return "it is deleted and made again each time, and whoever needs it meanwhile finds nothing"
	}
	return "it is applied again each time, and what was changed in it since is lost"
}

func (r *run) hookNotice(one located, level Level, topic Topic, message string) {
	r.notice(Notice{Level: level, Topic: topic, Source: one.source, Object: one.object.ID(), Message: message})
}
