package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// idle says why the controllers of an object, although they run, do nothing for it: all of them have the same fault.
func (w *world) idle(n *node) []need {
	var why string
	for _, p := range w.provided[n.here(named(controller, "", dotted(n.id)))] {
		if why = w.idles(p.node, n); why == "" {
			return nil
		}
	}
	if why == "" {
		return nil
	}
	return []need{refuses(why)}
}

// idles says why one controller does nothing for an object that Argo CD could see. Table of known ways; each with its source.
func (w *world) idles(workload, n *node) string {
	words := wordsOf(workload)
	switch {
	// sealed-secrets README; argo-cd#5991: without the flag no status is written
	case n.id.Kind == "SealedSecret" && slices.ContainsFunc(words, func(s string) bool { return strings.HasSuffix(s, "-update-status=false") }):
		return "is reconciled by " + workload.id.String() + ", which writes no status (--update-status=false)"
	// cilium#29207, rke2#8839: the operator looks for the kinds of Gateway API once, when it starts
	case n.id.Group == "gateway.networking.k8s.io" && slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(s, "cilium-operator") }):
		definition := w.definitions[n.key(dotted(n.id))]
		if definition != nil && w.laterThan(definition, workload) {
			return "is reconciled by " + workload.id.String() + ", which looks for Gateway API only when it starts, before " + definition.id.String() + " is there"
		}
	}
	return ""
}

// laterThan reports whether an object is surely applied after a workload runs.
func (w *world) laterThan(n, workload *node) bool {
	if n.app != workload.app {
		return w.precedes(workload, n.app, true)
	}
	return n.step > workload.step && w.waits(workload)
}

// wordsOf returns the commands and arguments of a workload's containers.
func wordsOf(n *node) []string {
	var words []string
	for _, container := range listOf(needs.PodSpec(n.task.Object), "containers") {
		words = append(append(words, textsOf(container, "command")...), textsOf(container, "args")...)
	}
	return words
}

// certgen reads the Jobs of charts that make the certificate of a webhook and write its CA (kube-webhook-certgen, as ingress-nginx
// and kube-prometheus-stack run it): "create --secret-name=X" makes a Secret, "patch --webhook-name=Y --secret-name=X" needs both.
func (w *world) certgen(n *node) {
	if n.id.Kind != "Job" {
		return
	}
	words := wordsOf(n)
	for _, word := range words {
		if name, ok := strings.CutPrefix(word, "--secret-name="); ok && slices.Contains(words, "create") {
			w.provide(secretNeed(n.id.Namespace, name).fact, n, true)
		}
	}
}

// patched returns what a Job that writes a CA into webhooks needs.
func patched(n *node) []need {
	words := wordsOf(n)
	if n.id.Kind != "Job" || !slices.Contains(words, "patch") {
		return nil
	}
	var list []need
	for _, word := range words {
		if name, ok := strings.CutPrefix(word, "--webhook-name="); ok {
			for _, kind := range patchedKinds(words) {
				list = append(list, wants(needs.Fact{Type: needs.Exists, Group: admissionGroup, Kind: kind, Name: name}, "writes a CA into a webhook"))
			}
		}
		if name, ok := strings.CutPrefix(word, "--secret-name="); ok {
			list = append(list, wants(secretNeed(n.id.Namespace, name).fact, "reads a CA from a Secret"))
		}
	}
	return list
}

func patchedKinds(words []string) []string {
	var kinds []string
	for flag, kind := range map[string]string{"--patch-mutating=false": "MutatingWebhookConfiguration", "--patch-validating=false": "ValidatingWebhookConfiguration"} {
		if !slices.Contains(words, flag) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}
