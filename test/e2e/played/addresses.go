package played

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// definition is a CustomResourceDefinition which a controller makes when it starts.
type definition struct {
	kind, plural string
	namespaced   bool
	versions     []string // the first is stored
}

// ciliumKinds are those of v1.19's register.go that users write.
func ciliumKinds() []definition {
	return []definition{
		{"CiliumNetworkPolicy", "ciliumnetworkpolicies", true, []string{"v2"}},
		{"CiliumClusterwideNetworkPolicy", "ciliumclusterwidenetworkpolicies", false, []string{"v2"}},
		{"CiliumCIDRGroup", "ciliumcidrgroups", false, []string{"v2", "v2alpha1"}},
		{"CiliumLoadBalancerIPPool", "ciliumloadbalancerippools", false, []string{"v2", "v2alpha1"}},
		{"CiliumL2AnnouncementPolicy", "ciliuml2announcementpolicies", false, []string{"v2alpha1"}},
		{"CiliumBGPClusterConfig", "ciliumbgpclusterconfigs", false, []string{"v2", "v2alpha1"}},
		{"CiliumBGPPeerConfig", "ciliumbgppeerconfigs", false, []string{"v2", "v2alpha1"}},
		{"CiliumBGPAdvertisement", "ciliumbgpadvertisements", false, []string{"v2", "v2alpha1"}},
		{"CiliumNode", "ciliumnodes", false, []string{"v2"}},
		{"CiliumIdentity", "ciliumidentities", false, []string{"v2"}},
		{"CiliumEndpoint", "ciliumendpoints", true, []string{"v2"}},
	}
}

func ciliumDefinitions(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "cilium-operator")
	if err != nil || !up {
		return err
	}
	for _, d := range ciliumKinds() {
		if w.exists(ctx, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "", d.plural+".cilium.io") {
			continue
		}
		w.once("played: cilium-operator defines %s", d.kind)
		if err := w.Client.Apply(ctx, "cilium-operator", d.object("cilium.io")); err != nil {
			return err
		}
	}
	return nil
}

func (d definition) object(group string) *kube.Object {
	scope, versions := "Cluster", []any{}
	if d.namespaced {
		scope = "Namespaced"
	}
	for i, v := range d.versions {
		versions = append(versions, map[string]any{
			"name": v, "served": true, "storage": i == 0, "subresources": map[string]any{"status": map[string]any{}},
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
		})
	}
	return &kube.Object{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": d.plural + "." + group},
		"spec": map[string]any{
			"group": group, "scope": scope, "versions": versions,
			"names": map[string]any{"kind": d.kind, "listKind": d.kind + "List", "plural": d.plural, "singular": strings.ToLower(d.kind)},
		},
	}}
}

// pool is a set of addresses and the Services that may have one.
type pool struct {
	name     string
	selector labels.Selector
	blocks   []string
}

func ciliumAddresses(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "cilium-operator")
	if err != nil || !up {
		return err
	}
	list, err := w.Client.List(ctx, "cilium.io/v2", "CiliumLoadBalancerIPPool", "")
	if err != nil {
		return err
	}
	var pools []pool
	for _, o := range list {
		if disabled, _, _ := unstructured.NestedBool(o.Object, "spec", "disabled"); disabled {
			continue
		}
		p := pool{name: o.GetName(), selector: labels.Everything()}
		if raw, found, _ := unstructured.NestedMap(o.Object, "spec", "serviceSelector"); found {
			var s metav1.LabelSelector
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &s); err != nil {
				continue
			}
			if p.selector, err = metav1.LabelSelectorAsSelector(&s); err != nil {
				continue
			}
		}
		blocks, _, _ := unstructured.NestedSlice(o.Object, "spec", "blocks")
		for _, b := range blocks {
			m, _ := b.(map[string]any)
			for _, key := range []string{"cidr", "start"} {
				if s, ok := m[key].(string); ok {
					p.blocks = append(p.blocks, s)
				}
			}
		}
		pools = append(pools, p)
	}
	return w.assign(ctx, pools, "io.cilium/")
}

func metallbAddresses(ctx context.Context, w *World) error {
	up, err := w.component(ctx, "metallb", "controller")
	if err != nil || !up {
		return err
	}
	list, err := w.Client.List(ctx, "metallb.io/v1beta1", "IPAddressPool", "")
	if err != nil {
		return err
	}
	var pools []pool
	for _, o := range list {
		if auto, found, _ := unstructured.NestedBool(o.Object, "spec", "autoAssign"); found && !auto {
			continue
		}
		blocks, _, _ := unstructured.NestedStringSlice(o.Object, "spec", "addresses")
		pools = append(pools, pool{o.GetName(), labels.Everything(), blocks})
	}
	return w.assign(ctx, pools, "metallb")
}

