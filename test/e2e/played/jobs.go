package played

import (
	"context"
	"strings"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
		return w.secret(ctx, namespace, argument(words, "--secret-name"), "ca", "cert", "key")
	case words0(words) == "patch" && argument(words, "--webhook-name") != "":
		name := argument(words, "--webhook-name")
		return w.bundles(ctx, func(o *kube.Object) bool { return o.GetName() == name })
	}
	return nil
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
		return w.bundles(ctx, func(c *kube.Object) bool { return strings.HasPrefix(c.GetName(), "metallb-") })
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

// done reports whether the programs of a pod have come to their end. Most do at once; cert-manager's check of its own API asks
// until the webhook answers (cert-manager cmd/startupapicheck, check api --wait).
func (w *World) done(ctx context.Context, pod *corev1.Pod) bool {
	for _, c := range pod.Spec.Containers {
		words := append(append([]string{}, c.Command...), c.Args...)
		if len(words) < 2 || words[0] != "check" || words[1] != "api" {
			continue
		}
		list, err := w.Client.List(ctx, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "")
		if err != nil {
			return false
		}
		for _, o := range list {
			if _, asked := o.GetAnnotations()["cert-manager.io/inject-ca-from-secret"]; asked && !w.bundled(&o) {
				return false
			}
		}
	}
	return true
}

// bundled reports whether every webhook of a configuration has the authority.
func (w *World) bundled(o *kube.Object) bool {
	hooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
	return !w.fill(hooks)
}
