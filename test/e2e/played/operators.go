package played

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// kedaCertificates: the operator makes the Secret that its own webhook and metrics API mount, and writes its authority into both.
func kedaCertificates(ctx context.Context, w *World) error {
	operator, up, err := w.running(ctx, "app.kubernetes.io/name", "keda-operator")
	if err != nil || !up || argument(arguments(operator), "--enable-cert-rotation") != "true" {
		return err
	}
	secret := argument(arguments(operator), "--cert-secret-name")
	if err := w.secret(ctx, operator.GetNamespace(), secret, "ca.crt", "ca.key", "tls.crt", "tls.key"); err != nil {
		return err
	}
	if err := w.bundles(ctx, func(o *kube.Object) bool { return o.GetName() == "keda-admission" }); err != nil {
		return err
	}
	return w.aggregated(ctx, "v1beta1.external.metrics.k8s.io")
}

// aggregated writes the authority into an APIService, if there is one that lacks it.
func (w *World) aggregated(ctx context.Context, name string) error {
	o, err := w.Client.Get(ctx, "apiregistration.k8s.io/v1", "APIService", "", name)
	ca := base64.StdEncoding.EncodeToString(w.CA)
	if err != nil || kube.Field(o, "spec", "caBundle") == ca {
		return nil
	}
	w.once("played: CA of %s", kube.Name(o))
	return w.Client.Merge(ctx, o, map[string]any{"spec": map[string]any{"caBundle": ca}})
}

// scaledObjects are Ready once what they scale exists.
func scaledObjects(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "keda-operator")
	if err != nil || !up {
		return err
	}
	list, err := w.Client.List(ctx, "keda.sh/v1alpha1", "ScaledObject", "")
	if err != nil {
		return err
	}
	for _, o := range list {
		kind, version := kube.Field(&o, "spec", "scaleTargetRef", "kind"), kube.Field(&o, "spec", "scaleTargetRef", "apiVersion")
		status, reason := "True", "ScaledObjectReady"
		if !w.exists(ctx, or(version, "apps/v1"), or(kind, "Deployment"), o.GetNamespace(), kube.Field(&o, "spec", "scaleTargetRef", "name")) {
			status, reason = "False", "ScaledObjectCheckFailed"
		}
		if err := w.condition(ctx, &o, "Ready", status, reason, ""); err != nil {
			return err
		}
	}
	return nil
}

// gatekeeperBundles: the rotator of the webhook's pods writes the authority into both configurations.
func gatekeeperBundles(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "gatekeeper.sh/operation", "webhook")
	if err != nil || !up {
		return err
	}
	return w.bundles(ctx, func(o *kube.Object) bool {
		return o.GetName() == "gatekeeper-validating-webhook-configuration" || o.GetName() == "gatekeeper-mutating-webhook-configuration"
	})
}

// constraintKinds: a ConstraintTemplate becomes a kind of its own.
func constraintKinds(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "gatekeeper.sh/operation", "webhook")
	if err != nil || !up {
		return err
	}
	list, err := w.Client.List(ctx, "templates.gatekeeper.sh/v1", "ConstraintTemplate", "")
	if err != nil {
		return err
	}
	for _, o := range list {
		kind := kube.Field(&o, "spec", "crd", "spec", "names", "kind")
		d := definition{kind: kind, plural: strings.ToLower(kind), versions: []string{"v1beta1"}}
		if w.exists(ctx, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "", d.plural+".constraints.gatekeeper.sh") {
			continue
		}
		w.once("played: gatekeeper defines %s", kind)
		if err := w.Client.Apply(ctx, "gatekeeper", d.object("constraints.gatekeeper.sh")); err != nil {
			return err
		}
		if err := w.Client.Merge(ctx, &o, map[string]any{"status": map[string]any{"created": true}}, "status"); err != nil {
			return err
		}
	}
	return nil
}

// rollouts: a Rollout has a ReplicaSet, as a Deployment has, and is Healthy once that has its pods.
func rollouts(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "argo-rollouts")
	if err != nil || !up {
		return err
	}
	list, err := w.Client.List(ctx, "argoproj.io/v1alpha1", "Rollout", "")
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := w.rollout(ctx, &o); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) rollout(ctx context.Context, o *kube.Object) error {
	replicas, found, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !found {
		replicas = 1
	}
	set, err := w.Client.Get(ctx, "apps/v1", "ReplicaSet", o.GetNamespace(), o.GetName()+"-played")
	if err != nil {
		return w.Client.Apply(ctx, "rollouts-controller", replicaSet(o, replicas))
	}
	available, _, _ := unstructured.NestedInt64(set.Object, "status", "availableReplicas")
	phase, observed := "Progressing", strconv.FormatInt(o.GetGeneration(), 10)
	if available >= replicas {
		phase = "Healthy"
	}
	if kube.Field(o, "status", "phase") == phase && kube.Field(o, "status", "observedGeneration") == observed {
		return nil
	}
	w.once("played: %s is %s", kube.Name(o), phase)
	return w.Client.Merge(ctx, o, map[string]any{"status": map[string]any{
		"phase": phase, "observedGeneration": observed,
		"replicas": replicas, "updatedReplicas": replicas, "availableReplicas": available, "readyReplicas": available,
	}}, "status")
}

func replicaSet(o *kube.Object, replicas int64) *kube.Object {
	template, _, _ := unstructured.NestedMap(o.Object, "spec", "template")
	selector, _, _ := unstructured.NestedMap(o.Object, "spec", "selector")
	return &kube.Object{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "ReplicaSet",
		"metadata": map[string]any{"namespace": o.GetNamespace(), "name": o.GetName() + "-played", "ownerReferences": []any{map[string]any{
			"apiVersion": o.GetAPIVersion(), "kind": "Rollout", "name": o.GetName(), "uid": string(o.GetUID()), "controller": true,
		}}},
		"spec": map[string]any{"replicas": replicas, "selector": selector, "template": template},
	}}
}

// vaultBundles: the injector writes its authority into the configuration that it is told of.
func vaultBundles(ctx context.Context, w *World) error {
	injector, up, err := w.running(ctx, "app.kubernetes.io/name", "vault-agent-injector")
	if err != nil || !up {
		return err
	}
	for _, name := range environment(injector, "AGENT_INJECT_TLS_AUTO") {
		if err := w.bundles(ctx, func(o *kube.Object) bool { return o.GetName() == name }); err != nil {
			return err
		}
	}
	return nil
}
