// Package played acts as the controllers which no control plane on one machine has: address pools, certificates, secrets,
// webhooks. Each rule does what the real controller does to status, and only when that controller runs and has what it reads.
package played

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// World is the cluster as the played controllers see it.
type World struct {
	Log func(string, ...any)

	Client *kube.Client
	CA     []byte // authority of every webhook, in PEM
	ready  atomic.Bool

	mu   sync.Mutex
	said map[string]bool
}

// rule is one controller: its source says where the real one does the same.
type rule struct {
	name, source string
	play         func(context.Context, *World) error
}

func rules() []rule {
	return []rule{
		{"cilium-operator: definitions", "cilium v1.19 operator/cmd/root.go and pkg/k8s/apis/cilium.io/client/register.go: CreateCustomResourceDefinitions at the operator's start", ciliumDefinitions},
		{"cilium-operator: addresses", "cilium v1.19 operator/pkg/lbipam: an address from an enabled pool whose selector matches", ciliumAddresses},
		{"cilium-operator: ingress status", "cilium v1.19 operator/pkg/ingress: the status of the shared Service is copied", ciliumIngress},
		{"metallb: addresses", "metallb v0.15 internal/allocator: pools with autoAssign, by the controller Deployment", metallbAddresses},
		{"metallb: secrets and CA", "metallb v0.15 controller/main.go: the memberlist's key (k8s.CreateMlSecret) and the certificate of its webhook (cert-controller's rotator)", metallbSecrets},
		{"istio, knative: CA of own webhooks", "istio pkg/webhooks/webhookpatch.go; knative.dev/pkg webhook/certificates and its reconcilers", ownBundles},
		{"cert-manager: CA injector", "cert-manager v1.17 pkg/controller/cainjector: inject-ca-from-secret, once the webhook made its Secret", certManagerBundles},
		{"cert-manager: issuers", "cert-manager v1.17 pkg/controller/{issuers,clusterissuers}: Ready by setup of the issuer's type", issuers},
		{"cert-manager: certificates", "cert-manager v1.17 pkg/controller/certificates: issuer Ready, then the Secret, then Ready", certificates},
		{"external-secrets: CA injector", "external-secrets v0.14 pkg/controllers/{crds,webhookconfig}: by the cert-controller, on labelled objects", externalSecretsBundles},
		{"external-secrets: stores", "external-secrets v0.14 pkg/controllers/secretstore/common.go: Ready by validation of the provider", secretStores},
		{"external-secrets: secrets", "external-secrets v0.14 pkg/controllers/externalsecret: store Ready, then the Secret, then Ready", externalSecrets},
		{"sealed-secrets", "sealed-secrets v0.28 pkg/controller/controller.go, updateSealedSecretsStatusConditions: the Secret, then Synced", sealedSecrets},
	}
}

// Attach gives the cluster, once its API server answers, and the authority of every webhook, in PEM.
func (w *World) Attach(client *kube.Client, ca []byte) {
	w.Client, w.CA = client, ca
	w.ready.Store(true)
}

// Run plays until the context ends. A rule that fails is tried again a second later, as a controller would.
func (w *World) Run(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { w.runKubelet(ctx) })
	for {
		for _, r := range rules() {
			if err := r.play(ctx, w); err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) {
				w.once("played %s: %v", r.name, err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// once logs a line the first time only.
func (w *World) once(format string, args ...any) {
	key := format
	for _, a := range args {
		if s, ok := a.(string); ok {
			key += "|" + s
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.said == nil {
		w.said = map[string]bool{}
	}
	if !w.said[key] {
		w.said[key] = true
		w.Log(format, args...)
	}
}

// running finds a Deployment with the label and says whether it has a ready pod: the controller runs.
func (w *World) running(ctx context.Context, key, value string) (*kube.Object, bool, error) {
	list, err := w.Client.List(ctx, "apps/v1", "Deployment", "")
	if err != nil {
		return nil, false, err
	}
	for _, d := range list {
		if d.GetLabels()[key] == value || podLabels(&d)[key] == value {
			ready, _, _ := unstructured.NestedInt64(d.Object, "status", "readyReplicas")
			if ready > 0 {
				return &d, true, nil
			}
		}
	}
	return nil, false, nil
}

func podLabels(d *kube.Object) map[string]string {
	l, _, _ := unstructured.NestedStringMap(d.Object, "spec", "template", "metadata", "labels")
	return l
}

// named finds a running Deployment that carries a label pair and whose pods carry a component.
func (w *World) component(ctx context.Context, name, component string) (bool, error) {
	list, err := w.Client.List(ctx, "apps/v1", "Deployment", "")
	if err != nil {
		return false, err
	}
	for _, d := range list {
		l := podLabels(&d)
		ready, _, _ := unstructured.NestedInt64(d.Object, "status", "readyReplicas")
		if l["app.kubernetes.io/name"] == name && l["app.kubernetes.io/component"] == component && ready > 0 {
			return true, nil
		}
	}
	return false, nil
}

func ready(d *kube.Object) bool {
	n, _, _ := unstructured.NestedInt64(d.Object, "status", "readyReplicas")
	return n > 0
}

// environment gives the stated values of a variable in the containers of a Deployment.
func environment(d *kube.Object, name string) []string {
	var out []string
	containers, _, _ := unstructured.NestedSlice(d.Object, "spec", "template", "spec", "containers")
	for _, c := range containers {
		m, _ := c.(map[string]any)
		env, _ := m["env"].([]any)
		for _, e := range env {
			if v, ok := e.(map[string]any); ok && v["name"] == name {
				if text, ok := v["value"].(string); ok {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

// condition sets one condition of an object, if it differs.
func (w *World) condition(ctx context.Context, o *kube.Object, kind, status, reason, message string) error {
	if conditionStatus(o, kind) == status {
		return nil
	}
	w.once("played: %s %s=%s %s", kube.Name(o), kind, status, message)
	return w.Client.Merge(ctx, o, map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}}}}, "status")
}

func conditionStatus(o *kube.Object, kind string) string {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range list {
		if m, ok := c.(map[string]any); ok && m["type"] == kind {
			s, _ := m["status"].(string)
			return s
		}
	}
	return ""
}

// secret makes a Secret which a controller would make, unless it is there.
func (w *World) secret(ctx context.Context, namespace, name string, keys ...string) error {
	if w.exists(ctx, "v1", "Secret", namespace, name) {
		return nil
	}
	data := map[string]any{}
	for _, k := range keys {
		data[k] = "cGxheWVk"
	}
	o := &kube.Object{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": namespace, "name": name}, "data": data}}
	return w.Client.Apply(ctx, "played", o)
}

func (w *World) exists(ctx context.Context, apiVersion, kind, namespace, name string) bool {
	_, err := w.Client.Get(ctx, apiVersion, kind, namespace, name)
	return err == nil
}
