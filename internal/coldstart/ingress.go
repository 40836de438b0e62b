package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// publisher returns what an Ingress waits for before somebody writes an address into it: its class, the controller of that
// class, and the Service whose address the controller publishes.
func (w *world) publisher(n *node) []need {
	o := n.task.Object
	class := o.String("spec", "ingressClassName")
	if class == "" {
		class = o.Annotation("kubernetes.io/ingress.class")
	}
	node := w.ingressClass(n.app.on, class)
	if node == nil {
		if class != "" && w.givenText("controller Ingress.networking.k8s.io") {
			return nil
		}
		return []need{wants(needs.Fact{Type: needs.Ability, Name: publishes}, w.unserved(n.app.on, class))}
	}
	serves := wants(named(controller, "", "Ingress.networking.k8s.io"), "waits for a controller that writes an address into it")
	if slices.Contains(hosted, node.task.Object.String("spec", "controller")) {
		serves.unless = "ability " + publishes
	}
	list := []need{wants(needs.Fact{Type: needs.Exists, Group: "networking.k8s.io", Kind: "IngressClass", Name: node.id.Name}, "is served by an IngressClass"), serves}
	if fact := n.here(serves.fact); len(w.provided[fact]) == 0 && !w.isGiven(fact) {
		return list // of nobody there is nothing to say about what is published
	}
	return append(list, w.published(n, node)...)
}

// servers are the controllers whose charts bring a class of the name by default.
var servers = map[string]string{
	"alb":       "the AWS Load Balancer Controller",
	"cilium":    "Cilium with ingressController.enabled",
	"contour":   "Contour",
	"haproxy":   "an HAProxy ingress controller",
	"istio":     "Istio",
	"kong":      "the Kong ingress controller",
	"nginx":     "ingress-nginx",
	"tailscale": "the Tailscale operator",
	"traefik":   "Traefik",
}

// unserved says why nobody is known to serve an Ingress of a class, and who could.
func (w *world) unserved(on, class string) string {
	var there []string
	for _, n := range w.ofKind(on, "networking.k8s.io", "IngressClass") {
		there = append(there, n.id.Name)
	}
	text := "is of class " + class + ", which no IngressClass here has"
	if class == "" {
		text = "names no class, and none is the default"
	}
	if slices.Sort(there); len(there) > 0 {
		text += " (there is " + strings.Join(slices.Compact(there), ", ") + ")"
	}
	text += ": it waits for a controller that writes an address into it"
	if server := servers[class]; server != "" {
		text += ", such as " + server
	}
	return text
}

// ingressClass finds a class among the objects: the named one, else the default, else the only one.
func (w *world) ingressClass(on, name string) *node {
	for _, n := range w.ofKind(on, "networking.k8s.io", "IngressClass") {
		if n.id.Name == name || name == "" && n.task.Object.Annotation("ingressclass.kubernetes.io/is-default-class") == "true" {
			return n
		}
	}
	return nil
}

// addressNeed returns the need for the address of a Service, wherever it lives if no namespace is given.
func (w *world) addressNeed(on, namespace, name string) []need {
	if services := w.called(on, "", "Service", name); namespace == "" && len(services) > 0 {
		namespace = services[0].id.Namespace
	}
	return []need{wants(named(addressOf, namespace, name), "gets the address of a Service")}
}

func (w *world) givenText(fact string) bool {
	if w.given[fact] {
		w.used[fact] = true
	}
	return w.given[fact]
}
