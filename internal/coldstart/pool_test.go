package coldstart

import (
	"strings"
	"testing"
)

// TestPoolsFor states which pools serve Services of a class, and of a namespace (Cilium docs, LB IPAM; MetalLB docs, usage and advanced
// IPAddressPool configuration).
func TestPoolsFor(t *testing.T) {
	const cilium, metal = "controller CiliumLoadBalancerIPPool.cilium.io", "controller IPAddressPool.metallb.io"
	service := func(spec string) string {
		return written("v1", "Service", "web", "0", "spec: {type: LoadBalancer"+spec+"}")
	}
	ippool := func(spec string) string {
		return "{apiVersion: cilium.io/v2alpha1, kind: CiliumLoadBalancerIPPool, metadata: {name: p}, spec: {blocks: [{cidr: 10.0.0.0/24}]" + spec + "}}\n---\n"
	}
	pool := func(spec string) string {
		return written("metallb.io/v1beta1", "IPAddressPool", "p", "0", "spec: {addresses: [10.0.0.0/24]"+spec+"}")
	}
	told := func(class string) string {
		return granting(true, "{apiGroups: [metallb.io], resources: [ipaddresspools/status], verbs: [update]}") +
			written("apps/v1", "Deployment", "metallb", "0", "spec: {template: {spec: {serviceAccountName: maker, containers: [{name: c, args: ['--lb-class="+class+"']}]}}}")
	}
	labelled := "{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {team: a}}}\n---\n"
	const another, others, none = ", serviceSelector: {matchLabels: {a: b}}", "its serviceSelector is for others", "its serviceAllocation is for other namespaces"
	const of = "ability load-balancer-address of class x comes from nobody"
	runStarts(t, map[string]start{
		"Cilium":                               {ippool("") + service(""), cilium, Proven, ""},
		"Cilium, others":                       {ippool(another) + service(""), cilium, Deadlock, others},
		"Cilium, a class of its own":           {ippool("") + service(", loadBalancerClass: io.cilium/l2-announcer"), cilium, Proven, ""},
		"Cilium, a class of its own, others":   {ippool(another) + service(", loadBalancerClass: io.cilium/l2-announcer"), cilium, Deadlock, others},
		"Cilium, another class":                {ippool("") + service(", loadBalancerClass: x"), cilium, Deadlock, of},
		"MetalLB":                              {pool("") + service(""), metal, Proven, ""},
		"MetalLB, another class":               {pool("") + service(", loadBalancerClass: x"), metal, Deadlock, of},
		"MetalLB, the class that it is told":   {told("x") + pool("") + service(", loadBalancerClass: x"), "", Proven, ""},
		"MetalLB, told another":                {told("y") + pool("") + service(", loadBalancerClass: x"), "", Deadlock, of},
		"MetalLB, told one, no class":          {told("x") + pool("") + service(""), "", Deadlock, "is not for Services of class"},
		"MetalLB, this namespace":              {pool(", serviceAllocation: {namespaces: [default]}") + service(""), metal, Proven, ""},
		"MetalLB, another namespace":           {pool(", serviceAllocation: {namespaces: [other]}") + service(""), metal, Deadlock, none},
		"MetalLB, namespaces with a label":     {labelled + pool(", serviceAllocation: {namespaceSelectors: [{matchLabels: {team: a}}]}") + service(""), metal, Proven, ""},
		"MetalLB, one of two selectors":        {labelled + pool(", serviceAllocation: {namespaceSelectors: [{matchLabels: {team: b}}, {matchLabels: {team: a}}]}") + service(""), metal, Proven, ""},
		"MetalLB, namespaces with another":     {labelled + pool(", serviceAllocation: {namespaceSelectors: [{matchLabels: {team: b}}]}") + service(""), metal, Deadlock, none},
		"MetalLB, another, or one with it":     {labelled + pool(", serviceAllocation: {namespaces: [other], namespaceSelectors: [{matchLabels: {team: a}}]}") + service(""), metal, Proven, ""},
		"MetalLB, another, or another with it": {labelled + pool(", serviceAllocation: {namespaces: [other], namespaceSelectors: [{matchLabels: {team: b}}]}") + service(""), metal, Deadlock, none},
		"MetalLB, an allocation of these":      {pool(", serviceAllocation: {serviceSelectors: [{matchLabels: {a: b}}]}") + strings.Replace(service(""), "name: web", "name: web, labels: {a: b}", 1), metal, Proven, ""},
		"MetalLB, an allocation of Services":   {pool(", serviceAllocation: {serviceSelectors: [{matchLabels: {a: b}}]}") + service(""), metal, Deadlock, "its serviceAllocation is for other Services"},
	})
}

