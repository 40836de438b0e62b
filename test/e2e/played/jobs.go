package played

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// programs make what the programs of a pod make before they end: afterwards Argo CD may delete the Job at once. A program is
// known by its arguments, as its image's name may be rewritten (argo-cd cmd/argocd/commands/admin/redis_initial_password.go;
// cilium/certgen cmd/certgen.go; ingress-nginx images/kube-webhook-certgen/rootfs/cmd/{create,patch}.go).
func (w *World) programs(ctx context.Context, pod *corev1.Pod) error {
	for _, c := range pod.Spec.Containers {
		if err := w.program(ctx, pod.Namespace, c); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) program(ctx context.Context, namespace string, c corev1.Container) error {
	words := append(append([]string{}, c.Command...), c.Args...)
	all := strings.Join(words, " ")
	switch {
	case strings.Contains(all, "redis-initial-password"):
		return w.secret(ctx, namespace, "argocd-redis", "auth")
	case strings.HasSuffix(words0(words), "cilium-certgen"):
		for _, name := range []string{"cilium-ca", "hubble-server-certs", "hubble-relay-client-certs"} {
			if err := w.secret(ctx, namespace, name, "ca.crt", "tls.crt", "tls.key"); err != nil {
				return err
			}
		}
	case words0(words) == "create" && argument(words, "--secret-name") != "":
		keys := []string{"ca", or(argument(words, "--cert-name"), "cert"), or(argument(words, "--key-name"), "key")}
		return w.secret(ctx, namespace, argument(words, "--secret-name"), keys...)
	case words0(words) == "patch" && argument(words, "--webhook-name") != "":
		return w.patch(ctx, words)
	}
	return nil
}

// patch writes the authority into the configurations of one name, of those kinds that the program was not told to leave alone.
func (w *World) patch(ctx context.Context, words []string) error {
	name, left := argument(words, "--webhook-name"), map[string]bool{
		"MutatingWebhookConfiguration": argument(words, "--patch-mutating") == "false", "ValidatingWebhookConfiguration": argument(words, "--patch-validating") == "false",
	}
	return w.write(ctx, func(o *kube.Object) bool { return o.GetName() == name && !left[o.GetKind()] })
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func words0(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

func argument(words []string, name string) string {
	for _, word := range words {
		if value, found := strings.CutPrefix(word, name+"="); found {
			return value
		}
	}
	return ""
}

// metallbSecrets: the controller makes the key of its speakers' memberlist, and its own webhook's authority.
func metallbSecrets(ctx context.Context, w *World) error {
	list, err := w.Client.List(ctx, "apps/v1", "Deployment", "")
	if err != nil {
		return err
	}
	for _, o := range list {
		l := podLabels(&o)
		if l["app.kubernetes.io/name"] != "metallb" || l["app.kubernetes.io/component"] != "controller" || !ready(&o) {
			continue
		}
		for _, name := range environment(&o, "METALLB_ML_SECRET_NAME") {
			if err := w.secret(ctx, o.GetNamespace(), name, "secretkey"); err != nil {
				return err
			}
		}
		if err := w.bundles(ctx, func(c *kube.Object) bool { return c.GetName() == "metallb-webhook-configuration" }); err != nil {
			return err
		}
		return w.conversions(ctx, func(c *kube.Object) bool { return c.GetName() == "bgppeers.metallb.io" })
	}
	return nil
}

// ownBundles: operators that write the authority into their own webhook configurations when they run.
func ownBundles(ctx context.Context, w *World) error {
	for _, operator := range []struct{ key, value, prefix string }{
		{"app", "istiod", "istio"}, {"app", "webhook", ""},
	} {
		_, up, err := w.running(ctx, operator.key, operator.value)
		if err != nil {
			return err
		}
		if !up {
			continue
		}
		err = w.bundles(ctx, func(o *kube.Object) bool {
			if operator.prefix != "" {
				return strings.HasPrefix(o.GetName(), operator.prefix)
			}
			return strings.HasSuffix(o.GetName(), ".serving.knative.dev")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// done reports whether the programs of a pod have come to their end. Most do at once. cert-manager's check of its own API asks
// until both of its webhooks judge a CertificateRequest, made on the server as a trial (cert-manager
// cmd/startupapicheck/pkg/check/api/api.go and pkg/util/cmapichecker/cmapichecker.go); the patch of a webhook fails and is tried
// again while the Secret with the authority is missing (ingress-nginx images/kube-webhook-certgen/rootfs/cmd/patch.go).
func (w *World) done(ctx context.Context, pod *corev1.Pod) bool {
	for _, c := range pod.Spec.Containers {
		words := append(append([]string{}, c.Command...), c.Args...)
		switch {
		case len(words) > 1 && words[0] == "check" && words[1] == "api":
			if !w.certManagerAnswers(ctx, pod.Namespace) {
				return false
			}
		case words0(words) == "patch" && argument(words, "--webhook-name") != "":
			// the charts say --namespace=$(POD_NAMESPACE)
			if !w.exists(ctx, "v1", "Secret", pod.Namespace, argument(words, "--secret-name")) {
				return false
			}
		}
	}
	return true
}

func (w *World) certManagerAnswers(ctx context.Context, namespace string) bool {
	for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		if !w.exists(ctx, "admissionregistration.k8s.io/v1", kind, "", "cert-manager-webhook") {
			return false
		}
	}
	return w.Client.Try(ctx, &kube.Object{Object: map[string]any{
		"apiVersion": "cert-manager.io/v1", "kind": "CertificateRequest",
		"metadata": map[string]any{"name": "cmapichecker", "namespace": namespace},
		"spec":     map[string]any{"request": "cGxheWVk", "issuerRef": map[string]any{"name": "cmapichecker"}},
	}}) == nil
}
