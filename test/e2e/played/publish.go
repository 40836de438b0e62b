package played

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// nginxStatus: an address that is stated, else what the Service that is named has, else the nodes that the controller runs on.
func nginxStatus(ctx context.Context, w *World) error {
	controller, err := w.serving(ctx, "ingress-nginx")
	if err != nil || controller == nil {
		return err
	}
	words := arguments(controller)
	if argument(words, "--update-status") == "false" {
		return nil
	}
	at, told := stated(argument(words, "--publish-status-address")), argument(words, "--publish-service")
	switch {
	case len(at) > 0:
	case told != "":
		at = w.published(ctx, controller.GetNamespace(), told, nginxAddresses)
	default:
		at, err = w.nodesOf(ctx, controller, argument(words, "--report-node-internal-ip-address") == "true")
	}
	if err != nil {
		return err
	}
	return w.publishTo(ctx, or(argument(words, "--controller-class"), "k8s.io/ingress-nginx"), at)
}

// traefikStatus: what the Service that is named has, else an address that is stated, else nothing.
func traefikStatus(ctx context.Context, w *World) error {
	controller, err := w.serving(ctx, "traefik")
	if err != nil || controller == nil {
		return err
	}
	words, endpoint := arguments(controller), "--providers.kubernetesingress.ingressendpoint."
	at := []spot{{argument(words, endpoint+"ip"), argument(words, endpoint+"hostname")}}
	if told := argument(words, endpoint+"publishedservice"); told != "" {
		at = w.published(ctx, controller.GetNamespace(), told, traefikAddresses)
	}
	if len(at) > 0 && at[0] == (spot{}) {
		return nil
	}
	return w.publishTo(ctx, "traefik.io/ingress-controller", at)
}

// serving is the Deployment or DaemonSet of a controller, if one of its pods is ready.
func (w *World) serving(ctx context.Context, name string) (*kube.Object, error) {
	if d, up, err := w.running(ctx, "app.kubernetes.io/name", name); err != nil || up {
		return d, err
	}
	list, err := w.Client.List(ctx, "apps/v1", "DaemonSet", "")
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		if n, _, _ := unstructured.NestedInt64(d.Object, "status", "numberReady"); n > 0 && podLabels(&d)["app.kubernetes.io/name"] == name {
			return &d, nil
		}
	}
	return nil, nil
}

func stated(text string) []spot {
	var out []spot
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one != "" {
			out = append(out, spot{ip: one})
		}
	}
	return out
}

// published are the addresses of the Service that is named, as the controller reads them; none as long as it is not there.
func (w *World) published(ctx context.Context, own, told string, read func(*kube.Object) []spot) []spot {
	namespace, name, found := strings.Cut(told, "/")
	if !found || namespace == "$(POD_NAMESPACE)" {
		namespace = own
	}
	if !found {
		name = told
	}
	service, err := w.Client.Get(ctx, "v1", "Service", namespace, name)
	if err != nil {
		return nil // it asks again
	}
	return read(service)
}

func nginxAddresses(s *kube.Object) []spot {
	external, _, _ := unstructured.NestedStringSlice(s.Object, "spec", "externalIPs")
	switch kube.Field(s, "spec", "type") {
	case "ExternalName":
		return []spot{{host: kube.Field(s, "spec", "externalName")}}
	case "LoadBalancer":
		return append(spots(s), stated(strings.Join(external, ","))...)
	case "NodePort":
		if len(external) > 0 {
			return stated(strings.Join(external, ","))
		}
	}
	return stated(kube.Field(s, "spec", "clusterIP"))
}

// traefikAddresses: KWOK's nodes have no external address, which a Service of type NodePort would show.
func traefikAddresses(s *kube.Object) []spot {
	external, _, _ := unstructured.NestedStringSlice(s.Object, "spec", "externalIPs")
	switch kube.Field(s, "spec", "type") {
	case "ExternalName":
		return []spot{{host: kube.Field(s, "spec", "externalName")}}
	case "LoadBalancer":
		return spots(s)
	case "ClusterIP":
		return stated(strings.Join(external, ","))
	}
	return nil
}

// nodesOf are the addresses of the nodes that a controller's pods run on: external ones, where there are and no internal ones are asked for.
func (w *World) nodesOf(ctx context.Context, controller *kube.Object, internal bool) ([]spot, error) {
	pods, err := w.Client.List(ctx, "v1", "Pod", controller.GetNamespace())
	if err != nil {
		return nil, err
	}
	raw, _, _ := unstructured.NestedMap(controller.Object, "spec", "selector")
	selector := selects(raw)
	var out []spot
	for _, p := range pods {
		if !selector.Matches(labels.Set(p.GetLabels())) || conditionStatus(&p, "Ready") != "True" {
			continue
		}
		node, err := w.Client.Get(ctx, "v1", "Node", "", kube.Field(&p, "spec", "nodeName"))
		if err != nil {
			continue
		}
		inside, outside := nodeAddresses(node)
		if internal || len(outside) == 0 {
			outside = inside
		}
		out = append(out, outside...)
	}
	return out, nil
}

func nodeAddresses(node *kube.Object) (inside, outside []spot) {
	list, _, _ := unstructured.NestedSlice(node.Object, "status", "addresses")
	for _, e := range list {
		m, _ := e.(map[string]any)
		text, _ := m["address"].(string)
		switch m["type"] {
		case "InternalIP":
			inside = append(inside, spot{ip: text})
		case "ExternalIP":
			outside = append(outside, spot{ip: text})
		}
	}
	return inside, outside
}

// publishTo writes addresses into the status of every Ingress whose IngressClass names the controller.
func (w *World) publishTo(ctx context.Context, controller string, at []spot) error {
	list, err := w.Client.List(ctx, "networking.k8s.io/v1", "Ingress", "")
	if err != nil {
		return err
	}
	for _, i := range list {
		class, err := w.Client.Get(ctx, "networking.k8s.io/v1", "IngressClass", "", kube.Field(&i, "spec", "ingressClassName"))
		if err != nil || kube.Field(class, "spec", "controller") != controller {
			continue
		}
		if err := w.show(ctx, &i, at); err != nil {
			return err
		}
	}
	return nil
}
