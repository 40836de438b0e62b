package played

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// ciliumConfig is what the operator is told: the ConfigMap that the chart mounts into it.
func (w *World) ciliumConfig(ctx context.Context, operator *kube.Object) map[string]string {
	o, err := w.Client.Get(ctx, "v1", "ConfigMap", operator.GetNamespace(), "cilium-config")
	if err != nil {
		return nil
	}
	data, _, _ := unstructured.NestedStringMap(o.Object, "data")
	return data
}

// ciliumAddresses: LB IPAM serves Services without a class, and those of the classes whose announcements are switched on.
func ciliumAddresses(ctx context.Context, w *World) error {
	operator, up, err := w.running(ctx, "app.kubernetes.io/name", "cilium-operator")
	if err != nil || !up {
		return err
	}
	config := w.ciliumConfig(ctx, operator)
	if config["enable-lb-ipam"] == "false" {
		return nil
	}
	classes := map[string]bool{
		"":                            or(config["default-lb-service-ipam"], "lbipam") == "lbipam",
		"io.cilium/bgp-control-plane": config["enable-bgp-control-plane"] == "true",
		"io.cilium/l2-announcer":      config["enable-l2-announcements"] == "true",
	}
	list, err := w.Client.List(ctx, "cilium.io/v2", "CiliumLoadBalancerIPPool", "")
	if err != nil {
		return err
	}
	p := provider{serves: func(class string) bool { return classes[class] }, asks: []string{"lbipam.cilium.io/ips", "io.cilium/lb-ipam-ips"}}
	for _, o := range list {
		if disabled, _, _ := unstructured.NestedBool(o.Object, "spec", "disabled"); !disabled {
			p.pools = append(p.pools, ciliumPool(&o))
		}
	}
	return w.assign(ctx, p)
}

func ciliumPool(o *kube.Object) pool {
	p := pool{name: o.GetName(), takes: func(*kube.Object) bool { return true }}
	if raw, found, _ := unstructured.NestedMap(o.Object, "spec", "serviceSelector"); found {
		selector := selects(raw)
		p.takes = func(s *kube.Object) bool {
			own := labels.Set{}
			for key, value := range s.GetLabels() {
				own[key] = value
			}
			own["io.kubernetes.service.namespace"], own["io.kubernetes.service.name"] = s.GetNamespace(), s.GetName()
			return selector.Matches(own)
		}
	}
	blocks, _, _ := unstructured.NestedSlice(o.Object, "spec", "blocks")
	for _, b := range blocks {
		m, _ := b.(map[string]any)
		cidr, _ := m["cidr"].(string)
		start, _ := m["start"].(string)
		stop, _ := m["stop"].(string)
		if cidr == "" {
			cidr = start + "-" + or(stop, start)
		}
		r, ok := parseSpan(cidr)
		if !ok {
			continue
		}
		if kube.Field(o, "spec", "allowFirstLastIPs") == "No" && start == "" && r.first != r.last && r.first.Next() != r.last {
			r = span{r.first.Next(), r.last.Prev()}
		}
		p.ranges = append(p.ranges, r)
	}
	return p
}

// metallbAddresses: the controller serves the one class that it is told, else Services without one; pools that are kept for some
// Services are asked before the others.
func metallbAddresses(ctx context.Context, w *World) error {
	controller, err := w.metallb(ctx)
	if err != nil || controller == nil {
		return err
	}
	list, err := w.Client.List(ctx, "metallb.io/v1beta1", "IPAddressPool", "")
	if err != nil {
		return err
	}
	namespaces, err := w.Client.List(ctx, "v1", "Namespace", "")
	if err != nil {
		return err
	}
	return w.assign(ctx, metallbProvider(argument(arguments(controller), "--lb-class"), list, namespaces))
}

func metallbProvider(told string, pools, namespaces []kube.Object) provider {
	p := provider{
		serves: func(class string) bool { return class == told }, whole: true,
		asks:  []string{"metallb.io/loadBalancerIPs", "metallb.universe.tf/loadBalancerIPs"},
		named: []string{"metallb.io/address-pool", "metallb.universe.tf/address-pool"},
	}
	var kept []pool
	for _, o := range pools {
		one := metallbPool(&o, namespaces)
		if _, found, _ := unstructured.NestedMap(o.Object, "spec", "serviceAllocation"); found {
			kept = append(kept, one)
		} else {
			p.pools = append(p.pools, one)
		}
	}
	p.pools = append(kept, p.pools...)
	return p
}

func metallbPool(o *kube.Object, namespaces []kube.Object) pool {
	auto, found, _ := unstructured.NestedBool(o.Object, "spec", "autoAssign")
	p := pool{name: o.GetName(), asked: found && !auto, takes: allocates(o, namespaces)}
	blocks, _, _ := unstructured.NestedStringSlice(o.Object, "spec", "addresses")
	for _, b := range blocks {
		if r, ok := parseSpan(b); ok {
			p.ranges = append(p.ranges, r)
		}
	}
	return p
}

// allocates is for which Services a pool of MetalLB is: of namespaces, by name or label, and by their own labels.
func allocates(o *kube.Object, namespaces []kube.Object) func(*kube.Object) bool {
	names, _, _ := unstructured.NestedStringSlice(o.Object, "spec", "serviceAllocation", "namespaces")
	byLabel, _, _ := unstructured.NestedSlice(o.Object, "spec", "serviceAllocation", "namespaceSelectors")
	own, _, _ := unstructured.NestedSlice(o.Object, "spec", "serviceAllocation", "serviceSelectors")
	for _, n := range namespaces {
		if matchesAny(byLabel, n.GetLabels()) {
			names = append(names, n.GetName())
		}
	}
	return func(s *kube.Object) bool {
		return (len(names) == 0 || slices.Contains(names, s.GetNamespace())) && (len(own) == 0 || matchesAny(own, s.GetLabels()))
	}
}

func matchesAny(selectors []any, set map[string]string) bool {
	return slices.ContainsFunc(selectors, func(s any) bool {
		raw, ok := s.(map[string]any)
		return ok && selects(raw).Matches(labels.Set(set))
	})
}

// metallb is the controller, if it runs.
func (w *World) metallb(ctx context.Context) (*kube.Object, error) {
	list, err := w.Client.List(ctx, "apps/v1", "Deployment", "")
	if err != nil {
		return nil, err
	}
	for _, o := range list {
		l := podLabels(&o)
		if l["app.kubernetes.io/name"] == "metallb" && l["app.kubernetes.io/component"] == "controller" && ready(&o) {
			return &o, nil
		}
	}
	return nil, nil
}
