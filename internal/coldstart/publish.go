package coldstart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// byThemselves are the controllers, as IngressClasses name them, that write the address of something which they make themselves into an
// Ingress: a balancer of a cloud, a name of a network.
var byThemselves = []string{
	"ingress.k8s.aws/alb",                            // aws-load-balancer-controller docs, ingress class: a load balancer for each group
	"eks.amazonaws.com/alb",                          // EKS docs, auto mode
	"azure/application-gateway",                      // AGIC docs: the gateway's address
	"tailscale.com/ts-ingress",                       // Tailscale docs: the machine's name
	"k8s.ngrok.com/ingress-controller",               // ngrok-operator docs: the domain's name
	"strrl.dev/cloudflare-tunnel-ingress-controller", // its README: the tunnel's name
}

// The controllers that are known well enough to say what they do where nothing is said.
const (
	ingressNginx = "k8s.io/ingress-nginx"
	traefik      = "traefik.io/ingress-controller"
)

// silent are the controllers that write no address into any Ingress unless an argument, a variable or a file says which
// (docs of Traefik, kubernetesIngress; of HAProxy's controller; argo-cd#14607). ingress-nginx writes the addresses of its nodes then, which
// its flag's text denies and users found of no use; it is held to the text (docs/decisions/0036).
var silent = []string{ingressNginx, traefik, "haproxy.org/ingress-controller"}

// serviceWords begin an argument, or name a variable, that names the Service whose address is published: NAMESPACE/NAME, or a name in the
// controller's own namespace. They are compared in lower case and without dashes in front.
var serviceWords = []string{
	"publish-service",            // ingress-nginx, Kong, HAProxy
	"controller_publish_service", // Kong
	"providers.kubernetesingress.ingressendpoint.publishedservice",         // Traefik
	"traefik_providers_kubernetesingress_ingressendpoint_publishedservice", // Traefik
	"external-service", // nginx.org, with report-ingress-status
}

// addressWords do so for an address that is published as it stands.
var addressWords = []string{
	"publish-status-address", "controller_publish_status_address", "report-node-internal-ip-address", // ingress-nginx, Kong
	"providers.kubernetesingress.ingressendpoint.ip", "providers.kubernetesingress.ingressendpoint.hostname", // Traefik
	"traefik_providers_kubernetesingress_ingressendpoint_ip", "traefik_providers_kubernetesingress_ingressendpoint_hostname",
	"ingress-status-address", // Contour
}

// published returns what a controller needs before it publishes an address. Cilium publishes that of a Service of its own, clouds that of
// what they make; others say what they publish in arguments and variables. ingress-nginx on the network of its nodes publishes their
// addresses. Of one that says nothing which is known here it is not known.
func (w *world) published(ingress, class *node) []need {
	by := class.task.Object.String("spec", "controller")
	if by == "cilium.io/ingress-controller" {
		return w.ciliumPublishes(ingress, class)
	}
	if slices.Contains(byThemselves, by) {
		return nil
	}
	files, hosts := false, false
	for _, p := range w.provided[class.here(named(controller, "", "Ingress.networking.k8s.io"))] {
		if list, ok := w.publishedBy(p.node, by); ok {
			return list
		}
		hosts = hosts || needs.PodSpec(p.node.task.Object)["hostNetwork"] == true
		files = files || slices.ContainsFunc(flags(p.node), func(f flag) bool { return f.name == "configfile" })
	}
	if by == ingressNginx && hosts {
		return nil // the addresses of its nodes (ingress-nginx v1.15 internal/ingress/status/status.go, runningAddresses)
	}
	if slices.ContainsFunc(silent, func(known string) bool { return by == known || strings.HasPrefix(by, known+"/") }) && !files {
		return []need{refuses("is served by a controller that publishes no address (no --publish-service, no address stated)")}
	}
	return []need{wants(needs.Fact{Type: needs.Ability, Name: publishes}, "is served by "+nameOf(by)+", of which it is not known whether it writes an address into it,")}
}

func nameOf(controller string) string {
	if controller == "" {
		return "a controller that its IngressClass does not name"
	}
	return "the controller " + controller
}

