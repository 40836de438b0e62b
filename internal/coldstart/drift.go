package coldstart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// drift is one field that git states and somebody else writes.
type drift struct{ field, writer string }

// drifts names the fields of an Application's objects that will differ from git once the cluster runs, with who writes them, but for
// those whose differences the Application ignores.
func (w *world) drifts(a *app) []string {
	var notes []string
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			for _, d := range w.driftsOf(n) {
				if !ignores(a.in.Object, n.id, d.field) {
					notes = append(notes, fmt.Sprintf("%s will drift: field %s, written by %s", n.id, d.field, d.writer))
				}
			}
		}
	}
	return notes
}

func (w *world) driftsOf(n *node) []drift {
	o := n.task.Object
	var list []drift
	switch {
	case o.Get("spec", "replicas") != nil && w.scalers[scaled(n)] != nil:
		list = append(list, drift{"spec.replicas", w.scalers[scaled(n)].id.String()})
	case n.id.Kind == "ClusterRole" && o.Get("aggregationRule") != nil && len(o.List("rules")) > 0:
		list = append(list, drift{"rules", "the aggregation of ClusterRoles (kube-controller-manager)"})
	}
	for _, field := range statedCA(o) {
		for _, p := range w.provided[n.here(injected(n.id))] {
			if p.node != nil {
				list = append(list, drift{field, p.node.id.String()})
				break
			}
		}
	}
	if id := n.id; id.Group == "" && (id.Kind == "Secret" || id.Kind == "ConfigMap") && len(o.Map("data")) > 0 {
		for _, p := range w.provided[n.here(needs.Fact{Type: needs.Exists, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name})] {
			if p.node != n && p.node.id.Kind != id.Kind {
				list = append(list, drift{"data", p.node.id.String()})
				break
			}
		}
	}
	return list
}

// statedCA returns the caBundle fields that git states, empty or not, although a controller writes them.
func statedCA(o manifest.Object) []string {
	switch o.ID().Kind {
	case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
		for _, item := range o.List("webhooks") {
			if config, _ := valueAt(item, "clientConfig").(map[string]any); config != nil {
				if _, stated := config["caBundle"]; stated {
					return []string{"webhooks[].clientConfig.caBundle"}
				}
			}
		}
	case crd:
		if _, stated := o.Map("spec", "conversion", "webhook", "clientConfig")["caBundle"]; stated {
			return []string{"spec.conversion.webhook.clientConfig.caBundle"}
		}
	case "APIService":
		if _, stated := o.Map("spec")["caBundle"]; stated {
			return []string{"spec.caBundle"}
		}
	}
	return nil
}

// scaled names what an autoscaler scales.
func scaled(n *node) scaling {
	id := n.id
	id.Version = ""
	return scaling{n.app.on, id}
}

// ignores reports whether an Application ignores differences in a field of an object.
func ignores(application manifest.Object, id manifest.ID, field string) bool {
	plain := func(s string) string {
		return strings.NewReplacer("/0", "", "/", ".", "[]?", "", "[]", "").Replace(strings.TrimLeft(s, "/."))
	}
	for _, item := range application.List("spec", "ignoreDifferences") {
		text := func(key string) string { s, _ := valueAt(item, key).(string); return s }
		if text("kind") != id.Kind && text("kind") != "*" || text("group") != id.Group && text("group") != "*" || text("name") != "" && text("name") != id.Name {
			continue
		}
		paths := append(textsOf(item, "jsonPointers"), textsOf(item, "jqPathExpressions")...)
		if len(textsOf(item, "managedFieldsManagers")) > 0 || slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(plain(field), plain(p)) }) {
			return true
		}
	}
	return false
}
