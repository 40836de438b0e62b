package played

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// programs make what the programs of a pod make before they end: afterwards Argo CD may delete the Job at once. A program is
// known by its arguments, as its image's name may be rewritten (argo-cd cmd/argocd/commands/admin/redis_initial_password.go;
// cilium/certgen v0.4 cmd/certgen.go, generateCertificates; ingress-nginx v1.15 images/kube-webhook-certgen/rootfs/cmd/{create,patch}.go
// and pkg/k8s/k8s.go).
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
		return w.certgen(ctx, words, c)
	case words0(words) == "create" && argument(words, "--secret-name") != "":
		keys := []string{"ca", or(argument(words, "--cert-name"), "cert"), or(argument(words, "--key-name"), "key")}
		return w.secret(ctx, namespace, argument(words, "--secret-name"), keys...)
	case words0(words) == "patch" && argument(words, "--secret-name") != "":
		return w.patch(ctx, words)
	}
	return nil
}

// certgen makes the authority, unless it was told not to or it is there, and each certificate of its configuration.
func (w *World) certgen(ctx context.Context, words []string, c corev1.Container) error {
	if argument(words, "--ca-generate") == "true" {
		if err := w.secret(ctx, or(argument(words, "--ca-secret-namespace"), "kube-system"), or(argument(words, "--ca-secret-name"), "ca"), "ca.crt", "ca.key"); err != nil {
			return err
		}
	}
	var config struct {
		Certs []struct{ Name, Namespace string }
	}
	text := argument(words, "--config")
	for _, e := range c.Env {
		if e.Name == "CILIUM_CERTGEN_CONFIG" {
			text = or(text, e.Value)
		}
	}
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		return fmt.Errorf("reading the configuration of certgen: %w", err)
	}
	for _, cert := range config.Certs {
		if err := w.secret(ctx, cert.Namespace, cert.Name, "ca.crt", "tls.crt", "tls.key"); err != nil {
			return err
		}
	}
	return nil
}

// patch writes the authority, and the failure policy that it is told, into the configurations of one name, and the authority into an
// APIService.
func (w *World) patch(ctx context.Context, words []string) error {
	if name := argument(words, "--apiservice-name"); name != "" {
		if err := w.aggregated(ctx, name); err != nil {
			return err
		}
	}
	name, kinds := argument(words, "--webhook-name"), patched(words)
	return w.write(ctx, func(o *kube.Object) bool { return o.GetName() == name && slices.Contains(kinds, o.GetKind()) }, argument(words, "--patch-failure-policy"))
}

// patched are the kinds of configurations that the program was not told to leave alone.
func patched(words []string) []string {
	var kinds []string
	if argument(words, "--webhook-name") == "" {
		return nil
	}
	if argument(words, "--patch-validating") != "false" {
		kinds = append(kinds, "ValidatingWebhookConfiguration")
	}
	if argument(words, "--patch-mutating") != "false" {
		kinds = append(kinds, "MutatingWebhookConfiguration")
	}
	return kinds
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
	if all := options(words, name); len(all) > 0 {
		return all[0]
	}
	return ""
}

// options are the values of an argument that may be given several times.
func options(words []string, name string) []string {
	var out []string
	for i, word := range words {
		if value, found := strings.CutPrefix(word, name+"="); found {
			out = append(out, value)
		}
		if word == name && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			out = append(out, words[i+1])
		}
	}
	return out
}

// metallbSecrets: the controller makes the key of its speakers' memberlist, and its own webhook's authority.
func metallbSecrets(ctx context.Context, w *World) error {
	controller, err := w.metallb(ctx)
	if err != nil || controller == nil {
		return err
	}
	for _, name := range environment(controller, "METALLB_ML_SECRET_NAME") {
		if err := w.secret(ctx, controller.GetNamespace(), name, "secretkey"); err != nil {
			return err
		}
	}
	if err := w.bundles(ctx, func(c *kube.Object) bool { return c.GetName() == "metallb-webhook-configuration" }); err != nil {
		return err
	}
	return w.conversions(ctx, func(c *kube.Object) bool { return c.GetName() == "bgppeers.metallb.io" })
}

// done reports whether the programs of a pod have come to their end. Most do at once. cert-manager's check of its own API asks
// until both of its webhooks judge a CertificateRequest, made on the server as a trial (cert-manager
// cmd/startupapicheck/pkg/check/api/api.go and pkg/util/cmapichecker/cmapichecker.go); the patch of a webhook fails and is tried
// again while the Secret with the authority or a configuration is missing (ingress-nginx
// images/kube-webhook-certgen/rootfs/{cmd/patch.go,pkg/k8s/k8s.go}); certgen, while an authority that it shall not make is.
func (w *World) done(ctx context.Context, pod *corev1.Pod) bool {
	for _, c := range pod.Spec.Containers {
		words := append(append([]string{}, c.Command...), c.Args...)
		switch {
		case len(words) > 1 && words[0] == "check" && words[1] == "api":
			if !w.certManagerAnswers(ctx, pod.Namespace) {
				return false
			}
		case words0(words) == "patch" && argument(words, "--secret-name") != "":
			if !w.patchable(ctx, pod.Namespace, words) {
				return false
			}
		case strings.HasSuffix(words0(words), "cilium-certgen") && argument(words, "--ca-generate") != "true":
			if !w.exists(ctx, "v1", "Secret", or(argument(words, "--ca-secret-namespace"), "kube-system"), or(argument(words, "--ca-secret-name"), "ca")) {
				return false
			}
		}
	}
	return true
}

// patchable reports whether the patch has what it reads: the Secret with the authority, and what it writes that into. The charts say
// --namespace=$(POD_NAMESPACE), or the namespace of their pods.
func (w *World) patchable(ctx context.Context, namespace string, words []string) bool {
	secret, err := w.Client.Get(ctx, "v1", "Secret", namespace, argument(words, "--secret-name"))
	if err != nil || !hasKey(secret, "ca") {
		return false
	}
	if name := argument(words, "--apiservice-name"); name != "" && !w.exists(ctx, "apiregistration.k8s.io/v1", "APIService", "", name) {
		return false
	}
	return !slices.ContainsFunc(patched(words), func(kind string) bool {
		return !w.exists(ctx, "admissionregistration.k8s.io/v1", kind, "", argument(words, "--webhook-name"))
	})
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
