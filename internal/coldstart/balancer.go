package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// anyAddress marks a cluster with a workload that may give Services addresses, of which it is not known whether it does.
const anyAddress = "load-balancer"

// balancers are the programs that give every Service of type LoadBalancer an address from outside, as their images are called: the cloud
// controller managers of clouds that have balancers (their docs).
var balancers = []string{
	"hcloud-cloud-controller-manager", "provider-aws/cloud-controller-manager", "openstack-cloud-controller-manager", "azure-cloud-controller-manager",
	"digitalocean-cloud-controller-manager", "linode-cloud-controller-manager", "scaleway-cloud-controller-manager", "vultr-cloud-controller-manager",
	"cloud-provider-oci", "cloud-provider-gcp/cloud-controller-manager", "cloud-provider-kind",
}

// classBalancers give addresses to the Services of one class: by a part of their image, the class (docs of Tailscale and of the AWS Load
// Balancer Controller).
var classBalancers = map[string]string{"tailscale/k8s-operator": "tailscale", "aws-load-balancer-controller": "service.k8s.aws/nlb"}

// balances says that a workload gives Services addresses, or may: one that nobody knows and that may write the status of Services. Of
// kube-vip it hangs on ConfigMaps and nodes.
func (w *world) balances(n *node, all []needs.Grant) {
	named := func(part string) bool { return runsImage(n, part) }
	for part, class := range classBalancers {
		if named(part) {
			w.provide(needs.Fact{Type: needs.Ability, Name: classAbility + class}, n, true)
			return
		}
	}
	switch {
	case slices.ContainsFunc(balancers, named) && told(n, "hcloud_load_balancers_enabled") != "false":
		w.provide(needs.Fact{Type: needs.Ability, Name: needs.Addresses}, n, true)
	case named("kube-vip"), mayBalance(all) && !named("kong"):
		w.mayMake(n, anyAddress)
	}
}

// mayBalance reports whether an account may write the status of Services and is neither Cilium's nor MetalLB's, of whose addresses pools
// tell.
func mayBalance(all []needs.Grant) bool {
	pools := func(g needs.Grant) bool {
		return slices.ContainsFunc(textsOf(g.Rule, "apiGroups"), func(group string) bool { return group == "cilium.io" || group == "metallb.io" })
	}
	writes := func(g needs.Grant) bool {
		verbs := textsOf(g.Rule, "verbs")
		return (hasAny(verbs, "update") || hasAny(verbs, "patch")) && slices.Contains(textsOf(g.Rule, "apiGroups"), "") && slices.Contains(textsOf(g.Rule, "resources"), "services/status")
	}
	return slices.ContainsFunc(all, writes) && !slices.ContainsFunc(all, pools)
}

// installers are the kinds whose objects install what is not among the objects.
var installers = []needs.Fact{
	{Group: "helm.cattle.io", Kind: "HelmChart"},
	{Group: "helm.cattle.io", Kind: "HelmChartConfig"},
	{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"},
	{Group: "operator.openshift.io", Kind: "IngressController"},
}

// installs reports whether something on a cluster may install controllers that nobody sees.
func (w *world) installs(on string) bool {
	return slices.ContainsFunc(installers, func(kind needs.Fact) bool { return len(w.ofKind(on, kind.Group, kind.Kind)) > 0 })
}

// mayServe reports whether a controller may be there that gives addresses to Services, or to Ingresses, although no object is known to:
// no controller is given (docs/prove.md), so that without a hint of one nobody does.
func (w *world) mayServe(fact needs.Fact) bool {
	switch {
	case w.installs(fact.Cluster), strings.HasPrefix(fact.Name, classAbility) && w.given["ability "+needs.Addresses]: // whoever that is
		return true
	case fact.Name == publishes:
		return len(w.provided[needs.Fact{Type: controller, Name: "Ingress.networking.k8s.io", Cluster: fact.Cluster}]) > 0
	case fact.Type == controller:
		return false
	}
	return w.makesAny[keyOn(fact.Cluster, anyAddress)]
}

// hosted are the classes whose controller runs outside of the cluster, or comes with it (docs of EKS auto mode, AKS).
var hosted = []string{"eks.amazonaws.com/alb", "azure/application-gateway", "webapprouting.kubernetes.azure.com/nginx"}

// metalHome says why MetalLB does not see an object: it looks into its own namespace, or that which it is told, alone (MetalLB docs,
// configuration; internal/k8s, METALLB_NAMESPACE).
func (w *world) metalHome(pool *node) string {
	var homes []string
	for _, p := range w.provided[pool.here(named(controller, "", dotted(pool.id)))] {
		home := p.node.id.Namespace
		if stated := told(p.node, "metallb_namespace"); stated != "" {
			home = stated
		}
		if home == pool.id.Namespace {
			return ""
		}
		homes = append(homes, home)
	}
	if len(homes) == 0 || w.isGiven(pool.here(named(controller, "", dotted(pool.id)))) {
		return ""
	}
	return "is in namespace " + pool.id.Namespace + ", and MetalLB looks into " + homes[0] + " alone"
}
