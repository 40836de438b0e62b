package played

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

const certManager = "cert-manager.io/v1"

// certManagerController is cert-manager's controller, if it runs, and the namespace in which it looks for the Secrets of ClusterIssuers.
func (w *World) certManagerController(ctx context.Context) (own string, up bool, err error) {
	list, err := w.Client.List(ctx, "apps/v1", "Deployment", "")
	if err != nil {
		return "", false, err
	}
	for _, d := range list {
		l := podLabels(&d)
		if l["app.kubernetes.io/name"] != "cert-manager" || l["app.kubernetes.io/component"] != "controller" || !ready(&d) {
			continue
		}
		told := or(argument(arguments(&d), "--cluster-resource-namespace"), "kube-system")
		return strings.ReplaceAll(told, "$(POD_NAMESPACE)", d.GetNamespace()), true, nil
	}
	return "", false, nil
}

// issuers: servers outside (ACME, Vault, Venafi) answer; what an issuer reads of the cluster must be there.
func issuers(ctx context.Context, w *World) error {
	own, up, err := w.certManagerController(ctx)
	if err != nil || !up {
		return err
	}
	for _, kind := range []string{"Issuer", "ClusterIssuer"} {
		list, err := w.Client.List(ctx, certManager, kind, "")
		if err != nil {
			return err
		}
		for _, o := range list {
			if err := w.issuer(ctx, &o, or(o.GetNamespace(), own)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *World) issuer(ctx context.Context, o *kube.Object, namespace string) error {
	if missing := w.missingSecret(ctx, o, namespace); missing != "" {
		return w.condition(ctx, o, "Ready", "False", "Missing", missing+" or a key of it is not there")
	}
	if name := kube.Field(o, "spec", "acme", "privateKeySecretRef", "name"); name != "" {
		if err := w.secret(ctx, namespace, name, or(kube.Field(o, "spec", "acme", "privateKeySecretRef", "key"), "tls.key")); err != nil {
			return err
		}
	}
	return w.condition(ctx, o, "Ready", "True", "Played", "")
}

// missingSecret names a Secret or a ServiceAccount that the setup of an issuer reads, and that is not there or lacks a key.
func (w *World) missingSecret(ctx context.Context, o *kube.Object, namespace string) string {
	lacks := func(name string, keys ...string) bool {
		s, err := w.Client.Get(ctx, "v1", "Secret", namespace, name)
		if err != nil {
			return true
		}
		for _, key := range keys {
			if key != "" && s.GetAnnotations()[Whole] == "" && !hasKey(s, key) {
				return true
			}
		}
		return false
	}
	if ca := kube.Field(o, "spec", "ca", "secretName"); ca != "" && lacks(ca, "tls.crt", "tls.key") {
		return ca
	}
	if client := kube.Field(o, "spec", "vault", "auth", "clientCertificate", "secretName"); client != "" && lacks(client) {
		return client
	}
	missing := ""
	read := func(key string, ref map[string]any) {
		name, _ := ref["name"].(string)
		item, _ := ref["key"].(string)
		switch {
		case name == "":
		case strings.HasSuffix(strings.ToLower(key), "secretref") && lacks(name, item), key == "serviceAccountRef" && !w.exists(ctx, "v1", "ServiceAccount", namespace, name):
			missing = name
		}
	}
	for _, kind := range []string{"vault", "venafi"} {
		part, _, _ := unstructured.NestedMap(o.Object, "spec", kind)
		walkRefs(part, read)
	}
	binding, _, _ := unstructured.NestedMap(o.Object, "spec", "acme", "externalAccountBinding")
	walkRefs(binding, read)
	if credentials := kube.Field(o, "spec", "venafi", "tpp", "credentialsRef", "name"); credentials != "" && lacks(credentials) {
		missing = credentials
	}
	account := kube.Field(o, "spec", "acme", "privateKeySecretRef", "name")
	if off, _, _ := unstructured.NestedBool(o.Object, "spec", "acme", "disableAccountKeyGeneration"); off && account != "" && lacks(account) {
		missing = account
	}
	return missing
}

func certificates(ctx context.Context, w *World) error {
	own, up, err := w.certManagerController(ctx)
	if err != nil || !up {
		return err
	}
	list, err := w.Client.List(ctx, certManager, "Certificate", "")
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := w.certificate(ctx, &o, own); err != nil {
			return err
		}
	}
	return nil
}

// certificate: until its Secret is there a Certificate is both not Ready and Issuing, however long its issuer takes.
func (w *World) certificate(ctx context.Context, o *kube.Object, own string) error {
	if !w.issues(ctx, o, own) {
		if conditionStatus(o, "Issuing") == "True" {
			return nil
		}
		w.once("played: %s is being issued", kube.Name(o))
		return w.conditions(ctx, o,
			made("Issuing", "True", "DoesNotExist", "Issuing certificate as Secret does not exist"),
			made("Ready", "False", "DoesNotExist", "Issuing certificate as Secret does not exist"))
	}
	if err := w.secret(ctx, o.GetNamespace(), kube.Field(o, "spec", "secretName"), "ca.crt", "tls.crt", "tls.key"); err != nil {
		return err
	}
	return w.condition(ctx, o, "Ready", "True", "Ready", "")
}

// issues reports whether the issuer of a Certificate issues it.
func (w *World) issues(ctx context.Context, o *kube.Object, own string) bool {
	kind, namespace := kube.Field(o, "spec", "issuerRef", "kind"), o.GetNamespace()
	if kind == "ClusterIssuer" {
		namespace = ""
	} else {
		kind = "Issuer"
	}
	issuer, err := w.Client.Get(ctx, certManager, kind, namespace, kube.Field(o, "spec", "issuerRef", "name"))
	return err == nil && conditionStatus(issuer, "Ready") == "True" && w.solvable(ctx, issuer, or(issuer.GetNamespace(), own))
}

// solvable: a DNS solver reads its Secrets from the issuer's namespace.
func (w *World) solvable(ctx context.Context, issuer *kube.Object, namespace string) bool {
	solvers, _, _ := unstructured.NestedSlice(issuer.Object, "spec", "acme", "solvers")
	found := true
	for _, s := range solvers {
		m, _ := s.(map[string]any)
		walkRefs(m["dns01"], func(key string, ref map[string]any) {
			name, _ := ref["name"].(string)
			if name != "" && strings.HasSuffix(key, "SecretRef") && !w.exists(ctx, "v1", "Secret", namespace, name) {
				found = false
			}
		})
	}
	return found
}