// assign gives each waiting Service of the class the first free address of a pool that takes it.
func (w *World) assign(ctx context.Context, pools []pool, class string) error {
	services, err := w.Client.List(ctx, "v1", "Service", "")
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, s := range services {
		used[address(&s)] = true
	}
	for _, s := range services {
		c := kube.Field(&s, "spec", "loadBalancerClass")
		if kube.Field(&s, "spec", "type") != "LoadBalancer" || address(&s) != "" || c != "" && !strings.HasPrefix(c, class) {
			continue
		}
		ip := free(pools, s.GetLabels(), used)
		if ip == "" {
			continue
		}
		used[ip] = true
		w.once("played: %s gets %s", kube.Name(&s), ip)
		if err := w.status(ctx, &s, ip); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) status(ctx context.Context, o *kube.Object, ip string) error {
	return w.Client.Merge(ctx, o, map[string]any{"status": map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": ip}}}}}, "status")
}

func address(o *kube.Object) string {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "loadBalancer", "ingress")
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			return fmt.Sprint(m["ip"])
		}
	}
	return ""
}

func free(pools []pool, set map[string]string, used map[string]bool) string {
	for _, p := range pools {
		if !p.selector.Matches(labels.Set(set)) {
			continue
		}
		for _, b := range p.blocks {
			if ip := firstFree(b, used); ip != "" {
				return ip
			}
		}
	}
	return ""
}

// firstFree reads a CIDR, or an address that starts a range, and looks at its first 256 addresses.
func firstFree(block string, used map[string]bool) string {
	start, _, _ := strings.Cut(block, "-")
	prefix, err := netip.ParsePrefix(start)
	if err != nil {
		a, err := netip.ParseAddr(start)
		if err != nil || used[a.String()] {
			return ""
		}
		return a.String()
	}
	for a, n := prefix.Masked().Addr(), 0; prefix.Contains(a) && n < 256; a, n = a.Next(), n+1 {
		if !used[a.String()] {
			return a.String()
		}
	}
	return ""
}

// ciliumIngress copies the shared Service's address to every Ingress of the class, whose IngressClass names Cilium.
func ciliumIngress(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "cilium-operator")
	if err != nil || !up {
		return err
	}
	services, err := w.Client.List(ctx, "v1", "Service", "")
	if err != nil {
		return err
	}
	ip := ""
	for _, s := range services {
		if s.GetLabels()["cilium.io/ingress"] == "true" {
			ip = address(&s)
		}
	}
	if ip == "" {
		return nil
	}
	return w.publishTo(ctx, "cilium.io/ingress-controller", ip)
}

// publisher is an ingress controller that copies the address of a Service to the Ingresses of its class.
type publisher struct{ label, argument, class string }

// nginxStatus and traefikStatus: both are told the Service by an argument, and write nothing without it.
func nginxStatus(ctx context.Context, w *World) error {
	return w.publish(ctx, publisher{"ingress-nginx", "--publish-service", "k8s.io/ingress-nginx"})
}

func traefikStatus(ctx context.Context, w *World) error {
	return w.publish(ctx, publisher{"traefik", "--providers.kubernetesingress.ingressendpoint.publishedservice", "traefik.io/ingress-controller"})
}

func (w *World) publish(ctx context.Context, p publisher) error {
	controller, up, err := w.running(ctx, "app.kubernetes.io/name", p.label)
	if err != nil || !up {
		return err
	}
	_, name, found := strings.Cut(argument(arguments(controller), p.argument), "/")
	if !found {
		return nil
	}
	service, err := w.Client.Get(ctx, "v1", "Service", controller.GetNamespace(), name)
	if err != nil || address(service) == "" {
		return nil // it asks again
	}
	return w.publishTo(ctx, p.class, address(service))
}

// publishTo writes an address into the status of every Ingress whose IngressClass names the controller.
func (w *World) publishTo(ctx context.Context, controller, ip string) error {
	list, err := w.Client.List(ctx, "networking.k8s.io/v1", "Ingress", "")
	if err != nil {
		return err
	}
	for _, i := range list {
		class, err := w.Client.Get(ctx, "networking.k8s.io/v1", "IngressClass", "", kube.Field(&i, "spec", "ingressClassName"))
		if err != nil || kube.Field(class, "spec", "controller") != controller || address(&i) == ip {
			continue
		}
		w.once("played: %s gets %s", kube.Name(&i), ip)
		if err := w.status(ctx, &i, ip); err != nil {
			return err
		}
	}
	return nil
}
