package played

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// certManagerBundles: the webhook makes the Secret of its authority when it runs, the injector then copies it. From a Certificate it
// copies once that Certificate's Secret is there.
func certManagerBundles(ctx context.Context, w *World) error {
	webhook, err := w.component(ctx, "webhook", "webhook")
	if err != nil || !webhook {
		return err
	}
	injector, err := w.component(ctx, "cainjector", "cainjector")
	if err != nil || !injector {
		return err
	}
	wanted := func(o *kube.Object) bool {
		namespace, name, found := strings.Cut(o.GetAnnotations()["cert-manager.io/inject-ca-from-secret"], "/")
		return found && w.secret(ctx, namespace, name, "ca.crt") == nil || w.certified(ctx, o)
	}
	if err := w.bundles(ctx, wanted); err != nil {
		return err
	}
	return w.conversions(ctx, wanted)
}

// certified reports whether an object asks for the authority of a Certificate whose Secret is there.
func (w *World) certified(ctx context.Context, o *kube.Object) bool {
	namespace, name, found := strings.Cut(o.GetAnnotations()["cert-manager.io/inject-ca-from"], "/")
	if !found {
		return false
	}
	c, err := w.Client.Get(ctx, certManager, "Certificate", namespace, name)
	return err == nil && w.exists(ctx, "v1", "Secret", namespace, kube.Field(c, "spec", "secretName"))
}

func externalSecretsBundles(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "external-secrets-cert-controller")
	if err != nil || !up {
		return err
	}
	if err := w.bundles(ctx, func(o *kube.Object) bool { return o.GetLabels()["external-secrets.io/component"] == "webhook" }); err != nil {
		return err
	}
	return w.conversions(ctx, func(o *kube.Object) bool { return o.GetLabels()["external-secrets.io/component"] == "controller" })
}

// bundles writes the authority into the webhooks of the configurations that match, and keeps it there, as a controller that
// watches them does.
func (w *World) bundles(ctx context.Context, match func(*kube.Object) bool) error {
	return w.write(ctx, func(o *kube.Object) bool {
		if !match(o) {
			return false
		}
		w.kept.Store(kube.Name(o), true)
		return true
	})
}

// keepBundles puts back at once what Argo CD took out of a configuration that a controller watches: between two rounds of the
// rules it would stay away for longer than in life.
func (w *World) keepBundles(ctx context.Context) {
	_ = wait.PollUntilContextCancel(ctx, 150*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		err := w.write(ctx, func(o *kube.Object) bool { _, found := w.kept.Load(kube.Name(o)); return found })
		if err != nil && ctx.Err() == nil {
			w.once("played: keeping bundles: %v", err)
		}
		return false, nil
	})
}

