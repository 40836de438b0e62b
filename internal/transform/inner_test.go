package transform

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInnerWaves moves what only its own component's webhook can admit, and nothing else.
func TestInnerWaves(t *testing.T) {
	hook := func(policy string) string {
		return "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}, webhooks: [{name: w, failurePolicy: " + policy +
			", clientConfig: {service: {namespace: a, name: op}}, rules: [{apiGroups: [example.com, apps], apiVersions: ['*'], resources: [widgets, deployments], operations: [CREATE]}]}]}"
	}
	widget := "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: a}}"
	tests := map[string]struct {
		in   string
		want string // the wave of the last object
	}{
		"its own custom resource":         {hook("Fail") + "\n---\n" + widget, "1"},
		"one that has a wave":             {hook("Fail") + "\n---\n" + strings.Replace(widget, "namespace: a", "namespace: a, annotations: {argocd.argoproj.io/sync-wave: '0'}", 1), "0"},
		"a hook":                          {hook("Fail") + "\n---\n" + strings.Replace(widget, "namespace: a", "namespace: a, annotations: {argocd.argoproj.io/hook: PostSync}", 1), ""},
		"a webhook that fails open":       {hook("Ignore") + "\n---\n" + widget, ""},
		"another kind":                    {hook("Fail") + "\n---\n" + strings.Replace(widget, "Widget", "Gadget", 1), ""},
		"what may run the webhook itself": {hook("Fail") + "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: op, namespace: a}}", ""},
		"no webhook":                      {widget, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, notices := InnerWaves(bundles(t, "a", tt.in))
			last := out[0].Objects[len(out[0].Objects)-1]
			if diff := cmp.Diff(tt.want, last.Annotation("argocd.argoproj.io/sync-wave")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if moved := tt.want == "1"; moved != (len(notices) == 1) || moved && !strings.Contains(notices[0].String(), "ValidatingWebhookConfiguration.admissionregistration.k8s.io w of the same component must admit it") {
				t.Errorf("notices %v", notices)
			}
		})
	}
}
