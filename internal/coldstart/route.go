package coldstart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// Facts about references between namespaces, and about routes.
const (
	referenceGranted needs.Type = "reference-granted" // a ReferenceGrant lets objects of one namespace refer to one of another
	accepted         needs.Type = "accepted"          // its Gateway takes a route that may not fit it
)

// grantNeed returns the need of a reference into another namespace for a ReferenceGrant there (Gateway API, ReferenceGrant).
func (w *world) grantNeed(n *node, to needs.Fact) []need {
	if to.Namespace == n.id.Namespace || to.Name == "" {
		return nil
	}
	fact := n.here(named(referenceGranted, "", n.id.Kind+" of "+n.id.Namespace+" to "+to.Kind+" "+to.Namespace+"/"+to.Name))
	for _, grant := range w.ofKind(n.app.on, gatewayGroup, "ReferenceGrant") {
		o := grant.task.Object
		from := func(item any) bool {
			return valueAt(item, "group") == n.id.Group && valueAt(item, "kind") == n.id.Kind && valueAt(item, "namespace") == n.id.Namespace
		}
		into := func(item any) bool {
			name := textAt(item, "name")
			return textAt(item, "group") == to.Group && valueAt(item, "kind") == to.Kind && (name == "" || name == to.Name)
		}
		lets := slices.ContainsFunc(o.List("spec", "from"), from) && slices.ContainsFunc(o.List("spec", "to"), into)
		if grant.id.Namespace == to.Namespace && lets && !slices.Contains(w.provided[fact], provision{grant, false}) {
			w.provide(fact, grant, false)
		}
	}
	return []need{wants(fact, "refers to "+to.Kind+" "+to.Namespace+"/"+to.Name+", which a ReferenceGrant of that namespace must allow")}
}

// backends returns what the backends of a route need beyond being there: leave to refer to another namespace, and the port.
func (w *world) backends(n *node) []need {
	var list []need
	for _, rule := range n.task.Object.List("spec", "rules") {
		for _, ref := range listOf(rule, "backendRefs") {
			to := needs.Fact{Group: textAt(ref, "group"), Kind: cmp.Or(textAt(ref, "kind"), "Service"), Name: textAt(ref, "name")}
			to.Namespace = cmp.Or(textAt(ref, "namespace"), n.id.Namespace)
			list = append(list, w.grantNeed(n, to)...)
			if to.Kind == "Service" && to.Group == "" {
				list = append(list, w.portNeed(n, to, valueAt(ref, "port"))...)
			}
		}
	}
	return list
}

// strictPorts are the controllers that look for the port of a backend, and say so where it is not there (Envoy Gateway
// internal/gatewayapi/validate.go; Traefik pkg/provider/kubernetes/gateway; NGINX Gateway Fabric internal/state/resolver).
var strictPorts = []string{envoyGateways, traefikGateway, nginxGateways}

// portNeed says that a Service has no such port. Of controllers that are not known to look it is not known what they say.
func (w *world) portNeed(n *node, to needs.Fact, port any) []need {
	for _, service := range w.called(n.app.on, "", to.Kind, to.Name) {
		ports := service.task.Object.List("spec", "ports")
		has := slices.ContainsFunc(ports, func(p any) bool { return samePort(valueAt(p, "port"), port) })
		if service.id.Namespace != to.Namespace || len(ports) == 0 || has || port == nil {
			continue
		}
		k := refuses("leads to a port of " + service.id.String() + " which that does not have")
		if !slices.ContainsFunc(w.gatewaysOf(n), func(g *node) bool { by, _ := w.servedBy(g); return slices.Contains(strictPorts, by) }) {
			k.unless = acceptance(n)
		}
		return []need{k}
	}
	return nil
}

func acceptance(n *node) string {
	return named(accepted, "", n.id.Kind+" "+n.id.Namespace+"/"+n.id.Name).String()
}

// gatewaysOf returns the Gateways among the objects on which a route hangs.
func (w *world) gatewaysOf(n *node) []*node {
	var list []*node
	for _, ref := range n.task.Object.List("spec", "parentRefs") {
		list = append(list, w.parent(n, ref)...)
	}
	return list
}

func (w *world) parent(n *node, ref any) []*node {
	if kind := cmp.Or(textAt(ref, "kind"), "Gateway"); kind != "Gateway" {
		return nil
	}
	var list []*node
	for _, gateway := range w.called(n.app.on, gatewayGroup, "Gateway", textAt(ref, "name")) {
		if gateway.id.Namespace == cmp.Or(textAt(ref, "namespace"), n.id.Namespace) {
			list = append(list, gateway)
		}
	}
	return list
}

