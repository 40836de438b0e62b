package played

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// spot is an address in the status of a Service or an Ingress.
type spot struct{ ip, host string }

func (w *World) status(ctx context.Context, o *kube.Object, at []spot) error {
	list := []any{}
	for _, s := range at {
		entry := map[string]any{}
		if s.ip != "" {
			entry["ip"] = s.ip
		}
		if s.host != "" {
			entry["hostname"] = s.host
		}
		list = append(list, entry)
	}
	return w.Client.Merge(ctx, o, map[string]any{"status": map[string]any{"loadBalancer": map[string]any{"ingress": list}}}, "status")
}

// spots are the addresses in the status of a Service or an Ingress.
func spots(o *kube.Object) []spot {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "loadBalancer", "ingress")
	var out []spot
	for _, e := range list {
		m, _ := e.(map[string]any)
		ip, _ := m["ip"].(string)
		host, _ := m["hostname"].(string)
		out = append(out, spot{ip, host})
	}
	return out
}

// show writes addresses into an Ingress, where there are any that it does not show.
func (w *World) show(ctx context.Context, i *kube.Object, at []spot) error {
	before := spots(i)
	if len(at) == 0 || len(before) == len(at) && before[0] == at[0] {
		return nil
	}
	w.once("played: %s gets %s", kube.Name(i), or(at[0].ip, at[0].host))
	return w.status(ctx, i, at)
}

// ciliumIngress: every Ingress of the class called cilium, and those of none where that class is the default, shows the address of
// the shared Service, or of one of its own, which the operator makes.
func ciliumIngress(ctx context.Context, w *World) error {
	operator, up, err := w.running(ctx, "app.kubernetes.io/name", "cilium-operator")
	if err != nil || !up {
		return err
	}
	config := w.ciliumConfig(ctx, operator)
	if config["enable-ingress-controller"] != "true" {
		return nil
	}
	class, err := w.Client.Get(ctx, "networking.k8s.io/v1", "IngressClass", "", "cilium")
	byDefault := err == nil && class.GetAnnotations()["ingressclass.kubernetes.io/is-default-class"] == "true"
	list, err := w.Client.List(ctx, "networking.k8s.io/v1", "Ingress", "")
	if err != nil {
		return err
	}
	for _, i := range list {
		if name := ingressClass(&i); name != "cilium" && (name != "" || !byDefault) {
			continue
		}
		service, err := w.ciliumService(ctx, &i, operator.GetNamespace(), config)
		if err != nil {
			return err
		}
		if service == nil {
			continue
		}
		if err := w.show(ctx, &i, spots(service)); err != nil {
			return err
		}
	}
	return nil
}

// ingressClass is the class of an Ingress, as controllers read it: the annotation counts more than the field.
func ingressClass(i *kube.Object) string {
	return or(i.GetAnnotations()["kubernetes.io/ingress.class"], kube.Field(i, "spec", "ingressClassName"))
}

// ciliumService is the Service behind an Ingress, or nothing as long as it is not there.
func (w *World) ciliumService(ctx context.Context, i *kube.Object, namespace string, config map[string]string) (*kube.Object, error) {
	mode := or(annotated(i, []string{"ingress.cilium.io/loadbalancer-mode", "io.cilium.ingress/loadbalancer-mode"}), or(config["ingress-default-lb-mode"], "dedicated"))
	name := or(config["ingress-shared-lb-service-name"], "cilium-ingress")
	if mode == "dedicated" {
		namespace, name = i.GetNamespace(), "cilium-ingress-"+i.GetName()
	}
	service, err := w.Client.Get(ctx, "v1", "Service", namespace, name)
	if err == nil {
		return service, nil
	}
	if mode == "dedicated" {
		return nil, w.Client.Apply(ctx, "cilium-operator", dedicated(i, name, config))
	}
	return nil, nil
}

// dedicated is the Service of one Ingress.
func dedicated(i *kube.Object, name string, config map[string]string) *kube.Object {
	spec := map[string]any{"type": "LoadBalancer", "ipFamilyPolicy": "PreferDualStack", "ports": []any{
		map[string]any{"name": "http", "port": int64(80), "protocol": "TCP"}, map[string]any{"name": "https", "port": int64(443), "protocol": "TCP"},
	}}
	switch {
	case annotated(i, []string{"ingress.cilium.io/service-type", "io.cilium.ingress/service-type"}) == "NodePort":
		spec["type"] = "NodePort"
	case config["ingress-hostnetwork-enabled"] == "true":
		spec["type"] = "ClusterIP"
	}
	if class := i.GetAnnotations()["ingress.cilium.io/loadbalancer-class"]; class != "" && spec["type"] == "LoadBalancer" {
		spec["loadBalancerClass"] = class
	}
	return &kube.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{
			"namespace": i.GetNamespace(), "name": name, "labels": map[string]any{"cilium.io/ingress": "true"},
			"ownerReferences": []any{map[string]any{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": i.GetName(), "uid": string(i.GetUID()), "controller": true}},
		},
		"spec": spec,
	}}
}
