package generators

import (
	"errors"
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// cilium is the network: agents on each node, an operator, and the ingress controller where there are addresses for it.
func cilium() component.Definition {
	return component.Definition{
		Name: "cilium",
		Doc: "Network of a Talos cluster without kube-proxy; derives ingress, PROXY protocol, address pool and announcement " +
			"from loadBalancer, frontProxy and nodes.",
		Repo:      "https://helm.cilium.io",
		Namespace: "kube-system",
		Build:     buildCilium,
	}
}

func buildCilium(env *environment.Environment) (component.Parts, error) {
	c := ciliumOf{env: env, ingress: ciliumIngress(env)}
	if err := c.check(); err != nil {
		return component.Parts{}, err
	}
	return component.Parts{
		Values:      c.values(),
		DecidedBy:   c.decidedBy(),
		Config:      c.config(),
		Together:    true, // Service cilium-ingress is healthy only with an address of the pool
		APIVersions: ciliumAPIs(),
		Scopes:      ciliumScopes(),
	}, nil
}

// ciliumOf is Cilium in one environment.
type ciliumOf struct {
	env     *environment.Environment
	ingress bool // whether the ingress controller runs
}

// check asks for the facts that are needed, and refuses flags that repeat one.
func (c ciliumOf) check() error {
	const claim = "a claim about what stands before the cluster: where it is false, every TLS handshake is reset"
	var errs []error
	facts := c.env.Facts
	if len(facts.Nodes) == 0 {
		errs = append(errs, c.env.Missing("facts.nodes", "how many operators of cilium can be scheduled, and which nodes announce addresses"))
	}
	if c.ingress && facts.LoadBalancer == nil {
		errs = append(errs, c.env.Missing("facts.loadBalancer", "which address Service cilium-ingress gets; without one it is pending for ever, and so is all that waits for it"))
	}
	if (c.ingress || c.gateway()) && facts.FrontProxy == nil {
		errs = append(errs, c.env.Missing("facts.frontProxy", "whether the ingress of cilium expects a PROXY header; a wrong answer resets every TLS handshake"))
	}
	errs = append(errs, claimed(c.env, "cilium", "facts.frontProxy", claim, "ingressController", "enableProxyProtocol")...)
	errs = append(errs, claimed(c.env, "cilium", "facts.frontProxy", claim, "gatewayAPI", "enableProxyProtocol")...)
	return errors.Join(errs...)
}

func (c ciliumOf) gateway() bool { return isOn(c.env, "cilium", false, "gatewayAPI", "enabled") }

// values are those that Talos needs (its guide and Cilium's agree), and those that the facts decide.
func (c ciliumOf) values() map[string]any {
	values := map[string]any{
		"ipam": map[string]any{"mode": "kubernetes"}, // the nodes' pod subnets come from Kubernetes
		// kube-proxy is off on Talos and the API server is reached through KubePrism on each node: the network must come up
		// before a virtual address has been elected.
		"kubeProxyReplacement": true,
		"k8sServiceHost":       "localhost",
		"k8sServicePort":       int64(7445),
		// Talos mounts cgroup v2 itself and lets no pod load kernel modules: no SYS_MODULE.
		"cgroup": map[string]any{"autoMount": map[string]any{"enabled": false}, "hostRoot": "/sys/fs/cgroup"},
		"securityContext": map[string]any{"capabilities": map[string]any{
			"ciliumAgent": list("CHOWN", "KILL", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "SYS_ADMIN", "SYS_RESOURCE", "DAC_OVERRIDE", "FOWNER",
				"SETGID", "SETUID"),
			"cleanCiliumState": list("NET_ADMIN", "SYS_ADMIN", "SYS_RESOURCE"),
		}},
		// The chart's own default, helm, makes new certificates at every render.
		"hubble": map[string]any{"tls": map[string]any{"auto": map[string]any{"method": "cronJob"}}},
	}
	if len(c.env.Facts.Nodes) == 1 {
		values["operator"] = map[string]any{"replicas": int64(1)} // two would exclude each other from the one node
	}
	if isOn(c.env, "cilium", false, "bpf", "masquerade") {
		// Talos answers DNS for pods on the host (hostDNS.forwardKubeDNSToHost), which eBPF host routing bypasses:
		// siderolabs/talos#10002, cilium/cilium#32489.
		values["bpf"] = map[string]any{"hostLegacyRouting": true}
	}
	if c.gateway() {
		values["gatewayAPI"] = map[string]any{"enableProxyProtocol": c.proxied()}
	}
	maps.Copy(values, c.loadBalancerValues())
	return values
}

// loadBalancerValues are those about reaching the cluster from outside.
func (c ciliumOf) loadBalancerValues() map[string]any {
	ingress := map[string]any{"enabled": c.ingress}
	if c.ingress {
		ingress["loadbalancerMode"] = "shared" // one address for all, however many Ingresses there are
		ingress["service"] = map[string]any{"type": "LoadBalancer"}
		ingress["enableProxyProtocol"] = c.proxied()
		if namespace, secret, ok := wildcardSecret(c.env); ok {
			// What an Ingress with tls and without a secretName is served with.
			ingress["defaultSecretNamespace"], ingress["defaultSecretName"] = namespace, secret
		}
	}
	announce := environment.Announce{}
	if c.env.Facts.LoadBalancer != nil {
		announce = c.env.Facts.LoadBalancer.Announce
	}
	return map[string]any{
		"ingressController": ingress,
		"l2announcements":   map[string]any{"enabled": announce.L2 != nil},
		"bgpControlPlane":   map[string]any{"enabled": announce.BGP != nil},
	}
}

// decidedBy names the fact behind each value that one decides.
func (c ciliumOf) decidedBy() map[string]string {
	facts := map[string]string{
		"ingressController": "facts.loadBalancer",
		"l2announcements":   "facts.loadBalancer",
		"bgpControlPlane":   "facts.loadBalancer",
	}
	if c.ingress {
		facts["ingressController.enableProxyProtocol"] = "facts.frontProxy"
	}
	if _, _, ok := wildcardSecret(c.env); c.ingress && ok {
		facts["ingressController.defaultSecretName"] = "facts.acme"
		facts["ingressController.defaultSecretNamespace"] = "facts.acme"
	}
	if c.gateway() {
		facts["gatewayAPI.enableProxyProtocol"] = "facts.frontProxy"
	}
	if len(c.env.Facts.Nodes) == 1 {
		facts["operator.replicas"] = "facts.nodes"
	}
	return facts
}

// proxied reports whether who connects sends a PROXY header. Envoy reads both versions.
func (c ciliumOf) proxied() bool {
	proxy := c.env.Facts.FrontProxy
	return proxy != nil && (proxy.Protocol == "proxy-v1" || proxy.Protocol == "proxy-v2")
}

// config is the pool and how it is announced. Its kinds come into being when the operator runs.
func (c ciliumOf) config() []manifest.Object {
	lb := c.env.Facts.LoadBalancer
	if lb == nil {
		return nil
	}
	var blocks []any
	for _, prefix := range lb.Addresses {
		blocks = append(blocks, map[string]any{"cidr": prefix.String()})
	}
	objects := []manifest.Object{
		object(c.stable(), "CiliumLoadBalancerIPPool", "", "default-pool", map[string]any{"blocks": blocks}),
	}
	if lb.Announce.L2 != nil {
		objects = append(objects, c.l2Policy(*lb.Announce.L2))
	}
	if lb.Announce.BGP != nil {
		objects = append(objects, c.bgp(*lb.Announce.BGP)...)
	}
	for i, o := range objects {
		objects[i] = atRunTime(o)
	}
	return objects
}

// stable is the version in which the chart's operator serves pools and BGP: v2 since 1.18.
func (c ciliumOf) stable() string {
	if atLeast(c.env, "cilium", "1.18.0-0") {
		return "cilium.io/v2"
	}
	return "cilium.io/v2alpha1"
}

// l2Policy announces the addresses by ARP and NDP. loadBalancerIPs is off unless it is said.
func (c ciliumOf) l2Policy(l2 environment.L2) manifest.Object {
	spec := map[string]any{"loadBalancerIPs": true, "interfaces": list(l2.Links...)}
	return object("cilium.io/v2alpha1", "CiliumL2AnnouncementPolicy", "", "default", c.onWorkers(spec))
}

// onWorkers narrows a spec to the workers, where there are any: control planes are kept free of traffic from outside.
func (c ciliumOf) onWorkers(spec map[string]any) map[string]any {
	worker := func(n environment.Node) bool { return n.Role == "worker" }
	if slices.ContainsFunc(c.env.Facts.Nodes, worker) {
		spec["nodeSelector"] = map[string]any{"matchExpressions": []any{
			map[string]any{"key": "node-role.kubernetes.io/control-plane", "operator": "DoesNotExist"},
		}}
	}
	return spec
}
