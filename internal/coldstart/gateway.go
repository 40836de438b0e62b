package coldstart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

const gatewayGroup = "gateway.networking.k8s.io"

// gatewayAddress is the ability of a controller that nobody knows to give its Gateways an address.
const gatewayAddress = "gateway-address"

func isGatewayAPI(id manifest.ID) bool { return id.Group == gatewayGroup }

// silentWithout names the rules of package needs without which a controller of Gateway API says nothing of an object: it may be another's.
func silentWithout(rule string) bool { return rule == "gateway-class" || rule == "route-parent" }

// The controllers of Gateway API, as GatewayClasses name them, that are known.
const (
	ciliumGateways = "io.cilium/gateway-controller"
	envoyGateways  = "gateway.envoyproxy.io/gatewayclass-controller"
	istioGateways  = "istio.io/gateway-controller"
	istioMesh      = "istio.io/mesh-controller"
	traefikGateway = "traefik.io/gateway-controller"
	nginxGateways  = "gateway.nginx.org/nginx-gateway-controller"
)

// freeOfAddress are the controllers that call a Gateway Programmed without an address of a balancer of this cluster: they bring one
// from a cloud, or show what they have.
var freeOfAddress = []string{
	traefikGateway, nginxGateways, istioMesh, // traefik pkg/provider/kubernetes/gateway; nginx-gateway-fabric internal/state/conditions; istio, waypoints are of type ClusterIP
	"networking.gke.io/gateway", "application-networking.k8s.aws/gateway-api-controller", "gateway.k8s.aws/alb", "gateway.k8s.aws/nlb", "alb.networking.azure.io/alb-controller",
}

// istioClasses are the classes that istiod makes itself (istio docs, Kubernetes Gateway API).
var istioClasses = map[string]string{"istio": istioGateways, "istio-remote": "istio.io/unmanaged-gateway", "istio-waypoint": istioMesh}

// makesClasses says that istiod makes its GatewayClasses.
func (w *world) makesClasses(n *node) {
	if !slices.ContainsFunc(images(n), func(image string) bool {
		return strings.Contains(image, "/pilot:") || strings.HasSuffix(image, "/pilot") || strings.Contains(image, "/pilot@")
	}) {
		return
	}
	for class := range istioClasses {
		w.provide(needs.Fact{Type: needs.Exists, Group: gatewayGroup, Kind: "GatewayClass", Name: class}, n, true)
	}
}

// gatewayNeeds returns what a Gateway or a route waits for beyond the table of rules.
func (w *world) gatewayNeeds(n *node) []need {
	switch {
	case !isGatewayAPI(n.id):
		return nil
	case n.id.Kind == "Gateway":
		return append(w.gatewayAddressed(n), w.listenerSecrets(n)...)
	case strings.HasSuffix(n.id.Kind, "Route"):
		return append(w.parents(n), w.backends(n)...)
	}
	return nil
}

// servedBy returns the controller of a Gateway's class, and the class where it is among the objects.
func (w *world) servedBy(n *node) (string, *node) {
	name := n.task.Object.String("spec", "gatewayClassName")
	for _, class := range w.called(n.app.on, gatewayGroup, "GatewayClass", name) {
		return class.task.Object.String("spec", "controllerName"), class
	}
	if len(w.provided[n.here(needs.Fact{Type: needs.Exists, Group: gatewayGroup, Kind: "GatewayClass", Name: name})]) > 0 {
		return istioClasses[name], nil
	}
	return "", nil
}

// gatewayAddressed returns what a Gateway needs before it is Programmed: an address, most often that of a Service which its controller
// makes for it (Gateway API, GatewayStatus.addresses; docs of Cilium, Envoy Gateway and Istio). What an unknown controller does is not known.
func (w *world) gatewayAddressed(n *node) []need {
	by, class := w.servedBy(n)
	if n.task.Object.String("spec", "gatewayClassName") == "" || slices.Contains(freeOfAddress, by) {
		return nil
	}
	service, fixed := w.gatewayService(n, class, by)
	if fixed {
		return nil
	}
	k := wants(needs.Fact{Type: needs.Ability, Name: needs.Addresses}, "gets a Service of its own from its controller, which waits for an address")
	if slices.Contains([]string{ciliumGateways, envoyGateways, istioGateways}, by) && service.Get("spec", "type") != nil {
		k = w.addressed(n, &node{app: n.app, id: service.ID(), task: Task{Object: service}}, k)
	} else {
		k.why, k.unless = "may wait for an address of a Service which its controller makes", "ability "+gatewayAddress
	}
	k.hangs = true
	return []need{k}
}

