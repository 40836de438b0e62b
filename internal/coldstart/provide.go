package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// readyKinds are kinds whose mere existence is of no use: who refers to them waits for their health.
var readyKinds = []string{"Issuer", "ClusterIssuer", "SecretStore", "ClusterSecretStore", "PersistentVolumeClaim"}

// collect says which node provides what.
func (w *world) collect() {
	grants := w.grants()
	for _, n := range w.all {
		w.collectObject(n)
		w.collectHosts(n)
		if needs.PodSpec(n.task.Object) != nil {
			w.muted = podless(n.task.Object) != "" && !w.scaledUp(n)
			w.collectWorkload(n, grants)
			w.muted = false
		}
	}
	for _, n := range w.all { // who injects is known by now
		w.webhooks = append(w.webhooks, w.webhooksOf(n)...)
	}
}

func (w *world) provide(fact needs.Fact, n *node, healthy bool) {
	fact = n.here(fact)
	if w.muted {
		w.would[fact] = append(w.would[fact], n)
		return
	}
	w.provided[fact] = append(w.provided[fact], provision{n, healthy})
}

func (w *world) collectObject(n *node) {
	for _, fact := range needs.Provided(n.task.Object) {
		itself := fact.Type == needs.Exists && fact.Group == n.id.Group && fact.Kind == n.id.Kind && fact.Name == n.id.Name
		switch {
		case fact.Type == needs.Admission:
		case itself:
			w.provide(fact, n, slices.Contains(readyKinds, n.id.Kind))
		default:
			made := fact.Type == needs.Exists || fact.Type == needs.Kind && n.id.Kind != crd // a controller makes it of the object
			w.provide(fact, n, made || fact.Name == needs.Addresses)
		}
	}
	if n.id.Kind == "APIService" && n.task.Object.Map("spec", "service") != nil {
		for _, kind := range w.kinds() {
			if kind.Group == n.task.Object.String("spec", "group") {
				w.provide(needs.Fact{Type: needs.Kind, Group: kind.Group, Kind: kind.Kind}, n, true)
			}
		}
	}
	if fact, ok := needs.Merges(n.task.Object); ok {
		w.mergers[n.here(fact)] = append(w.mergers[n.here(fact)], n)
	}
	if installsKinds(n) {
		w.mayMake(n, "kind")
	}
	if n.id.Group == "" && n.id.Kind == "Service" {
		w.provide(named(addressOf, n.id.Namespace, n.id.Name), n, true)
	}
}

// installsKinds reports whether an object is a package whose kinds are written elsewhere: an operator of OLM that installs itself
// without a person, a package of Crossplane.
func installsKinds(n *node) bool {
	switch n.id.Group {
	case "operators.coreos.com":
		return n.id.Kind == "Subscription" && n.task.Object.String("spec", "installPlanApproval") != "Manual"
	case "pkg.crossplane.io":
		return n.id.Kind == "Provider" || n.id.Kind == "Configuration"
	}
	return false
}

// collectWorkload says what the pods of a workload do once they run: answer for Services, mount claims, reconcile the kinds
// whose status they may write, register the kinds that they may register, make the Secrets that they may write by name.
func (w *world) collectWorkload(n *node, grants map[string]map[needs.Account][]needs.Grant) {
	spec := needs.PodSpec(n.task.Object)
	labels := needs.PodLabels(n.task.Object)
	for _, other := range w.services[n.key(n.id.Namespace)] {
		selector := other.task.Object.Map("spec", "selector")
		if len(selector) > 0 && needs.Selects(selector, labels) {
			w.provide(named(endpoints, other.id.Namespace, other.id.Name), n, true)
		}
	}
	w.collectConsumer(n, spec)
	w.checksAPI(n)
	w.certgen(n)
	w.makesClasses(n)
	all := grants[n.app.on][needs.AccountOf(n.task.Object)]
	w.balances(n, all)
	for _, g := range all {
		w.asks[n] = true
		w.collectGrant(n, g, all)
	}
	if w.operates(all) {
		for _, g := range all {
			w.invents(n, g)
		}
	}
}

func valueAt(at any, keys ...string) any {
	for _, key := range keys {
		fields, _ := at.(map[string]any)
		at = fields[key]
	}
	return at
}

// textAt returns the text at a path; empty where there is none.
func textAt(at any, keys ...string) string {
	text, _ := valueAt(at, keys...).(string)
	return text
}

func listOf(at any, keys ...string) []any {
	list, _ := valueAt(at, keys...).([]any)
	return list
}

func textsOf(at any, keys ...string) []string {
	var texts []string
	for _, item := range listOf(at, keys...) {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// anyText reports whether some text in a decoded value is such a one.
func anyText(at any, such func(string) bool) bool {
	switch v := at.(type) {
	case string:
		return such(v)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return anyText(item, such) })
	case map[string]any:
		for _, item := range v {
			if anyText(item, such) {
				return true
			}
		}
	}
	return false
}
