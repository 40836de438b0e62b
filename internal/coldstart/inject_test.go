package coldstart

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// TestInjectedFrom states which Secret the CA of a webhook is read from, by cert-manager's annotations.
func TestInjectedFrom(t *testing.T) {
	certificate := func(namespace, name, secret string) string {
		return "{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: " + name + ", namespace: " + namespace + "}, spec: {secretName: " + secret + "}}\n---\n"
	}
	certificates := certificate("default", "c", "s") + certificate("other", "c", "of-other") + certificate("default", "d", "of-d")
	for annotation, want := range map[string]string{
		injectFrom + ": default/c": "Secret default/s", injectFrom + ": other/c": "Secret other/of-other", injectFrom + ": default/d": "Secret default/of-d",
		injectFrom + ": default/e": "", injectFrom + ": c": "", injectFromSecret + ": default/t": "Secret default/t", "other: default/c": "",
	} {
		webhook := "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w, annotations: {" + annotation + "}}}\n---\n"
		w := newWorld(Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Applications: []Application{{Object: child("a", 0), Objects: objects(t, certificates+webhook)}}})
		var got []string
		for _, k := range w.injectionNeeds(w.called("", admissionGroup, "ValidatingWebhookConfiguration", "w")[0]) {
			got = append(got, k.fact.String())
		}
		if text := strings.Join(got, ", "); text != strings.TrimSuffix("ca-injected w, "+want, ", ") {
			t.Errorf("%s: %s, want %q", annotation, text, want)
		}
	}
}

// TestRegistrations: a Secret registers a cluster by its label, among the objects and before the start.
func TestRegistrations(t *testing.T) {
	secret := func(label string) string {
		return "{apiVersion: v1, kind: Secret, metadata: {name: far, namespace: argocd, labels: {argocd.argoproj.io/secret-type: " + label + "}}, stringData: {name: far, server: 'https://far.example.com'}}"
	}
	for label, want := range map[string]int{"cluster": 2, "repository": 0} {
		w := newWorld(Input{
			Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Clusters: objects(t, secret(label)), Applications: []Application{{Object: child("a", 0), Objects: objects(t, secret(label))}},
		})
		if len(w.clusters) != want {
			t.Errorf("%s: %v, want %d", label, w.clusters, want)
		}
	}
}
