package coldstart

import (
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
		list = secretRefs(o.Get("spec", "provider"), id.Namespace)
		for _, address := range urls(o.Get("spec", "provider")) {
			list = append(list, w.answers(address, "reads from "+address)...)
		}
	case id.Group == certManager && (id.Kind == "Issuer" || id.Kind == "ClusterIssuer"):
		for _, server := range []string{o.String("spec", "acme", "server"), o.String("spec", "vault", "server")} {
			list = append(list, w.answers(server, "is registered with "+server)...)
		}
		if secret := o.String("spec", "ca", "secretName"); secret != "" {
			list = append(list, secretNeed(w.issuerNamespace(n), secret))
		}
	case id.Group == certManager && id.Kind == "Certificate":
		list = w.solvers(n.app.on, o)
	}
	return list
}

const certManager = "cert-manager.io"

// issuerNamespace is where an issuer's Secrets are: its own namespace, or that of cert-manager's controller.
func (w *world) issuerNamespace(n *node) string {
	if n.id.Namespace != "" {
		return n.id.Namespace
	}
	for _, p := range w.provided[n.here(named(controller, "", n.id.Kind+"."+certManager))] {
		return p.node.id.Namespace
	}
	return "cert-manager"
}

// solvers returns what the challenges of a Certificate's ACME issuer log in with, and whom they ask.
func (w *world) solvers(on string, certificate manifest.Object) []need {
	var list []need
	for _, n := range w.called(on, certManager, certificate.String("spec", "issuerRef", "kind"), certificate.String("spec", "issuerRef", "name")) {
		for _, solver := range n.task.Object.List("spec", "acme", "solvers") {
			list = append(list, secretRefs(valueAt(solver, "dns01"), w.issuerNamespace(n))...)
			server, _ := valueAt(solver, "dns01", "rfc2136", "nameserver").(string)
			list = append(list, w.answers(server, "is proven by DNS entries at "+server)...)
		}
	}
	return list
}
