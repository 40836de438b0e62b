// Package played acts as the controllers which no control plane on one machine has: address pools, certificates, secrets,
// webhooks. Each rule does what the real controller does to status, and only when that controller runs and has what it reads.
package played

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// World is the cluster as the played controllers see it.
type World struct {
	Log func(string, ...any)

	Client *kube.Client
	CA     []byte // authority of every webhook, in PEM
	ready  atomic.Bool

	mu   sync.Mutex
	said map[string]bool
	kept sync.Map // configurations of webhooks whose authority a controller keeps, by name
}

// rule is one controller: its source says where the real one does the same.
type rule struct {
	name, source string
	play         func(context.Context, *World) error
}

func rules() []rule {
	return []rule{
		{"cilium-operator: definitions", "cilium v1.19 operator/cmd/root.go: RegisterCRDsCell is first of what starts once the operator leads; pkg/k8s/apis/cell.go, createCRDs; pkg/k8s/apis/cilium.io/client/register.go: each unless it is there", ciliumDefinitions},
		{"cilium-operator: addresses", "cilium v1.19 operator/pkg/lbipam/{cell,lbipam}.go: newLBIPAMCell and isResponsibleForSVC (switches and classes), satisfySpecificIPRequests, allocateIPAddress, service_store.go (labels that a selector sees), handleNewPool (allowFirstLastIPs)", ciliumAddresses},
		{"cilium-operator: ingress status", "cilium v1.19 operator/pkg/ingress/{helpers,ingress_reconcile}.go: isCiliumManagedIngress, isEffectiveLoadbalancerModeDedicated, updateIngressLoadbalancerStatus; operator/pkg/model/translation/ingress/dedicated_ingress.go, getService", ciliumIngress},
		{"provisioners", "sig-storage-lib-external-provisioner controller/controller.go, shouldProvision and provisionClaimOperation: the claim's annotation names the provisioner, a class that waits wants a selected node", volumes},
		{"ingress-nginx: status", "ingress-nginx v1.15 internal/ingress/status/status.go, runningAddresses and statusAddressFromService; internal/k8s/main.go, GetNodeIPs", nginxStatus},
		{"traefik: status", "traefik v3.7 pkg/provider/kubernetes/ingress/kubernetes.go, updateIngressStatus", traefikStatus},
		{"metallb: addresses", "metallb v0.15 controller/service.go, allocateIPs; internal/allocator/allocator.go, Assign, Allocate, isPoolCompatibleWithService; internal/k8s/controllers/service_controller.go, filterByLoadBalancerClass", metallbAddresses},
		{"metallb: secrets and CA", "metallb v0.15 controller/main.go and internal/k8s/{k8s,webhook}.go: the memberlist's key (CreateMlSecret), and the authority of its webhook and of the conversion of BGPPeers (cert-controller's rotator)", metallbSecrets},
		{"istio: CA of own webhooks", "istio pkg/webhooks/webhookpatch.go and pkg/webhooks/validation/controller/controller.go, updateValidatingWebhookConfiguration (failurePolicy too)", istioBundles},
		{"knative: CA of own webhooks", "knative.dev/pkg webhook/certificates/certificates.go, reconcileCertificate (the Secret is filled, never made); webhook/resourcesemantics/{validation,defaulting,conversion} and webhook/configmaps, their reconcilers", knativeBundles},
		{"cert-manager: CA injector", "cert-manager v1.17 pkg/controller/cainjector/sources.go: inject-ca-from-secret, once the webhook made its Secret; inject-ca-from, once the Certificate has its own", certManagerBundles},
		{"cert-manager: issuers", "cert-manager v1.17 pkg/controller/{issuers,clusterissuers}/{sync,checks}.go: Ready by Setup of the type, pkg/issuer/{acme,ca,selfsigned,vault,venafi}/setup.go and internal/vault/vault.go, again when a Secret that it reads changes", issuers},
		{"cert-manager: certificates", "cert-manager v1.17 internal/controller/certificates/policies/policies.go, NewTriggerPolicyChain and NewReadinessPolicyChain; pkg/controller/certificates/{trigger,issuing,readiness}; pkg/issuer/acme/dns/dns.go, solverForChallenge (Secrets of a solver)", certificates},
		{"external-secrets: CA injector", "external-secrets v0.14 pkg/controllers/crds/crds_controller.go, updateCRD (fills the Secret; kinds by --crd-names) and pkg/controllers/webhookconfig/webhookconfig.go, Reconcile (by label)", externalSecretsBundles},
		{"external-secrets: stores", "external-secrets v0.14 pkg/controllers/secretstore/common.go, validateStore; pkg/utils/resolvers/secret_ref.go, SecretKeyRef", secretStores},
		{"external-secrets: secrets", "external-secrets v0.14 pkg/controllers/externalsecret/externalsecret_controller.go, Reconcile (creationPolicy), externalsecret_controller_secret.go, getProviderSecretData; pkg/controllers/secretstore/client_manager.go, assertStoreIsUsable", externalSecrets},
		{"prometheus-operator", "prometheus-operator v0.93 pkg/prometheus/server/operator.go, sync, and statefulset.go, makeStatefulSet; pkg/alertmanager/{operator,statefulset}.go; pkg/prometheus/operator.go, Process; pkg/operator/statefulset_reporter.go, StatusAndReasonForAvailableCondition", monitors},
		{"vault: CA of the injector", "vault-k8s v1 subcommand/injector/command.go, certWatcher: the bundle of AGENT_INJECT_TLS_AUTO's configuration", vaultBundles},
		{"keda: certificates", "keda v2.20 pkg/certificates/certificate_manager.go, AddCertificateRotation: Secret, webhook, APIService", kedaCertificates},
		{"keda: scaled objects", "keda v2.20 controllers/keda/scaledobject_controller.go, reconcileScaledObject: Ready once the target can be scaled", scaledObjects},
		{"gatekeeper: CA of own webhooks", "gatekeeper v3 main.go: cert-controller's rotator on both configurations", gatekeeperBundles},
		{"gatekeeper: kinds", "gatekeeper v3 pkg/controller/constrainttemplate/constrainttemplate_controller.go: a CRD for each template, then status.created", constraintKinds},
		{"argo-rollouts", "argo-rollouts v1.9 rollout/{controller,sync}.go: a ReplicaSet, and status.phase by its pods (utils/rollout/rolloututil.go, GetRolloutPhase)", rollouts},
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
	all.Go(func() { w.keepBundles(ctx) })
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

// arguments gives those of the containers of a Deployment.
func arguments(d *kube.Object) []string {
	var out []string
	containers, _, _ := unstructured.NestedSlice(d.Object, "spec", "template", "spec", "containers")
	for _, c := range containers {
		m, _ := c.(map[string]any)
		args, _, _ := unstructured.NestedStringSlice(m, "args")
		out = append(out, args...)
	}
	return out
}

// condition sets one condition of an object, if it differs.
func (w *World) condition(ctx context.Context, o *kube.Object, kind, status, reason, message string) error {
	if conditionStatus(o, kind) == status && conditionReason(o, kind) == reason {
		return nil
	}
	w.once("played: %s %s=%s %s", kube.Name(o), kind, status, message)
	return w.conditions(ctx, o, made(kind, status, reason, message))
}

// conditions sets all conditions of an object.
func (w *World) conditions(ctx context.Context, o *kube.Object, list ...any) error {
	return w.Client.Merge(ctx, o, map[string]any{"status": map[string]any{"conditions": list}}, "status")
}

func made(kind, status, reason, message string) map[string]any {
	return map[string]any{
		"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}
}

func conditionStatus(o *kube.Object, kind string) string { return conditionField(o, kind, "status") }

func conditionReason(o *kube.Object, kind string) string { return conditionField(o, kind, "reason") }

func conditionField(o *kube.Object, kind, field string) string {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range list {
		if m, ok := c.(map[string]any); ok && m["type"] == kind {
			s, _ := m[field].(string)
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
	o := &kube.Object{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": namespace, "name": name}, "data": secretData(keys...)}}
	return w.Client.Apply(ctx, "played", o)
}

func secretData(keys ...string) map[string]any {
	data := map[string]any{}
	for _, k := range keys {
		data[k] = "cGxheWVk"
	}
	return data
}

func (w *World) exists(ctx context.Context, apiVersion, kind, namespace, name string) bool {
	_, err := w.Client.Get(ctx, apiVersion, kind, namespace, name)
	return err == nil
}