// TestAddressesOfServices: an Ingress shows the address of the Service that its controller names, wherever others of that name live.
func TestAddressesOfServices(t *testing.T) {
	balancer := func(namespace, kind string) string {
		return "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: " + namespace + "}, spec: {type: " + kind + "}}\n---\n"
	}
	controller := func(service string) string {
		return written("networking.k8s.io/v1", "IngressClass", "c", "0", "spec: {controller: k8s.io/ingress-nginx}") +
			granting(true, "{apiGroups: [networking.k8s.io], resources: [ingresses/status], verbs: [update]}") +
			written("apps/v1", "Deployment", "nginx", "0", "spec: {template: {spec: {serviceAccountName: maker, containers: [{name: c, args: ['--publish-service="+service+"']}]}}}") +
			written("networking.k8s.io/v1", "Ingress", "i", "0", "spec: {ingressClassName: c}")
	}
	traefiks := strings.NewReplacer("k8s.io/ingress-nginx", traefik, "--publish-service", "--providers.kubernetesingress.ingressendpoint.publishedservice").Replace(controller("default/web"))
	shared := written("networking.k8s.io/v1", "IngressClass", "cilium", "0", "spec: {controller: cilium.io/ingress-controller}") +
		written("v1", "ConfigMap", "cilium-config", "0", "data: {ingress-default-lb-mode: shared, ingress-shared-lb-service-name: web}") +
		written("networking.k8s.io/v1", "Ingress", "i", "0", "spec: {ingressClassName: cilium}")
	onNodes := func(objects string) string {
		return strings.ReplaceAll(objects, "containers: [", "hostNetwork: true, containers: [")
	}
	kongs := func(argument string) string {
		return strings.NewReplacer("k8s.io/ingress-nginx", "ingress-controllers.konghq.com/kong", "--publish-service=x", argument).Replace(controller("x"))
	}
	own := func(class string) string {
		dedicated := strings.Replace(shared, "ingress-default-lb-mode: shared", "ingress-default-lb-mode: dedicated", 1)
		at := strings.LastIndex(dedicated, "annotations: {") + len("annotations: {")
		return dedicated[:at] + "ingress.cilium.io/loadbalancer-class: '" + class + "', " + dedicated[at:]
	}
	const lacks, given = "gets the address of a Service", "ability load-balancer-address"
	const cilium = "controller Ingress.networking.k8s.io\n" + given
	runStarts(t, map[string]start{
		"the Service that it names":            {balancer("default", "LoadBalancer") + controller("default/web"), given, Proven, ""},
		"one of its own namespace":             {balancer("default", "LoadBalancer") + controller("web"), given, Proven, ""},
		"one of another namespace":             {balancer("kube-public", "LoadBalancer") + controller("web"), given, Deadlock, lacks},
		"one of another namespace, by name":    {balancer("kube-public", "LoadBalancer") + controller("kube-public/web"), given, Proven, ""},
		"words behind it are no part of it":    {balancer("default", "LoadBalancer") + controller("default/web', 'run"), given, Proven, ""},
		"nor is the next argument":             {onNodes(strings.Replace(controller("x"), "--publish-service=x", "--publish-service', '--v=2", 1)), "", Proven, ""},
		"none is named: its nodes'":            {onNodes(controller("")), "", Proven, ""},
		"none is named, in a network of pods":  {controller(""), "", Deadlock, "publishes no address"},
		"Traefik's, and one of another place":  {traefiks + balancer("default", "LoadBalancer") + balancer("kube-public", "ClusterIP"), given, Proven, ""},
		"Traefik's, which has none":            {traefiks + balancer("default", "ClusterIP") + balancer("kube-public", "LoadBalancer"), given, Deadlock, "which has none outside of the cluster"},
		"of a class that names no controller":  {strings.Replace(controller(""), "controller: k8s.io/ingress-nginx", "parameters: {}", 1), "", Unknown, "a controller that its IngressClass does not name"},
		"a word that is no argument":           {onNodes(strings.Replace(controller("x"), "--publish-service=x", "publish-service=x", 1)), "", Proven, ""},
		"Kong's, the addresses of its nodes":   {kongs("--report-node-internal-ip-address=true"), "", Proven, ""},
		"Kong's, and not those":                {kongs("--report-node-internal-ip-address=false"), "", Unknown, "of which it is not known whether it writes an address into it"},
		"Cilium's own, of a class":             {own("x"), cilium, Unknown, "ability load-balancer-address of class x comes from nobody"},
		"Cilium's own, of no class":            {own(""), cilium, Proven, ""},
		"Cilium's, wherever it is":             {balancer("kube-public", "LoadBalancer") + shared, cilium, Proven, ""},
		"Cilium's, which nobody brings":        {shared, cilium, Deadlock, lacks},
		"the address that nobody gives it yet": {balancer("default", "LoadBalancer") + controller("default/web"), "", Deadlock, "waits for an address"},
	})
}