// parents says of each Gateway on which a route hangs whether one of its listeners takes it (Gateway API, AllowedRoutes,
// RouteReasonNotAllowedByListeners, RouteReasonNoMatchingParent, RouteReasonNoMatchingListenerHostname).
func (w *world) parents(n *node) []need {
	var list []need
	for _, ref := range n.task.Object.List("spec", "parentRefs") {
		for _, gateway := range w.parent(n, ref) {
			list = append(list, w.taken(n, gateway, ref)...)
		}
	}
	return list
}

func (w *world) taken(n, gateway *node, ref any) []need {
	section, port := textAt(ref, "sectionName"), valueAt(ref, "port")
	why, doubt := "has no listener "+section, false
	for _, listener := range gateway.task.Object.List("spec", "listeners") {
		if section != "" && valueAt(listener, "name") != section || port != nil && !samePort(valueAt(listener, "port"), port) {
			continue
		}
		var fault string
		var unsure bool
		switch fault, unsure = w.barredFrom(n, gateway, listener); {
		case fault == "" && !unsure:
			return nil
		case unsure:
			why, doubt = fault, true
		case !doubt:
			why = fault
		}
	}
	if len(gateway.task.Object.List("spec", "listeners")) == 0 {
		return nil // an object that no API server takes, or whose listeners are in ListenerSets
	}
	k := refuses("hangs on " + gateway.id.String() + ", which " + strings.TrimSpace(why))
	if doubt {
		k.unless = acceptance(n)
	}
	return []need{k}
}

// barredFrom says why a listener does not take a route. Labels of a namespace that is not among the objects are not known.
func (w *world) barredFrom(n, gateway *node, listener any) (why string, unsure bool) {
	name := textAt(listener, "name")
	if kinds := listOf(listener, "allowedRoutes", "kinds"); len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k any) bool { return valueAt(k, "kind") == n.id.Kind }) {
		return "takes no " + n.id.Kind + " at its listener " + name, false
	}
	if !hostsMeet(textAt(listener, "hostname"), textsOf(n.task.Object.Fields(), "spec", "hostnames")) {
		return "serves none of its hostnames at its listener " + name, false
	}
	switch from := cmp.Or(textAt(listener, "allowedRoutes", "namespaces", "from"), "Same"); {
	case from == "All", from == "Same" && n.id.Namespace == gateway.id.Namespace:
		return "", false
	case from == "Same":
		return "takes routes of its own namespace alone at its listener " + name + " (allowedRoutes)", false
	case from == "Selector":
		selector, _ := valueAt(listener, "allowedRoutes", "namespaces", "selector").(map[string]any)
		labels := map[string]any{"kubernetes.io/metadata.name": n.id.Namespace}
		for key, value := range w.namespaceLabels(n, n.id.Namespace) {
			labels[key] = value
		}
		if matchesSelector(selector, labels) {
			return "", false
		}
		_, known := w.namespace[n.key(n.id.Namespace)]
		return "takes routes of other namespaces alone at its listener " + name + " (allowedRoutes), by their labels", !known && !w.makesNamespace(n.app, n.id.Namespace)
	}
	return "takes no route at its listener " + name + " (allowedRoutes)", false
}

// hostsMeet reports whether a listener serves one of the hostnames of a route; either may begin with a wildcard, and where one states none
// it is about all.
func hostsMeet(listener string, hosts []string) bool {
	under := func(host, wildcard string) bool {
		rest, ok := strings.CutPrefix(wildcard, "*")
		return ok && strings.HasSuffix(host, rest) && host != rest
	}
	return listener == "" || len(hosts) == 0 || slices.ContainsFunc(hosts, func(host string) bool {
		return host == listener || under(host, listener) || under(listener, host)
	})
}

// listened returns what a Gateway needs of a Secret that a listener shows: that it is there, or that cert-manager makes it.
func (w *world) listened(n *node, secret needs.Fact) []need {
	for key, kind := range shims {
		name := n.task.Object.Annotation(key)
		if name == "" || len(w.provided[n.here(secret)]) > 0 {
			continue
		}
		issuer := needs.Fact{Type: needs.Exists, Group: certManager, Kind: kind, Name: name}
		if kind == "Issuer" {
			issuer.Namespace = n.id.Namespace
		}
		return []need{wants(issuer, "is given its certificate by an issuer"), wants(named(controller, "", "Certificate."+certManager), "is given its certificate by a controller")}
	}
	return []need{wants(secret, "shows a certificate of a Secret")}
}

// samePort compares numbers alone: what is none cannot be compared.
func samePort(a, b any) bool {
	x, ok := a.(int64)
	return ok && b == any(x)
}
