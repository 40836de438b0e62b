package coldstart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// drift is one field that git states and somebody else writes.
type drift struct {
	field, writer string
	by            *node // the writer, where it writes again whatever Argo CD has applied; nil where it may leave the field alone
}

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
		list = append(list, drift{field: "spec.replicas", writer: w.scalers[scaled(n)].id.String()})
	case n.id.Kind == "ClusterRole" && o.Get("aggregationRule") != nil && len(o.List("rules")) > 0:
		list = append(list, drift{field: "rules", writer: "the aggregation of ClusterRoles (kube-controller-manager)"})
	case o.String("metadata", "labels", "istio.io/rev") != "" && opened(o):
		if istiod := w.istiod(); istiod != nil {
			list = append(list, drift{"webhooks[].failurePolicy", istiod.id.String(), istiod})
		}
	}
	for _, field := range statedCA(o) {
		for _, p := range w.provided[n.here(injected(n.id))] {
			if p.node != nil {
				list = append(list, drift{field, p.node.id.String(), keeps(p.node, o)})
				break
			}
		}
	}
	if id := n.id; id.Group == "" && (id.Kind == "Secret" || id.Kind == "ConfigMap") && len(o.Map("data")) > 0 {
		for _, p := range w.provided[n.here(needs.Fact{Type: needs.Exists, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name})] {
			if p.node != n && p.node.id.Kind != id.Kind {
				list = append(list, drift{field: "data", writer: p.node.id.String()})
				break
			}
		}
	}
	return list
}

// rewritten says why an object stays OutOfSync for ever: a workload of the same Application writes a field that git states, again after
// each time that self-heal has put git's value back. Where the writer is another Application's, or may leave the field alone, it is a
// note only. The writer comes with it.
func (w *world) rewritten(n *node) (string, *node) {
	for _, d := range w.driftsOf(n) {
		if d.by != nil && d.by.app == n.app && !ignores(n.app.in.Object, n.id, d.field) {
			return "is OutOfSync for ever: git states " + d.field + ", which " + d.writer + " writes", d.by
		}
	}
	return "", nil
}

// differs reports whether the object is there otherwise than git states it, for good.
func (n *node) differs() bool { return n.unlike != "" && (n.rival == nil || n.rival.well) }

// keeps returns a writer of CAs that writes again whenever its own is not there, and that git's value will not do for: a Job writes once,
// and an empty caBundle of a webhook is no value to Argo CD, which drops it before it compares (gitops-engine pkg/diff/diff.go, remarshal).
func keeps(writer *node, o manifest.Object) *node {
	placeholder := o.ID().Kind == crd && o.Map("spec", "conversion", "webhook", "clientConfig")["caBundle"] == "" || slices.Contains(bundles(o), any("Cg=="))
	if writer.id.Kind == "Job" || !placeholder {
		return nil
	}
	return writer
}

// bundles returns the CAs that git states.
func bundles(o manifest.Object) []any {
	list := []any{valueAt(o.Fields(), "spec", "conversion", "webhook", "clientConfig", "caBundle"), o.Get("spec", "caBundle")}
	for _, item := range o.List("webhooks") {
		list = append(list, valueAt(item, "clientConfig", "caBundle"))
	}
	return list
}

// opened reports whether a validating webhook is let fail, which istiod changes once it answers (istio
// pkg/webhooks/validation/controller/controller.go, updateValidatingWebhookConfiguration; seen on Argo CD 3.2.11).
func opened(o manifest.Object) bool {
	return o.ID().Kind == "ValidatingWebhookConfiguration" && slices.ContainsFunc(o.List("webhooks"), func(item any) bool {
		return valueAt(item, "failurePolicy") == "Ignore"
	})
}

func (w *world) istiod() *node {
	for _, n := range w.all {
		if n.id.Kind == "Deployment" && n.task.Object.String("spec", "template", "metadata", "labels", "app") == "istiod" {
			return n
		}
	}
	return nil
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
		text := func(key string) string { return textAt(item, key) }
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
