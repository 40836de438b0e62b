package transform

import (
	"cmp"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// writer says which field of some objects somebody else writes, so that its value is no drift.
type writer struct {
	reason string
	source string
	fields func(manifest.Object) []string // JSON pointers or, from a ".", jq paths; none where it is not about the object
}

// writers is the reviewed table of fields that others write.
var writers = []writer{
	{
		reason: "a CA injector or the operator itself fills caBundle of webhooks",
		source: "cert-manager cainjector; external-secrets cert-controller; cloudnative-pg#2143",
		fields: func(o manifest.Object) []string {
			id := o.ID()
			if id.Group != "admissionregistration.k8s.io" || !everyBundleOpen(o.List("webhooks")) {
				return nil
			}
			return []string{".webhooks[]?.clientConfig.caBundle"}
		},
	},
	{
		reason: "a CA injector or the operator itself fills caBundle of a conversion webhook",
		source: "cert-manager cainjector; metallb controller",
		fields: func(o manifest.Object) []string {
			config := o.Map("spec", "conversion", "webhook", "clientConfig")
			if o.ID().Kind != "CustomResourceDefinition" || config == nil || filled(config["caBundle"]) {
				return nil
			}
			return []string{"/spec/conversion/webhook/clientConfig/caBundle"}
		},
	},
	{
		reason: "a CA injector fills caBundle of an APIService",
		source: "cert-manager cainjector",
		fields: func(o manifest.Object) []string {
			if o.ID().Kind != "APIService" || o.Map("spec", "service") == nil || filled(o.Get("spec", "caBundle")) || o.Get("spec", "insecureSkipTLSVerify") == true {
				return nil
			}
			return []string{"/spec/caBundle"}
		},
	},
	{
		reason: "istiod closes its validating webhook once it answers",
		source: "istio pkg/webhooks/validation/controller/controller.go, updateValidatingWebhookConfiguration",
		fields: func(o manifest.Object) []string {
			if o.ID().Kind != "ValidatingWebhookConfiguration" || o.Get("metadata", "labels", "istio.io/rev") == nil {
				return nil
			}
			return []string{".webhooks[]?.failurePolicy"}
		},
	},
	{
		reason: "the controller manager writes the rules of aggregated roles",
		source: "Kubernetes RBAC docs, aggregated ClusterRoles",
		fields: func(o manifest.Object) []string {
			if o.ID().Kind != "ClusterRole" || o.Get("aggregationRule") == nil {
				return nil
			}
			return []string{"/rules"}
		},
	},
}

// everyBundleOpen reports whether no webhook states a caBundle of its own: a stated one is ours to keep.
func everyBundleOpen(webhooks []any) bool {
	for _, webhook := range webhooks {
		fields, _ := webhook.(map[string]any)
		config, _ := fields["clientConfig"].(map[string]any)
		if filled(config["caBundle"]) {
			return false
		}
	}
	return len(webhooks) > 0
}

// filled reports whether a caBundle holds more than the placeholders that charts write: "" and a line feed in base64.
func filled(bundle any) bool {
	text, _ := bundle.(string)
	return text != "" && text != "Cg=="
}

// ignored returns the differences that a component's Application overlooks: what the component states, and what the table of
// writers says of its objects, sorted, each once.
func ignored(c component.Component, b manifest.Bundle) []argocd.IgnoreDifference {
	list := slices.Clone(c.IgnoreDiffs)
	for _, o := range b.Objects {
		for _, w := range writers {
			if fields := w.fields(o); len(fields) > 0 {
				list = append(list, difference(o.ID(), fields))
			}
		}
	}
	scaled := scaledBy(b)
	for _, o := range b.Objects {
		id := o.ID()
		id.Version = ""
		if scaled[id] && o.Get("spec", "replicas") != nil {
			list = append(list, difference(id, []string{"/spec/replicas"}))
		}
	}
	slices.SortFunc(list, compareDifferences)
	return slices.CompactFunc(list, func(a, b argocd.IgnoreDifference) bool { return compareDifferences(a, b) == 0 })
}

// scaledBy returns what the bundle's autoscalers scale: an autoscaler writes the replicas of its target.
func scaledBy(b manifest.Bundle) map[manifest.ID]bool {
	targets := map[manifest.ID]bool{}
	for _, o := range b.Objects {
		if id := o.ID(); id.Kind != "HorizontalPodAutoscaler" {
			continue
		}
		group, _ := manifest.SplitAPIVersion(o.String("spec", "scaleTargetRef", "apiVersion"))
		targets[manifest.ID{
			Group: group, Kind: o.String("spec", "scaleTargetRef", "kind"), Namespace: o.ID().Namespace,
			Name: o.String("spec", "scaleTargetRef", "name"),
		}] = true
	}
	return targets
}

func difference(id manifest.ID, fields []string) argocd.IgnoreDifference {
	d := argocd.IgnoreDifference{Group: id.Group, Kind: id.Kind, Name: id.Name, Namespace: id.Namespace}
	for _, field := range fields {
		if field[0] == '.' {
			d.JQPathExpressions = append(d.JQPathExpressions, field)
		} else {
			d.JSONPointers = append(d.JSONPointers, field)
		}
	}
	return d
}

func compareDifferences(a, b argocd.IgnoreDifference) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
		slices.Compare(a.JSONPointers, b.JSONPointers), slices.Compare(a.JQPathExpressions, b.JQPathExpressions),
		slices.Compare(a.ManagedFieldsManagers, b.ManagedFieldsManagers))
}
