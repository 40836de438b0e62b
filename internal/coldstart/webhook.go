package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// webhook is one webhook that fails closed.
type webhook struct {
	node      *node // the configuration
	service   needs.Fact
	rules     []any
	namespace map[string]any // namespaceSelector
	object    map[string]any // objectSelector
}

// webhooksOf reads the webhooks of a configuration that refuse when nobody answers. Those behind a URL are left out.
func webhooksOf(n *node) []webhook {
	if n.id.Group != "admissionregistration.k8s.io" || !strings.HasSuffix(n.id.Kind, "WebhookConfiguration") {
		return nil
	}
	var list []webhook
	for _, item := range n.task.Object.List("webhooks") {
		name, _ := valueAt(item, "clientConfig", "service", "name").(string)
		namespace, _ := valueAt(item, "clientConfig", "service", "namespace").(string)
		if valueAt(item, "failurePolicy") == "Ignore" || name == "" {
			continue
		}
		selector, _ := valueAt(item, "namespaceSelector").(map[string]any)
		object, _ := valueAt(item, "objectSelector").(map[string]any)
		list = append(list, webhook{n, named(endpoints, namespace, name), listOf(item, "rules"), selector, object})
	}
	return list
}

// applyNeeds returns what an apply of the object waits for now: what it always needs, and every webhook that may stand by now.
func (w *world) applyNeeds(n *node) []need {
	list := n.apply
	for _, hook := range w.webhooks {
		if w.mayStand(hook, n) && hook.matches(n.id.Group, needs.Plural(n.id.Kind)) && w.selected(hook, n.id, n.task.Object.Map("metadata", "labels")) {
			list = append(slices.Clone(list), need{hook.service, "must be admitted by the webhook " + hook.node.id.Name + ", which fails closed,"})
		}
	}
	return list
}

// mayStand reports whether a webhook may have been applied when an object is: by another Application that runs beside it, or in
// an earlier step of the same, or in the same step where kinds are applied in no order.
func (w *world) mayStand(hook webhook, n *node) bool {
	c := hook.node
	switch {
	case c.applied && c.app != n.app || c.app.in.Bootstrap && c.applied:
		return true
	case c.app != n.app:
		return c.app.active && c.app.synced()
	case c.step == n.step:
		return argocd.KindOrder(n.id.Kind) == argocd.KindOrder(c.id.Kind) && n != c
	}
	return c.step < n.step
}

// podAdmission returns the webhooks that the pods of a workload must be admitted by, but for a workload that answers itself.
func (w *world) podAdmission(n *node) []need {
	if len(w.webhooks) == 0 || needs.PodSpec(n.task.Object) == nil || n.id.Kind == "CronJob" {
		return nil
	}
	var list []need
	for _, hook := range w.webhooks {
		own := slices.Contains(w.provided[hook.service], provision{n, true})
		if hook.node.applied && !own && hook.matches("", "pods") && w.selected(hook, n.id, podLabels(n.task.Object)) {
			list = append(list, need{hook.service, "runs pods that must be admitted by the webhook " + hook.node.id.Name + ", which fails closed,"})
		}
	}
	return list
}

func (h webhook) matches(group, plural string) bool {
	return slices.ContainsFunc(h.rules, func(rule any) bool {
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
		for key, value := range w.namespace[name].Map("metadata", "labels") {
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
	if want, _ := selector["matchLabels"].(map[string]any); !selects(want, labels) {
		return false
	}
	for _, expression := range listOf(selector, "matchExpressions") {
		key, _ := valueAt(expression, "key").(string)
		value, there := labels[key].(string)
		in := there && slices.Contains(textsOf(expression, "values"), value)
		ok := map[any]bool{"In": in, "NotIn": !in, "Exists": there, "DoesNotExist": !there}[valueAt(expression, "operator")]
		if !ok {
			return false
		}
	}
	return true
}
