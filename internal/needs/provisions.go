package needs

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// provisions is the table of what objects provide.
var provisions = []Provision{
	{Name: "object", Source: "Kubernetes API", Facts: itself},
	{Name: "crd", Source: "Kubernetes API extensions", Facts: definedKind},
	{Name: "derived-kind", Source: "Gatekeeper, Crossplane and kro docs", Facts: derivedKinds},
	{Name: "derived-object", Source: "docs of the operators, see derivedObjects", Facts: derived},
	{Name: "webhook", Source: "Kubernetes docs, dynamic admission control", Facts: webhooks},
	{Name: "default-storage-class", Source: "Kubernetes DefaultStorageClass admission", Facts: defaultStorage},
	{Name: "address-pool", Source: "Cilium LB-IPAM and MetalLB docs", Facts: addressPool},
	{Name: "certificate-secret", Source: "cert-manager docs, Certificate", Facts: madeSecret(certManager, "Certificate", "spec", "secretName")},
	{Name: "external-secret", Source: "external-secrets docs, ExternalSecret", Facts: externalSecret},
	{Name: "sealed-secret", Source: "sealed-secrets README", Facts: madeSecret("bitnami.com", "SealedSecret", "spec", "template", "metadata", "name")},
}

func itself(o manifest.Object) []Fact {
	id := o.ID()
	if id.Kind == "" || id.Name == "" {
		return nil
	}
	if id.Group == "" && id.Kind == "Namespace" {
		return []Fact{{Type: Namespace, Name: id.Name}}
	}
	return []Fact{{Type: Exists, Group: id.Group, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}}
}

func definedKind(o manifest.Object) []Fact {
	if id := o.ID(); id.Group != "apiextensions.k8s.io" || id.Kind != "CustomResourceDefinition" {
		return nil
	}
	return []Fact{{Type: Kind, Group: o.String("spec", "group"), Kind: o.String("spec", "names", "kind")}}
}

// webhooks returns the admissions that a webhook configuration takes upon itself: of its webhooks that fail closed, every rule
// about creation. Rules for all groups and those for the core group are left out, see admitted; so are webhooks with an object
// selector, which ask for a label that objects rarely bear.
func webhooks(o manifest.Object) []Fact {
	id := o.ID()
	if id.Group != "admissionregistration.k8s.io" ||
		(id.Kind != "ValidatingWebhookConfiguration" && id.Kind != "MutatingWebhookConfiguration") {
		return nil
	}
	var facts []Fact
	for _, webhook := range o.List("webhooks") {
		if text(value(webhook, "failurePolicy")) == "Ignore" || len(child(webhook, "objectSelector")) > 0 {
			continue
		}
		for _, rule := range list(webhook, "rules") {
			facts = append(facts, ruleFacts(rule)...)
		}
	}
	return facts
}

func ruleFacts(rule any) []Fact {
	operations := list(rule, "operations")
	if !slices.Contains(operations, any("CREATE")) && !slices.Contains(operations, any("*")) {
		return nil
	}
	var facts []Fact
	for _, group := range list(rule, "apiGroups") {
		if text(group) == "" || text(group) == "*" {
			continue
		}
		for _, resource := range list(rule, "resources") {
			name, sub, _ := strings.Cut(text(resource), "/")
			if sub != "" && sub != "*" {
				continue
			}
			facts = append(facts, Fact{Type: Admission, Group: text(group), Kind: name})
		}
	}
	return facts
}

func defaultStorage(o manifest.Object) []Fact {
	id := o.ID()
	if id.Group != "storage.k8s.io" || id.Kind != "StorageClass" || o.Annotation("storageclass.kubernetes.io/is-default-class") != "true" {
		return nil
	}
	return []Fact{{Type: Ability, Name: DefaultStorage}}
}

// addressPool knows the pools of Cilium and MetalLB. A pool that is disabled, or that MetalLB hands out only on request, gives
// addresses to nobody by itself.
func addressPool(o manifest.Object) []Fact {
	id := o.ID()
	cilium := id.Group == "cilium.io" && id.Kind == "CiliumLoadBalancerIPPool" && o.Get("spec", "disabled") != true
	metallb := id.Group == "metallb.io" && id.Kind == "IPAddressPool" && o.Get("spec", "autoAssign") != false
	if !cilium && !metallb {
		return nil
	}
	return []Fact{{Type: Ability, Name: Addresses}}
}

// madeSecret says that a controller makes a Secret of the object, named at path, else like the object.
func madeSecret(group, kind string, path ...string) func(manifest.Object) []Fact {
	return func(o manifest.Object) []Fact {
		id := o.ID()
		if id.Group != group || id.Kind != kind {
			return nil
		}
		return []Fact{{Type: Exists, Kind: "Secret", Namespace: id.Namespace, Name: or(o.String(path...), id.Name)}}
	}
}

// externalSecret says which Secret an ExternalSecret makes: none where its creationPolicy only adds to one that is there (Merge), or
// writes none at all (external-secrets docs, ExternalSecret; Orphan makes it and does not own it).
func externalSecret(o manifest.Object) []Fact {
	if policy := o.String("spec", "target", "creationPolicy"); policy == "Merge" || policy == "None" {
		return nil
	}
	return madeSecret(secretStore, "ExternalSecret", "spec", "target", "name")(o)
}

// Merges returns the Secret to which an ExternalSecret adds keys where somebody else has made it.
func Merges(o manifest.Object) (Fact, bool) {
	if policy := o.String("spec", "target", "creationPolicy"); policy != "Merge" && policy != "CreateOrMerge" {
		return Fact{}, false
	}
	facts := madeSecret(secretStore, "ExternalSecret", "spec", "target", "name")(o)
	if len(facts) == 0 {
		return Fact{}, false
	}
	return facts[0], true
}
