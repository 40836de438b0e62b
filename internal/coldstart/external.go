package coldstart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// urls returns every URL in a decoded value, sorted, each once.
func urls(at any) []string {
	var found []string
	switch v := at.(type) {
	case string:
		if strings.HasPrefix(v, "https://") || strings.HasPrefix(v, "http://") {
			found = append(found, v)
		}
	case []any:
		for _, item := range v {
			found = append(found, urls(item)...)
		}
	case map[string]any:
		for _, item := range v {
			found = append(found, urls(item)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// outside returns what an object waits for outside of the cluster, and with what it logs in there.
func (w *world) outside(n *node) []need {
	var list []need
	o, id := n.task.Object, n.id
	switch {
	case id.Group == externalSecs && strings.HasSuffix(id.Kind, "SecretStore"):
		list = w.loginNeeds(n, storeLogins(n, ""))
		for _, address := range urls(o.Get("spec", "provider")) {
			list = append(list, w.answers(address, "reads from "+address)...)
		}
		list = append(list, w.lookedUp(n, urls(o.Get("spec", "provider"))...)...)
	case id.Group == certManager && (id.Kind == "Issuer" || id.Kind == "ClusterIssuer"):
		for _, server := range []string{o.String("spec", "acme", "server"), o.String("spec", "vault", "server")} {
			list = append(list, w.answers(server, "is registered with "+server)...)
		}
		list = append(append(list, w.loginNeeds(n, w.issuerLogins(n))...), w.lookedUp(n, o.String("spec", "acme", "server"), o.String("spec", "vault", "server"))...)
	case id.Group == externalSecs && id.Kind == "ExternalSecret":
		list = w.besideNeeds(n)
	case id.Group == certManager && id.Kind == "Certificate":
		list = w.solvers(n, o)
	}
	return list
}

const certManager = "cert-manager.io"

// clusterResources tells cert-manager where the Secrets of ClusterIssuers are (cert-manager docs, Cluster Resource Namespace).
const clusterResources = "--cluster-resource-namespace="

// issuerNamespace is where an issuer's Secrets are: its own namespace, or, of one of the cluster, that which cert-manager's controller is
// told, or lives in.
func (w *world) issuerNamespace(n *node) string {
	if n.id.Namespace != "" {
		return n.id.Namespace
	}
	namespace := ""
	for _, p := range w.provided[n.here(named(controller, "", n.id.Kind+"."+certManager))] {
		for _, word := range wordsOf(p.node) {
			if told, ok := strings.CutPrefix(word, clusterResources); ok && told != "" && !strings.Contains(told, "$") {
				return told
			}
		}
		namespace = cmp.Or(namespace, p.node.id.Namespace)
	}
	return cmp.Or(namespace, "cert-manager")
}

// solvers returns what the challenges of a Certificate's ACME issuer log in with, and whom they ask.
func (w *world) solvers(certificate *node, o manifest.Object) []need {
	var list []need
	kind := cmp.Or(o.String("spec", "issuerRef", "kind"), "Issuer")
	for _, n := range w.called(certificate.app.on, certManager, kind, o.String("spec", "issuerRef", "name")) {
		if kind == "Issuer" && n.id.Namespace != certificate.id.Namespace {
			continue
		}
		for _, solver := range n.task.Object.List("spec", "acme", "solvers") {
			list = append(list, w.loginNeeds(certificate, w.atIssuer(n, logins(valueAt(solver, "dns01"))))...)
			server := textAt(solver, "dns01", "rfc2136", "nameserver")
			list = append(list, w.answers(server, "is proven by DNS entries at "+server)...)
		}
	}
	return list
}