// write writes the authority into the webhooks of the configurations that match, once.
func (w *World) write(ctx context.Context, match func(*kube.Object) bool) error {
	for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		list, err := w.Client.List(ctx, "admissionregistration.k8s.io/v1", kind, "")
		if err != nil {
			return err
		}
		for _, o := range list {
			hooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
			if !match(&o) || !w.fill(&o, hooks) {
				continue
			}
			w.once("played: CA of %s", kube.Name(&o))
			if err := w.Client.Merge(ctx, &o, map[string]any{"webhooks": hooks}); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill says whether it changed a client's bundle. istiod closes its validating webhook too: failurePolicy becomes Fail.
func (w *World) fill(o *kube.Object, hooks []any) bool {
	ca, changed := base64.StdEncoding.EncodeToString(w.CA), false
	closed := strings.HasPrefix(o.GetName(), "istio-validator") && o.GetKind() == "ValidatingWebhookConfiguration"
	for _, h := range hooks {
		hook := h.(map[string]any)
		client, _, _ := unstructured.NestedFieldNoCopy(hook, "clientConfig")
		if m, ok := client.(map[string]any); ok && m["caBundle"] != ca {
			m["caBundle"], changed = ca, true
		}
		if closed && hook["failurePolicy"] != "Fail" {
			hook["failurePolicy"], changed = "Fail", true
		}
	}
	return changed
}

func (w *World) conversions(ctx context.Context, match func(*kube.Object) bool) error {
	list, err := w.Client.List(ctx, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "")
	if err != nil {
		return err
	}
	ca := base64.StdEncoding.EncodeToString(w.CA)
	for _, o := range list {
		path := []string{"spec", "conversion", "webhook", "clientConfig"}
		client, found, _ := unstructured.NestedMap(o.Object, path...)
		if !found || !match(&o) || client["caBundle"] == ca {
			continue
		}
		w.once("played: CA of %s", kube.Name(&o))
		patch := map[string]any{"spec": map[string]any{"conversion": map[string]any{"webhook": map[string]any{"clientConfig": map[string]any{"caBundle": ca}}}}}
		if err := w.Client.Merge(ctx, &o, patch); err != nil {
			return err
		}
	}
	return nil
}

const certManager = "cert-manager.io/v1"

// issuers: self-signed and ACME issuers need nothing of the cluster (the ACME server is outside), a CA issuer its Secret.
func issuers(ctx context.Context, w *World) error {
	up, err := w.component(ctx, "cert-manager", "controller")
	if err != nil || !up {
		return err
	}
	for _, kind := range []string{"Issuer", "ClusterIssuer"} {
		list, err := w.Client.List(ctx, certManager, kind, "")
		if err != nil {
			return err
		}
		for _, o := range list {
			namespace := o.GetNamespace()
			if namespace == "" {
				namespace = "cert-manager"
			}
			status, reason := "True", "played"
			if ca := kube.Field(&o, "spec", "ca", "secretName"); ca != "" && !w.exists(ctx, "v1", "Secret", namespace, ca) {
				status, reason = "False", "ErrGetKeyPair"
			}
			if err := w.condition(ctx, &o, "Ready", status, reason, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

func certificates(ctx context.Context, w *World) error {
	up, err := w.component(ctx, "cert-manager", "controller")
	if err != nil || !up {
		return err
	}
	list, err := w.Client.List(ctx, certManager, "Certificate", "")
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := w.certificate(ctx, &o); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) certificate(ctx context.Context, o *kube.Object) error {
	kind, namespace := kube.Field(o, "spec", "issuerRef", "kind"), o.GetNamespace()
	if kind == "ClusterIssuer" {
		namespace = ""
	} else {
		kind = "Issuer"
	}
	issuer, err := w.Client.Get(ctx, certManager, kind, namespace, kube.Field(o, "spec", "issuerRef", "name"))
	if err != nil || conditionStatus(issuer, "Ready") != "True" || !w.solvable(ctx, issuer) {
		return w.condition(ctx, o, "Ready", "False", "DoesNotExist", "Issuing certificate as Secret does not exist")
	}
	if err := w.secret(ctx, o.GetNamespace(), kube.Field(o, "spec", "secretName"), "ca.crt", "tls.crt", "tls.key"); err != nil {
		return err
	}
	return w.condition(ctx, o, "Ready", "True", "Ready", "")
}

// solvable: an RFC 2136 solver reads the Secret of its key from the issuer's namespace.
func (w *World) solvable(ctx context.Context, issuer *kube.Object) bool {
	solvers, _, _ := unstructured.NestedSlice(issuer.Object, "spec", "acme", "solvers")
	for _, s := range solvers {
		m, _ := s.(map[string]any)
		name, found, _ := unstructured.NestedString(m, "dns01", "rfc2136", "tsigSecretSecretRef", "name")
		namespace := issuer.GetNamespace()
		if namespace == "" {
			namespace = "cert-manager"
		}
		if found && !w.exists(ctx, "v1", "Secret", namespace, name) {
			return false
		}
	}
	return true
}