// publishedBy reads what the pods of a controller are told to publish.
func (w *world) publishedBy(n *node, by string) ([]need, bool) {
	told := flags(n)
	if by == ingressNginx && slices.Contains(told, flag{"update-status", "false"}) {
		return []need{refuses("is served by a controller that publishes no address (--update-status=false)")}, true
	}
	for _, f := range told {
		switch {
		case slices.Contains(addressWords, f.name) && f.value != "false":
			return nil, true
		case slices.Contains(serviceWords, f.name) && f.value != "":
			service := strings.NewReplacer("$(POD_NAMESPACE)", n.id.Namespace, "$POD_NAMESPACE", n.id.Namespace).Replace(f.value)
			namespace, name, ok := strings.Cut(service, "/")
			if !ok {
				namespace, name = n.id.Namespace, service
			}
			if by == traefik {
				if why := w.addressless(n.app.on, namespace, name); why != "" {
					return []need{refuses(why)}, true
				}
			}
			return w.addressNeed(n.app.on, namespace, name), true
		}
	}
	return nil, false
}

// addressless says why Traefik has no address of a Service to publish: it takes those of a balancer, and external ones. ingress-nginx
// takes any address that a Service has (traefik v3.7 pkg/provider/kubernetes/ingress/kubernetes.go, updateIngressStatus; ingress-nginx
// v1.15 internal/ingress/status/status.go, statusAddressFromService).
func (w *world) addressless(on, namespace, name string) string {
	for _, n := range w.called(on, "", "Service", name) {
		o, kind := n.task.Object, n.task.Object.String("spec", "type")
		if n.id.Namespace == namespace && (kind == "" || kind == "ClusterIP") && len(o.List("spec", "externalIPs")) == 0 {
			return "is served by a controller that publishes the address of Service " + namespace + "/" + name + ", which has none outside of the cluster (type ClusterIP)"
		}
	}
	return ""
}

// ciliumPublishes returns what Cilium needs: the address of the shared Service, or of one that its operator makes for the Ingress alone
// (cilium v1.19 operator/pkg/ingress/{helpers,ingress_reconcile}.go). It serves the class called cilium, whatever others name it.
func (w *world) ciliumPublishes(ingress, class *node) []need {
	if class.id.Name != "cilium" {
		return []need{refuses("is of class " + class.id.Name + ", and Cilium serves the class cilium alone")}
	}
	o, mode, shared := ingress.task.Object, "", "cilium-ingress"
	for _, n := range w.called(class.app.on, "", "ConfigMap", "cilium-config") {
		data := n.task.Object
		mode = cmp.Or(data.String("data", "ingress-default-lb-mode"), "dedicated")
		shared = cmp.Or(data.String("data", "ingress-shared-lb-service-name"), shared)
	}
	mode = cmp.Or(o.Annotation("ingress.cilium.io/loadbalancer-mode"), o.Annotation("io.cilium.ingress/loadbalancer-mode"), mode)
	if mode != "dedicated" {
		return w.addressNeed(class.app.on, "", shared)
	}
	if o.Annotation("ingress.cilium.io/service-type") == "NodePort" {
		return []need{refuses("gets a Service of its own of type NodePort, which has no address")}
	}
	spec := map[string]any{"type": "LoadBalancer"}
	if class := o.Annotation("ingress.cilium.io/loadbalancer-class"); class != "" {
		spec["loadBalancerClass"] = class
	}
	own := manifest.New(map[string]any{
		"apiVersion": "v1", "kind": "Service", "spec": spec,
		"metadata": map[string]any{"namespace": ingress.id.Namespace, "name": "cilium-ingress-" + ingress.id.Name, "labels": map[string]any{"cilium.io/ingress": "true"}},
	})
	service := &node{app: ingress.app, id: own.ID(), task: Task{Object: own}}
	return []need{w.addressed(ingress, service, wants(needs.Fact{Type: needs.Ability, Name: needs.Addresses}, "gets a Service of its own from Cilium, which waits for an address"))}
}

// flag is an argument with its value, or a variable with its.
type flag struct{ name, value string }

// flags returns what the containers of a workload are told: --name=value, --name value, both in a line for a shell, too, and variables.
// Names are in lower case, and without dashes in front.
func flags(n *node) []flag {
	var list []flag
	for _, c := range containers(needs.PodSpec(n.task.Object)) {
		words := strings.Fields(strings.Join(append(textsOf(c, "command"), textsOf(c, "args")...), " "))
		for i, word := range words {
			bare := strings.TrimLeft(word, "-")
			name, value, stated := strings.Cut(bare, "=")
			if bare == word {
				continue
			}
			if !stated && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				value = words[i+1]
			}
			list = append(list, flag{strings.ToLower(name), strings.Trim(value, `"'`)})
		}
		for _, env := range listOf(c, "env") {
			name := textAt(env, "name")
			value := textAt(env, "value")
			list = append(list, flag{strings.ToLower(name), value})
		}
	}
	return list
}
