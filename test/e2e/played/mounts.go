package played

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// reference is an object that a pod reads, and the keys of it that must be there.
type reference struct {
	kind, name string
	keys       []string
	optional   *bool
	reason     string // how the kubelet calls the wait
}

// Whole marks a Secret or ConfigMap that a scenario takes as given: it has every key that anybody reads.
const Whole = "played.example.internal/whole"

// missing says what keeps the pod's containers from being created, as the kubelet would call it, or nothing.
func (k *kubelet) missing(ctx context.Context, pod *corev1.Pod) (reason, why string) {
	for _, r := range append(mounted(pod), readByContainers(pod)...) {
		if r.optional != nil && *r.optional {
			continue
		}
		o, err := k.w.Client.Get(ctx, "v1", r.kind, pod.Namespace, r.name)
		if err != nil {
			return r.reason, fmt.Sprintf("%s %s is not there", r.kind, r.name)
		}
		for _, key := range r.keys {
			if o.GetAnnotations()[Whole] == "" && !hasKey(o, key) {
				return r.reason, fmt.Sprintf("%s %s has no key %s", r.kind, r.name, key)
			}
		}
	}
	return "", ""
}

func hasKey(o *kube.Object, key string) bool {
	for _, field := range []string{"data", "binaryData", "stringData"} {
		m, _, _ := unstructured.NestedMap(o.Object, field)
		if _, found := m[key]; found {
			return true
		}
	}
	return false
}

const (
	creating    = "ContainerCreating"
	configError = "CreateContainerConfigError"
)

// mounted are the objects behind volumes. The authority's ConfigMap and the token of the account are there in every namespace.
func mounted(pod *corev1.Pod) []reference {
	var out []reference
	for _, v := range pod.Spec.Volumes {
		if s := v.Secret; s != nil {
			out = append(out, reference{"Secret", s.SecretName, itemKeys(s.Items), s.Optional, creating})
		}
		if c := v.ConfigMap; c != nil {
			out = append(out, reference{"ConfigMap", c.Name, itemKeys(c.Items), c.Optional, creating})
		}
		if v.Projected == nil {
			continue
		}
		for _, source := range v.Projected.Sources {
			if s := source.Secret; s != nil {
				out = append(out, reference{"Secret", s.Name, itemKeys(s.Items), s.Optional, creating})
			}
			if c := source.ConfigMap; c != nil && c.Name != "kube-root-ca.crt" {
				out = append(out, reference{"ConfigMap", c.Name, itemKeys(c.Items), c.Optional, creating})
			}
		}
	}
	return out
}

func itemKeys(items []corev1.KeyToPath) []string {
	var keys []string
	for _, i := range items {
		keys = append(keys, i.Key)
	}
	return keys
}

func readByContainers(pod *corev1.Pod) []reference {
	var out []reference
	for _, c := range append(append([]corev1.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...) {
		for _, from := range c.EnvFrom {
			if s := from.SecretRef; s != nil {
				out = append(out, reference{"Secret", s.Name, nil, s.Optional, configError})
			}
			if m := from.ConfigMapRef; m != nil {
				out = append(out, reference{"ConfigMap", m.Name, nil, m.Optional, configError})
			}
		}
		for _, env := range c.Env {
			if env.ValueFrom == nil {
				continue
			}
			if s := env.ValueFrom.SecretKeyRef; s != nil {
				out = append(out, reference{"Secret", s.Name, []string{s.Key}, s.Optional, configError})
			}
			if m := env.ValueFrom.ConfigMapKeyRef; m != nil {
				out = append(out, reference{"ConfigMap", m.Name, []string{m.Key}, m.Optional, configError})
			}
		}
	}
	return out
}
