package coldstart

import (
	"slices"
	"strings"

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

// silent are the controllers that write no address into any Ingress unless an argument, a variable or a file says which
// (docs of ingress-nginx, cli-arguments; of Traefik, kubernetesIngress; of HAProxy's controller; argo-cd#14607).
var silent = []string{"k8s.io/ingress-nginx", "traefik.io/ingress-controller", "haproxy.org/ingress-controller"}

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

// published returns what a controller needs before it publishes an address. Cilium publishes that of its own Service, clouds that of what
// they make; others say what they publish in arguments and variables. Of one that says nothing which is known here it is not known.
func (w *world) published(class *node) []need {
	by := class.task.Object.String("spec", "controller")
	if by == "cilium.io/ingress-controller" {
		return w.addressNeed(class.app.on, "", "cilium-ingress")
	}
	if slices.Contains(byThemselves, by) {
		return nil
	}
	files := false
	for _, p := range w.provided[class.here(named(controller, "", "Ingress.networking.k8s.io"))] {
		spec := needs.PodSpec(p.node.task.Object)
		if list, ok := w.publishedBy(p.node); ok {
			return list
		}
		if by == "k8s.io/ingress-nginx" && spec["hostNetwork"] == true {
			return nil // the addresses of its nodes (ingress-nginx internal/ingress/status, runningAddresses)
		}
		files = files || slices.ContainsFunc(flags(p.node), func(f flag) bool { return f.name == "configfile" })
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
func (w *world) publishedBy(n *node) ([]need, bool) {
	for _, f := range flags(n) {
		switch {
		case slices.Contains(addressWords, f.name) && f.value != "false":
			return nil, true
		case slices.Contains(serviceWords, f.name) && f.value != "":
			service := strings.NewReplacer("$(POD_NAMESPACE)", n.id.Namespace, "$POD_NAMESPACE", n.id.Namespace).Replace(f.value)
			namespace, name, ok := strings.Cut(service, "/")
			if !ok {
				namespace, name = n.id.Namespace, service
			}
			return w.addressNeed(n.app.on, namespace, name), true
		}
	}
	return nil, false
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
			name, _ := valueAt(env, "name").(string)
			value, _ := valueAt(env, "value").(string)
			list = append(list, flag{strings.ToLower(name), value})
		}
	}
	return list
}
