package played

import (
	"context"
	"encoding/base64"
	"slices"
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

// externalSecretsKinds are those whose conversion the cert-controller looks after unless it is told others (--crd-names).
var externalSecretsKinds = []string{"externalsecrets.external-secrets.io", "clustersecretstores.external-secrets.io", "secretstores.external-secrets.io"}

// externalSecretsBundles: the Secret of the authority stands empty in the chart, and the cert-controller fills it. It makes none.
func externalSecretsBundles(ctx context.Context, w *World) error {
	controller, up, err := w.running(ctx, "app.kubernetes.io/name", "external-secrets-cert-controller")
	if err != nil || !up {
		return err
	}
	words := arguments(controller)
	secret, err := w.Client.Get(ctx, "v1", "Secret", or(argument(words, "--secret-namespace"), "default"), or(argument(words, "--secret-name"), "external-secrets-webhook"))
	if err != nil {
		return nil //nolint:nilerr // it asks again
	}
	if !hasKey(secret, "ca.crt") {
		if err := w.Client.Merge(ctx, secret, map[string]any{"data": secretData("ca.crt", "ca.key", "tls.crt", "tls.key")}); err != nil {
			return err
		}
	}
	kinds := options(words, "--crd-names")
	if len(kinds) == 0 {
		kinds = externalSecretsKinds
	}
	err = w.bundles(ctx, func(o *kube.Object) bool {
		return o.GetKind() == "ValidatingWebhookConfiguration" && o.GetLabels()["external-secrets.io/component"] == "webhook"
	})
	if err != nil {
		return err
	}
	return w.conversions(ctx, func(o *kube.Object) bool { return slices.Contains(kinds, o.GetName()) })
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
	}, "")
}

// keepBundles puts back at once what Argo CD took out of a configuration that a controller watches: between two rounds of the
// rules it would stay away for longer than in life.
func (w *World) keepBundles(ctx context.Context) {
	_ = wait.PollUntilContextCancel(ctx, 150*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		err := w.write(ctx, func(o *kube.Object) bool { _, found := w.kept.Load(kube.Name(o)); return found }, "")
		if err != nil && ctx.Err() == nil {
			w.once("played: keeping bundles: %v", err)
		}
		return false, nil
	})
}

// write writes the authority into the webhooks of the configurations that match, once, and a failure policy if one is given.
func (w *World) write(ctx context.Context, match func(*kube.Object) bool, policy string) error {
	for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		list, err := w.Client.List(ctx, "admissionregistration.k8s.io/v1", kind, "")
		if err != nil {
			return err
		}
		for _, o := range list {
			hooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
			if !match(&o) || !w.fill(&o, hooks, policy) {
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

// fill says whether it changed anything. istiod closes its validating webhook too: failurePolicy becomes Fail.
func (w *World) fill(o *kube.Object, hooks []any, policy string) bool {
	ca, changed := base64.StdEncoding.EncodeToString(w.CA), false
	if strings.HasPrefix(o.GetName(), "istio-validator") && o.GetKind() == "ValidatingWebhookConfiguration" {
		policy = "Fail"
	}
	for _, h := range hooks {
		hook := h.(map[string]any)
		client, _, _ := unstructured.NestedFieldNoCopy(hook, "clientConfig")
		if m, ok := client.(map[string]any); ok && m["caBundle"] != ca {
			m["caBundle"], changed = ca, true
		}
		if policy != "" && hook["failurePolicy"] != policy {
			hook["failurePolicy"], changed = policy, true
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

// istioBundles: istiod writes its authority into the configurations of its own name.
func istioBundles(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app", "istiod")
	if err != nil || !up {
		return err
	}
	return w.bundles(ctx, func(o *kube.Object) bool { return strings.HasPrefix(o.GetName(), "istio") })
}

// knativeBundles: the webhook fills the Secret of its authority, which the installation brings empty, and copies it into its own
// configurations, and into the kinds whose conversion it serves. It makes no Secret.
func knativeBundles(ctx context.Context, w *World) error {
	webhook, up, err := w.running(ctx, "app", "webhook")
	if err != nil || !up {
		return err
	}
	if names := environment(webhook, "WEBHOOK_NAME"); !slices.Contains(names, "webhook") {
		return nil
	}
	secret, err := w.Client.Get(ctx, "v1", "Secret", webhook.GetNamespace(), "webhook-certs")
	if err != nil {
		return nil //nolint:nilerr // it looks again once it is there
	}
	if !hasKey(secret, "ca-cert.pem") {
		return w.Client.Merge(ctx, secret, map[string]any{"data": secretData("server-key.pem", "server-cert.pem", "ca-cert.pem")})
	}
	own := func(o *kube.Object) bool { return strings.HasSuffix(o.GetName(), ".serving.knative.dev") }
	if err := w.bundles(ctx, own); err != nil {
		return err
	}
	return w.conversions(ctx, own)
}
