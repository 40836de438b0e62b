package needs

import (
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

func issuer(o manifest.Object) []Fact {
	id := o.ID()
	ref := o.Map("spec", "issuerRef")
	if id.Group != certManager || (id.Kind != "Certificate" && id.Kind != "CertificateRequest") || str(ref, "name") == "" {
		return nil
	}
	fact := Fact{Type: Exists, Group: or(str(ref, "group"), certManager), Kind: or(str(ref, "kind"), "Issuer"), Name: str(ref, "name")}
	if !strings.HasPrefix(fact.Kind, "Cluster") {
		fact.Namespace = id.Namespace
	}
	return []Fact{fact}
}

func store(o manifest.Object) []Fact {
	id := o.ID()
	if id.Group != secretStore {
		return nil
	}
	var refs []any
	switch id.Kind {
	case "ExternalSecret":
		refs = append(refs, o.Get("spec", "secretStoreRef"))
		for _, item := range append(append([]any{}, o.List("spec", "data")...), o.List("spec", "dataFrom")...) {
			refs = append(refs, value(item, "sourceRef", "storeRef"))
		}
	case "PushSecret":
		refs = o.List("spec", "secretStoreRefs")
	case "ClusterExternalSecret":
		refs = append(refs, o.Get("spec", "externalSecretSpec", "secretStoreRef"))
	}
	var facts []Fact
	for _, ref := range refs {
		facts = append(facts, storeFact(ref, id.Namespace)...)
	}
	return facts
}

func storeFact(ref any, namespace string) []Fact {
	fields, _ := ref.(map[string]any)
	name := str(fields, "name")
	if name == "" {
		return nil
	}
	fact := Fact{Type: Exists, Group: secretStore, Kind: or(str(fields, "kind"), "SecretStore"), Name: name}
	if fact.Kind == "SecretStore" {
		if namespace == "" {
			return nil // each namespace that it reaches has one of its own
		}
		fact.Namespace = namespace
	}
	return []Fact{fact}
}
