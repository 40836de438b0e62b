package played

import (
	"context"
	"strings"

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

// credentials looks for every Secret, with its key, and ServiceAccount which the store's provider refers to.
func (w *World) credentials(ctx context.Context, store *kube.Object) bool {
	provider, _, _ := unstructured.NestedMap(store.Object, "spec", "provider")
	found := true
	walkRefs(provider, func(key string, ref map[string]any) {
		kind := ""
		switch {
		case key == "serviceAccountRef":
			kind = "ServiceAccount"
		case strings.HasSuffix(strings.ToLower(key), "secretref"):
			kind = "Secret"
		}
		name, _ := ref["name"].(string)
		namespace, _ := ref["namespace"].(string)
		if store.GetNamespace() != "" {
			namespace = store.GetNamespace()
		}
		if kind == "" || name == "" {
			return
		}
		o, err := w.Client.Get(ctx, "v1", kind, namespace, name)
		item, _ := ref["key"].(string)
		if err != nil || item != "" && o.GetAnnotations()[Whole] == "" && !hasKey(o, item) {
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
	for _, ref := range storesOf(o) {
		store, err := w.Client.Get(ctx, w.externalSecretsVersion(), ref.kind, ref.namespace, ref.name)
		if err != nil || conditionStatus(store, "Ready") != "True" {
			return w.condition(ctx, o, "Ready", "False", "SecretSyncedError", "could not get secret data from provider")
		}
	}
	target := or(kube.Field(o, "spec", "target", "name"), o.GetName())
	switch kube.Field(o, "spec", "target", "creationPolicy") {
	case "None":
	case "Merge":
		if !w.exists(ctx, "v1", "Secret", o.GetNamespace(), target) {
			return w.condition(ctx, o, "Ready", "True", "SecretMissing", "the target secret is missing, it is looked for at the next refresh")
		}
	default:
		if err := w.synced(ctx, o, target); err != nil {
			return err
		}
	}
	return w.condition(ctx, o, "Ready", "True", "SecretSynced", "")
}

// synced makes the Secret with the keys that the ExternalSecret names; where it takes all that the provider has, with every key that
// anybody reads.
func (w *World) synced(ctx context.Context, o *kube.Object, target string) error {
	if w.exists(ctx, "v1", "Secret", o.GetNamespace(), target) {
		return nil
	}
	if err := w.secret(ctx, o.GetNamespace(), target, secretKeys(o)...); err != nil {
		return err
	}
	from, _, _ := unstructured.NestedSlice(o.Object, "spec", "dataFrom")
	templates, _, _ := unstructured.NestedSlice(o.Object, "spec", "target", "template", "templateFrom")
	if len(from)+len(templates) == 0 {
		return nil
	}
	made, err := w.Client.Get(ctx, "v1", "Secret", o.GetNamespace(), target)
	if err != nil {
		return err
	}
	return w.Client.Merge(ctx, made, map[string]any{"metadata": map[string]any{"annotations": map[string]any{Whole: "true"}}})
}

// secretKeys are those of spec.data; a template that is not merged replaces them by its own.
func secretKeys(o *kube.Object) []string {
	var keys []string
	template, _, _ := unstructured.NestedMap(o.Object, "spec", "target", "template", "data")
	for key := range template {
		keys = append(keys, key)
	}
	if len(template) > 0 && kube.Field(o, "spec", "target", "template", "mergePolicy") != "Merge" {
		return keys
	}
	data, _, _ := unstructured.NestedSlice(o.Object, "spec", "data")
	for _, d := range data {
		m, _ := d.(map[string]any)
		if key, _ := m["secretKey"].(string); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// storeRef is a store as an ExternalSecret names it.
type storeRef struct{ kind, namespace, name string }

// storesOf are the stores that an ExternalSecret asks: its own, and those of single entries.
func storesOf(o *kube.Object) []storeRef {
	var out []storeRef
	add := func(ref map[string]any) {
		name, _ := ref["name"].(string)
		switch {
		case name == "":
		case ref["kind"] == "ClusterSecretStore":
			out = append(out, storeRef{"ClusterSecretStore", "", name})
		default:
			out = append(out, storeRef{"SecretStore", o.GetNamespace(), name})
		}
	}
	own, _, _ := unstructured.NestedMap(o.Object, "spec", "secretStoreRef")
	add(own)
	for _, field := range []string{"data", "dataFrom"} {
		list, _, _ := unstructured.NestedSlice(o.Object, "spec", field)
		for _, d := range list {
			m, _ := d.(map[string]any)
			ref, _, _ := unstructured.NestedMap(m, "sourceRef", "storeRef")
			add(ref)
		}
	}
	return out
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