// gatewayService is the Service that a controller makes for a Gateway; fixed says that it has an address whoever gives any. One without a
// type is made as objects say that are not here.
func (w *world) gatewayService(n, class *node, by string) (service manifest.Object, fixed bool) {
	o := n.task.Object
	labels := map[string]any{}
	for key, value := range o.Map("spec", "infrastructure", "labels") {
		labels[key] = value
	}
	labels["gateway.networking.k8s.io/gateway-name"] = n.id.Name
	spec := map[string]any{"type": "LoadBalancer"}
	namespace, name := n.id.Namespace, n.id.Name
	switch by {
	case ciliumGateways:
		name = "cilium-gateway-" + name
		labels["io.cilium.gateway/owning-gateway"] = n.id.Name
		for _, config := range w.called(n.app.on, "", "ConfigMap", "cilium-config") {
			fixed = config.task.Object.String("data", "gateway-api-hostnetwork-enabled") == "true"
		}
		w.asParameters(spec, n, class, "CiliumGatewayClassConfig", []string{"spec", "service"})
	case istioGateways:
		name += "-" + o.String("spec", "gatewayClassName")
		if stated := o.Annotation("networking.istio.io/service-type"); stated != "" {
			spec["type"] = stated
		}
	case envoyGateways:
		labels = map[string]any{"gateway.envoyproxy.io/owning-gateway-name": n.id.Name, "gateway.envoyproxy.io/owning-gateway-namespace": n.id.Namespace}
		name = "envoy-" + n.id.Namespace + "-" + n.id.Name
		for _, p := range w.provided[n.here(named(controller, "", dotted(n.id)))] {
			namespace = p.node.id.Namespace
		}
		w.asParameters(spec, n, class, "EnvoyProxy", []string{"spec", "provider", "kubernetes", "envoyService"})
	}
	if spec["type"] != nil && spec["type"] != "LoadBalancer" {
		fixed = true
	}
	meta := map[string]any{"namespace": namespace, "name": name, "labels": labels}
	return manifest.New(map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}), fixed
}

// asParameters fills in what the parameters of a Gateway, or of its class, say of the Service.
func (w *world) asParameters(spec map[string]any, n, class *node, kind string, path []string) {
	ref := n.task.Object.Map("spec", "infrastructure", "parametersRef")
	if ref == nil && class != nil {
		ref = class.task.Object.Map("spec", "parametersRef")
	}
	name, _ := ref["name"].(string)
	if ref == nil || ref["kind"] != kind {
		return
	}
	delete(spec, "type")
	for _, p := range w.kinship[needs.Fact{Group: groupOf(ref), Kind: kind, Name: name, Cluster: n.app.on}] {
		stated, _ := p.task.Object.Get(path...).(map[string]any)
		spec["type"] = cmp.Or(textAt(stated, "type"), "LoadBalancer")
		if lbClass := textAt(stated, "loadBalancerClass"); lbClass != "" {
			spec["loadBalancerClass"] = lbClass
		}
	}
}

func groupOf(ref map[string]any) string { return textAt(ref, "group") }

// shims are the annotations by which cert-manager makes the Secrets of a Gateway's listeners (cert-manager docs, Annotated Gateway resource).
var shims = map[string]string{"cert-manager.io/issuer": "Issuer", "cert-manager.io/cluster-issuer": "ClusterIssuer"}

// listenerSecrets returns the Secrets that the listeners of a Gateway show to clients: without one of them the Gateway is Degraded
// (Gateway API, ListenerReasonInvalidCertificateRef, ListenerReasonRefNotPermitted).
func (w *world) listenerSecrets(n *node) []need {
	var list []need
	for _, listener := range n.task.Object.List("spec", "listeners") {
		if valueAt(listener, "tls", "mode") == "Passthrough" {
			continue
		}
		for _, item := range listOf(listener, "tls", "certificateRefs") {
			kind, group, name := cmp.Or(textAt(item, "kind"), "Secret"), textAt(item, "group"), textAt(item, "name")
			namespace := cmp.Or(textAt(item, "namespace"), n.id.Namespace)
			list = append(list, w.grantNeed(n, needs.Fact{Group: group, Kind: kind, Namespace: namespace, Name: name})...)
			list = append(list, w.listened(n, needs.Fact{Type: needs.Exists, Group: group, Kind: kind, Namespace: namespace, Name: name})...)
		}
	}
	return list
}
