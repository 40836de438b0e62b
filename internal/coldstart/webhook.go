package coldstart

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

const admissionGroup = "admissionregistration.k8s.io"

// webhook is one webhook that fails closed.
type webhook struct {
	node       *node // the configuration
	name       string
	answers    []need // what must be there before it answers
	rules      []any
	namespace  map[string]any // namespaceSelector
	object     map[string]any // objectSelector
	conditions bool           // has matchConditions, which are not evaluated
}

// webhooksOf reads the webhooks of a configuration that refuse when nobody answers.
func (w *world) webhooksOf(n *node) []webhook {
	if n.id.Group != admissionGroup || !strings.HasSuffix(n.id.Kind, "WebhookConfiguration") {
		return nil
	}
	var list []webhook
	for _, item := range n.task.Object.List("webhooks") {
		answers := w.answering(n, valueAt(item, "clientConfig"))
		if valueAt(item, "failurePolicy") == "Ignore" || len(answers) == 0 {
			continue
		}
		name := textAt(item, "name")
		selector, _ := valueAt(item, "namespaceSelector").(map[string]any)
		object, _ := valueAt(item, "objectSelector").(map[string]any)
		list = append(list, webhook{n, name, answers, listOf(item, "rules"), selector, object, len(listOf(item, "matchConditions")) > 0})
	}
	return list
}

// answering returns what must be there before the API server can talk to what a clientConfig names: the pods of a Service, or
// whatever stands behind a URL, and a CA to know it by.
func (w *world) answering(n *node, config any) []need {
	if address := textAt(config, "url"); address != "" {
		list := w.answers(address, "")
		for i := range list {
			list[i].why = ""
		}
		return list
	}
	name := textAt(config, "service", "name")
	namespace := textAt(config, "service", "namespace")
	if name == "" {
		return nil
	}
	list := []need{{fact: named(endpoints, namespace, name)}}
	if w.shut(n, namespace, name) {
		list = append(list, need{fact: named(ingressOpen, namespace, name)})
	}
	for _, fact := range w.ciliumLetIn(n, namespace, name) {
		list = append(list, need{fact: fact})
	}
	if !holdsCA(valueAt(config, "caBundle")) {
		list = append(list, w.injectionNeeds(n)...)
	}
	return list
}

// holdsCA reports whether a caBundle holds anything: kubebuilder's scaffold writes a line break ("Cg==") for its injector to replace.
func holdsCA(bundle any) bool {
	text, _ := bundle.(string)
	data, err := base64.StdEncoding.DecodeString(text)
	return text != "" && (err != nil || len(bytes.TrimSpace(data)) > 0)
}

// admission returns the webhooks that must admit an object, and those that must admit the pods which it runs: all that may stand
// by then.
func (w *world) admission(n *node) (apply, pods []need) {
	runsPods := needs.PodSpec(n.task.Object) != nil && n.id.Kind != "CronJob" && n.id.Kind != "Pod"
	for _, hook := range w.webhooks {
		if hook.node.app.on != n.app.on {
			continue
		}
		if hook.matches(n.id.Group, needs.Plural(n.id.Kind), n.id.Namespace != "") && w.selected(hook, n.id, n.task.Object.Map("metadata", "labels")) && w.mayStand(hook.node, n) {
			apply = append(apply, hook.needs(n.id, "must be admitted by the webhook "+hook.node.id.Name+", which fails closed,")...)
		}
		if runsPods && hook.matches("", "pods", true) && w.selected(hook, n.id, needs.PodLabels(n.task.Object)) && w.mayHold(hook.node, n) {
			pods = append(pods, hook.needs(n.id, "runs pods that must be admitted by the webhook "+hook.node.id.Name+", which fails closed,")...)
		}
	}
	return apply, pods
}

// needs returns the needs of an object that the webhook takes. Whether it does may hang on conditions that are not evaluated.
func (h webhook) needs(id manifest.ID, why string) []need {
	list := because(why, h.answers)
	for i := range list {
		if h.conditions {
			list[i].unless = "webhook " + h.name + " skips " + id.String()
		}
	}
	return list
}

// because says why an object needs what stands behind a webhook.
func because(why string, answers []need) []need {
	list := slices.Clone(answers)
	for i := range list {
		list[i].why = why + list[i].why
	}
	return list
}

func (h webhook) matches(group, plural string, namespaced bool) bool {
	if group == admissionGroup { // the API server asks no webhook about webhooks
		return false
	}
	return slices.ContainsFunc(h.rules, func(rule any) bool {
		if scope := valueAt(rule, "scope"); scope == "Cluster" && namespaced || scope == "Namespaced" && !namespaced {
			return false
		}
		return hasAny(textsOf(rule, "operations"), "CREATE") && hasAny(textsOf(rule, "apiGroups"), group) &&
			(hasAny(textsOf(rule, "resources"), plural) || slices.Contains(textsOf(rule, "resources"), "*/*"))
	})
}

func hasAny(list []string, wanted string) bool {
	return slices.Contains(list, wanted) || slices.Contains(list, "*")
}

// selected reports whether a webhook's selectors take the object. Labels of a namespace that is not among the objects are not
// known: only its name counts.
func (w *world) selected(h webhook, id manifest.ID, labels map[string]any) bool {
	if id.Namespace != "" || id.Kind == "Namespace" {
		name := id.Namespace
		if id.Kind == "Namespace" {
			name = id.Name
		}
		of := map[string]any{"kubernetes.io/metadata.name": name}
		for key, value := range w.namespaceLabels(h.node, name) {
			of[key] = value
		}
		if !matchesSelector(h.namespace, of) {
			return false
		}
	}
	return matchesSelector(h.object, labels)
}

// matchesSelector evaluates a label selector (Kubernetes docs, labels and selectors).
func matchesSelector(selector, labels map[string]any) bool {
	if want, _ := selector["matchLabels"].(map[string]any); !needs.Selects(want, labels) {
		return false
	}
	for _, expression := range listOf(selector, "matchExpressions") {
		key := textAt(expression, "key")
		value, there := labels[key].(string)
		in := there && slices.Contains(textsOf(expression, "values"), value)
		ok := map[any]bool{"In": in, "NotIn": !in, "Exists": there, "DoesNotExist": !there}[valueAt(expression, "operator")]
		if !ok {
			return false
		}
	}
	return true
}
