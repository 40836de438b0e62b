package coldstart

import (
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// login is what a store or an issuer logs in with: a Secret, often one key of it, a ServiceAccount, or what it knows its server by.
type login struct{ kind, namespace, name, key string }

// logins finds every reference below the settings of a provider. All of them look alike, whatever the provider: a map with a name under a
// key that says Ref, or one with the name and the key of a Secret (external-secrets apis/meta/v1, SecretKeySelector and
// ServiceAccountSelector; cert-manager pkg/apis/meta/v1, SecretKeySelector).
func logins(at any) []login {
	var list []login
	switch v := at.(type) {
	case []any:
		for _, item := range v {
			list = append(list, logins(item)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if l, ok := loginAt(key, v[key]); ok {
				list = append(list, l)
				continue
			}
			list = append(list, logins(v[key])...)
		}
	}
	return list
}

// loginAt reads one reference.
func loginAt(under string, at any) (login, bool) {
	text := func(key string) string { return textAt(at, key) }
	l, under := login{"Secret", text("namespace"), text("name"), text("key")}, strings.ToLower(under)
	switch {
	case l.name == "":
		return login{}, false
	case under == "caprovider":
		l.kind = text("type")
		return l, l.kind == "Secret" || l.kind == "ConfigMap"
	case strings.HasSuffix(under, "serviceaccountref"), under == "serviceaccount":
		l.kind, l.key = "ServiceAccount", ""
		return l, true
	}
	return l, l.key != "" || strings.HasSuffix(under, "secretref") || strings.HasSuffix(under, "credentialsref")
}

// loginNeeds returns what must be there before an object logs in.
func (w *world) loginNeeds(n *node, list []login) []need {
	why := map[string]string{"Secret": "logs in with a Secret", "ServiceAccount": "logs in as a ServiceAccount", "ConfigMap": "knows its server by a ConfigMap"}
	var out []need
	for _, l := range list {
		out = append(out, wants(needs.Fact{Type: needs.Exists, Kind: l.kind, Namespace: l.namespace, Name: l.name}, why[l.kind]))
		if l.key != "" {
			out = append(out, w.holding(n, l, "logs in with")...)
		}
	}
	return out
}

// storeLogins returns what a store of external-secrets logs in with: of its own namespace, or, where it is one of the cluster, of the
// namespaces that it states (external-secrets runtime/esutils/resolvers, secret_ref.go). What it states none for is looked for beside each
// ExternalSecret that uses it: those in a namespace, which is given here.
func storeLogins(store *node, beside string) []login {
	var list []login
	for _, l := range logins(store.task.Object.Get("spec", "provider")) {
		switch {
		case store.id.Kind != "ClusterSecretStore":
			l.namespace = store.id.Namespace
		case (l.namespace == "") != (beside != ""):
			continue
		case beside != "":
			l.namespace = beside
		}
		list = append(list, l)
	}
	return list
}

// besideNeeds returns what must stand beside an ExternalSecret, since its stores look there for what they log in with.
func (w *world) besideNeeds(n *node) []need {
	var list []need
	for _, k := range needs.Of(n.task.Object) {
		if k.Fact.Group != externalSecs || k.Fact.Kind != "ClusterSecretStore" {
			continue
		}
		for _, store := range w.called(n.app.on, externalSecs, k.Fact.Kind, k.Fact.Name) {
			list = append(list, w.loginNeeds(n, storeLogins(store, n.id.Namespace))...)
		}
	}
	return list
}

// issuerLogins returns what an issuer of cert-manager logs in with. The key of an ACME account is made by cert-manager itself.
func (w *world) issuerLogins(n *node) []login {
	spec := n.task.Object.Map("spec")
	list := slices.Concat(logins(valueAt(spec, "acme", "externalAccountBinding")), logins(spec["vault"]), logins(spec["venafi"]))
	if name := textAt(spec, "ca", "secretName"); name != "" {
		list = append(list, login{kind: "Secret", name: name, key: "tls.crt"}, login{kind: "Secret", name: name, key: "tls.key"})
	}
	if name := textAt(spec, "vault", "auth", "clientCertificate", "secretName"); name != "" {
		list = append(list, login{kind: "Secret", name: name})
	}
	return w.atIssuer(n, list)
}

// atIssuer says that references of an issuer are about the namespace in which it looks.
func (w *world) atIssuer(n *node, list []login) []login {
	namespace := w.issuerNamespace(n)
	for i := range list {
		list[i].namespace = namespace
	}
	return list
}
