package played

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// externalSecretsVersion is the newest that the cluster serves.
func (w *World) externalSecretsVersion() string {
	if w.Client.Serves("external-secrets.io/v1", "ExternalSecret") {
		return "external-secrets.io/v1"
	}
	return "external-secrets.io/v1beta1"
}

// secretStores: the provider is outside and answers; what it is asked with must be here.
func secretStores(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "external-secrets")
	if err != nil || !up {
		return err
	}
	for _, kind := range []string{"SecretStore", "ClusterSecretStore"} {
		list, err := w.Client.List(ctx, w.externalSecretsVersion(), kind, "")
		if err != nil {
			return err
		}
		for _, o := range list {
			status, reason := "True", "Valid"
			if !w.credentials(ctx, &o) {
				status, reason = "False", "InvalidProviderConfig"
			}
			if err := w.condition(ctx, &o, "Ready", status, reason, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// credentials looks for every Secret and ServiceAccount which the store's provider refers to.
func (w *World) credentials(ctx context.Context, store *kube.Object) bool {
	provider, _, _ := unstructured.NestedMap(store.Object, "spec", "provider")
	found := true
	walkRefs(provider, func(key string, ref map[string]any) {
		kind := map[string]string{"serviceAccountRef": "ServiceAccount", "tokenSecretRef": "Secret", "secretRef": "Secret"}[key]
		name, _ := ref["name"].(string)
		namespace, _ := ref["namespace"].(string)
		if store.GetNamespace() != "" {
			namespace = store.GetNamespace()
		}
		if kind != "" && name != "" && !w.exists(ctx, "v1", kind, namespace, name) {
			found = false
		}
	})
	return found
}

func walkRefs(v any, visit func(string, map[string]any)) {
	switch t := v.(type) {
	case map[string]any:
		for k, e := range t {
			if m, ok := e.(map[string]any); ok {
				visit(k, m)
			}
			walkRefs(e, visit)
		}
	case []any:
		for _, e := range t {
			walkRefs(e, visit)
		}
	}
}

func externalSecrets(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "external-secrets")
	if err != nil || !up {
		return err
	}
	list, err := w.Client.List(ctx, w.externalSecretsVersion(), "ExternalSecret", "")
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := w.externalSecret(ctx, &o); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) externalSecret(ctx context.Context, o *kube.Object) error {
	kind, namespace := "SecretStore", o.GetNamespace()
	if kube.Field(o, "spec", "secretStoreRef", "kind") == "ClusterSecretStore" {
		kind, namespace = "ClusterSecretStore", ""
	}
	store, err := w.Client.Get(ctx, w.externalSecretsVersion(), kind, namespace, kube.Field(o, "spec", "secretStoreRef", "name"))
	if err != nil || conditionStatus(store, "Ready") != "True" {
		return w.condition(ctx, o, "Ready", "False", "SecretSyncedError", "could not get secret data from provider")
	}
	target := kube.Field(o, "spec", "target", "name")
	if target == "" {
		target = o.GetName()
	}
	if err := w.secret(ctx, o.GetNamespace(), target, "played"); err != nil {
		return err
	}
	return w.condition(ctx, o, "Ready", "True", "SecretSynced", "")
}

func sealedSecrets(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "sealed-secrets")
	if err != nil || !up {
		return err
	}
	list, err := w.Client.List(ctx, "bitnami.com/v1alpha1", "SealedSecret", "")
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := w.secret(ctx, o.GetNamespace(), o.GetName(), "played"); err != nil {
			return err
		}
		if err := w.condition(ctx, &o, "Synced", "True", "", ""); err != nil {
			return err
		}
	}
	return nil
}
