package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// injection is the fact that somebody has written a CA into the object Name: a webhook or conversion without caBundle is known to
// the API server only then.
const injection needs.Type = "ca-injected"

func injected(id manifest.ID) needs.Fact {
	return needs.Fact{Type: injection, Group: id.Group, Kind: id.Kind, Name: id.Name}
}

// injectable are the resources into which CAs are written, with their kinds.
var injectable = map[string]string{
	"validatingwebhookconfigurations": "ValidatingWebhookConfiguration",
	"mutatingwebhookconfigurations":   "MutatingWebhookConfiguration",
	"customresourcedefinitions":       crd,
	"apiservices":                     "APIService",
}

// Annotations by which cert-manager's CA injector is told what to write (cert-manager docs, CA Injector).
const (
	injectFrom       = "cert-manager.io/inject-ca-from"
	injectFromSecret = "cert-manager.io/inject-ca-from-secret"
)

// injects says that a workload writes CAs into the objects that one rule of its roles lets it change, but for those which it is known to leave
// alone.
func (w *world) injects(n *node, kind string, names []string) {
	for _, target := range w.injected[n.key(kind)] {
		if (len(names) == 0 || slices.Contains(names, target.id.Name)) && writesInto(n, target) != notAtAll {
			w.provide(injected(target.id), n, true)
		}
	}
}

// injectionNeeds returns what must be there before a CA stands in an object: somebody who writes it, and the Secret that it is
// read from.
func (w *world) injectionNeeds(n *node) []need {
	list := append([]need{{fact: injected(n.id)}}, w.oneOfMany(n)...)
	from, secret := n.task.Object.Annotation(injectFrom), n.task.Object.Annotation(injectFromSecret)
	namespace, name, _ := strings.Cut(from, "/")
	for _, c := range w.injected[n.key("Certificate")] {
		if c.id.Namespace == namespace && c.id.Name == name {
			secret = namespace + "/" + c.task.Object.String("spec", "secretName")
		}
	}
	if namespace, name, ok := strings.Cut(secret, "/"); ok {
		list = append(list, need{fact: secretNeed(namespace, name).fact})
	}
	return list
}

// promptly reports whether what a workload writes is there as soon as it is healthy: a Job has ended; external-secrets' controller
// reports itself ready only after it has written (external-secrets pkg/controllers/webhookconfig, ReadyCheck). Others write a moment later.
func promptly(n *node) bool {
	if n.id.Kind == "Job" {
		return true
	}
	for _, container := range listOf(needs.PodSpec(n.task.Object), "containers") {
		if slices.Contains(textsOf(container, "args"), "certcontroller") {
			return true
		}
	}
	return false
}

// lags reports whether an injected CA may come a moment after everything that a wave can wait for.
func (w *world) lags(fact needs.Fact) bool {
	return fact.Type == injection && !w.given[fact.String()] && len(w.provided[fact]) > 0 &&
		!slices.ContainsFunc(w.provided[fact], func(p provision) bool { return promptly(p.node) })
}

// checksAPI says that a Job which asks until the webhooks of cert-manager answer has seen their CA (cmctl check api, which the
// chart runs as startupapicheck).
func (w *world) checksAPI(n *node) {
	for _, container := range listOf(needs.PodSpec(n.task.Object), "containers") {
		args := strings.Join(textsOf(container, "args"), " ")
		if n.id.Kind != "Job" || !strings.HasPrefix(args, "check api") {
			continue
		}
		for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
			for _, target := range w.injected[n.key(kind)] {
				if strings.HasPrefix(target.task.Object.Annotation(injectFromSecret), n.id.Namespace+"/") {
					w.provide(injected(target.id), n, true)
				}
			}
		}
	}
}

// converted returns what an object needs that is applied in another version than its CRD stores: the conversion webhook.
func (w *world) converted(n *node) []need {
	definition := w.definitions[n.key(dotted(n.id))]
	if definition == nil || definition.task.Object.String("spec", "conversion", "strategy") != "Webhook" || storedVersion(definition.task.Object) == n.id.Version {
		return nil
	}
	why := "is stored in another version, into which the webhook of " + definition.id.Name + " must turn it,"
	return because(why, w.answering(definition, definition.task.Object.Get("spec", "conversion", "webhook", "clientConfig")))
}

func storedVersion(definition manifest.Object) string {
	for _, version := range definition.List("spec", "versions") {
		if valueAt(version, "storage") == true {
			name := textAt(version, "name")
			return name
		}
	}
	return ""
}

// lagNotes warns of objects that are applied as soon as the pods of their webhook are ready, and then may be refused for a moment.
func (w *world) lagNotes(n *node) []string {
	var notes []string
	advice := "; its Application retries"
	if limit, stated := n.app.limit(); !stated || limit == 0 {
		advice = "; let its Application retry"
	}
	for _, k := range n.apply {
		if w.lags(k.fact) {
			notes = append(notes, n.id.String()+" may be refused for a moment: the CA of "+k.fact.Kind+" "+k.fact.Name+" is written after the pods behind it are ready"+advice)
		}
	}
	return notes
}
