package coldstart

import (
	"net/url"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// reachable is the fact that a host outside of the cluster answers. A host that the environment serves itself by an Ingress or a
// route is no given, whatever is stated: that is a circle which nobody sees on a cluster that runs.
const reachable needs.Type = "reachable"

// collectHosts says which hosts an object serves.
func (w *world) collectHosts(n *node) {
	var hosts []string
	switch {
	case n.id.Group == "networking.k8s.io" && n.id.Kind == "Ingress":
		for _, rule := range n.task.Object.List("spec", "rules") {
			host, _ := valueAt(rule, "host").(string)
			hosts = append(hosts, host)
		}
	case n.id.Group == "gateway.networking.k8s.io" && strings.HasSuffix(n.id.Kind, "Route"):
		hosts = textsOf(n.task.Object.Fields(), "spec", "hostnames")
	}
	for _, host := range hosts {
		if host != "" {
			w.provide(named(reachable, "", host), n, true)
		}
	}
}

// answers returns the need for what stands behind a URL or host:port: a Service of the cluster, or a host outside of it.
func answers(address, why string) []need {
	host := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host = u.Hostname()
	}
	host, _, _ = strings.Cut(host, ":")
	parts := strings.Split(host, ".")
	switch {
	case host == "":
		return nil
	case len(parts) >= 3 && parts[2] == "svc":
		return []need{wants(named(endpoints, parts[1], parts[0]), why)}
	}
	return []need{wants(named(reachable, "", host), why)}
}

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
			list = append(list, answers(address, "reads from "+address)...)
		}
	case id.Group == certManager && (id.Kind == "Issuer" || id.Kind == "ClusterIssuer"):
		for _, server := range []string{o.String("spec", "acme", "server"), o.String("spec", "vault", "server")} {
			list = append(list, answers(server, "is registered with "+server)...)
		}
		if secret := o.String("spec", "ca", "secretName"); secret != "" {
			list = append(list, secretNeed(w.issuerNamespace(id), secret))
		}
	case id.Group == certManager && id.Kind == "Certificate":
		list = w.solvers(o)
	}
	return list
}

const certManager = "cert-manager.io"

// issuerNamespace is where an issuer's Secrets are: its own namespace, or that of cert-manager's controller.
func (w *world) issuerNamespace(id manifest.ID) string {
	if id.Namespace != "" {
		return id.Namespace
	}
	for _, p := range w.provided[named(controller, "", id.Kind+"."+certManager)] {
		return p.node.id.Namespace
	}
	return "cert-manager"
}

// solvers returns what the challenges of a Certificate's ACME issuer log in with, and whom they ask.
func (w *world) solvers(certificate manifest.Object) []need {
	var list []need
	for _, n := range w.called(certManager, certificate.String("spec", "issuerRef", "kind"), certificate.String("spec", "issuerRef", "name")) {
		for _, solver := range n.task.Object.List("spec", "acme", "solvers") {
			list = append(list, secretRefs(valueAt(solver, "dns01"), w.issuerNamespace(n.id))...)
			server, _ := valueAt(solver, "dns01", "rfc2136", "nameserver").(string)
			list = append(list, answers(server, "is proven by DNS entries at "+server)...)
		}
	}
	return list
}

// ownRepository returns the need for the git host of an Application where this environment serves that host itself.
func (w *world) ownRepository(n *node) []need {
	if n.app.in.Bootstrap {
		return nil
	}
	for _, k := range answers(n.app.in.Object.String("spec", "source", "repoURL"), "is read from a repository that this environment serves itself") {
		if len(w.provided[k.fact]) > 0 {
			return []need{k}
		}
	}
	return nil
}
