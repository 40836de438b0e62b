package played

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// monitored are the kinds of which prometheus-operator makes a StatefulSet, and its Service.
var monitored = []struct{ kind, prefix, service string }{
	{"Prometheus", "prometheus-", "prometheus-operated"}, {"Alertmanager", "alertmanager-", "alertmanager-operated"},
}

// monitors: a Prometheus or an Alertmanager is Available as its pods are ready. The Secrets that the operator makes for itself are not
// played, nor are shards.
func monitors(ctx context.Context, w *World) error {
	up, err := w.prometheusOperator(ctx)
	if err != nil || !up {
		return err
	}
	for _, m := range monitored {
		list, err := w.Client.List(ctx, "monitoring.coreos.com/v1", m.kind, "")
		if err != nil {
			return err
		}
		for _, o := range list {
			if paused, _, _ := unstructured.NestedBool(o.Object, "spec", "paused"); paused {
				continue
			}
			if err := w.monitor(ctx, &o, m.prefix, m.service); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *World) prometheusOperator(ctx context.Context) (bool, error) {
	for _, name := range []string{"prometheus-operator", "kube-prometheus-stack-prometheus-operator"} {
		if _, up, err := w.running(ctx, "app.kubernetes.io/name", name); err != nil || up {
			return up, err
		}
	}
	return false, nil
}

func (w *World) monitor(ctx context.Context, o *kube.Object, prefix, service string) error {
	replicas, found, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !found {
		replicas = 1
	}
	set, err := w.Client.Get(ctx, "apps/v1", "StatefulSet", o.GetNamespace(), prefix+o.GetName())
	if err != nil {
		if err := w.Client.Apply(ctx, "prometheus-operator", governing(o, service), statefulSet(o, prefix, service, replicas)); err != nil {
			return err
		}
	}
	running := int64(0)
	if set != nil {
		running, _, _ = unstructured.NestedInt64(set.Object, "status", "readyReplicas")
	}
	switch {
	case running >= replicas:
		return w.condition(ctx, o, "Available", "True", "", "")
	case running == 0:
		return w.condition(ctx, o, "Available", "False", "NoPodReady", "")
	}
	return w.condition(ctx, o, "Available", "Degraded", "SomePodsNotReady", "")
}

// owned names the object that something is made of.
func owned(o *kube.Object) []any {
	return []any{map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName(), "uid": string(o.GetUID()), "controller": true}}
}

func governing(o *kube.Object, service string) *kube.Object {
	return &kube.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{"namespace": o.GetNamespace(), "name": service},
		"spec":     map[string]any{"clusterIP": "None", "selector": map[string]any{"played": service}, "ports": []any{map[string]any{"name": "web", "port": int64(9090)}}},
	}}
}

// statefulSet has what can keep the pods from starting: the account, where they may run, what they mount, and the claim.
func statefulSet(o *kube.Object, prefix, service string, replicas int64) *kube.Object {
	own := map[string]any{"played": service, "played-of": o.GetName()}
	pod := map[string]any{"containers": []any{map[string]any{
		"name": "main", "image": "registry.example.internal/played:1",
		"securityContext": map[string]any{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": map[string]any{"drop": []any{"ALL"}}},
	}}}
	for _, field := range []string{"serviceAccountName", "securityContext", "nodeSelector", "affinity", "tolerations", "priorityClassName", "volumes"} {
		if value, found, _ := unstructured.NestedFieldCopy(o.Object, "spec", field); found {
			pod[field] = value
		}
	}
	mounted, _ := pod["volumes"].([]any)
	for kind, field := range map[string]string{"secret": "secretName", "configMap": "name"} {
		names, _, _ := unstructured.NestedStringSlice(o.Object, "spec", kind+"s")
		for _, name := range names {
			mounted = append(mounted, map[string]any{"name": kind + "-" + name, kind: map[string]any{field: name}})
		}
	}
	if len(mounted) > 0 {
		pod["volumes"] = mounted
	}
	spec := map[string]any{
		"replicas": replicas, "serviceName": service, "podManagementPolicy": "Parallel",
		"selector": map[string]any{"matchLabels": own}, "template": map[string]any{"metadata": map[string]any{"labels": own}, "spec": pod},
	}
	if claim, found, _ := unstructured.NestedMap(o.Object, "spec", "storage", "volumeClaimTemplate", "spec"); found {
		spec["volumeClaimTemplates"] = []any{map[string]any{"metadata": map[string]any{"name": "db"}, "spec": withMode(claim)}}
	}
	return &kube.Object{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "StatefulSet",
		"metadata": map[string]any{"namespace": o.GetNamespace(), "name": prefix + o.GetName(), "ownerReferences": owned(o)},
		"spec":     spec,
	}}
}

func withMode(claim map[string]any) map[string]any {
	if claim["accessModes"] == nil {
		claim["accessModes"] = []any{"ReadWriteOnce"}
	}
	return claim
}
