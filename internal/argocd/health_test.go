package argocd

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestIsSettings states which objects are the argocd-cm that an Argo CD reads.
func TestIsSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		api, kind, name, namespace, in string
		want                           bool
	}{
		"its own":                     {"v1", "ConfigMap", "argocd-cm", "argocd", "argocd", true},
		"of another Argo CD":          {"v1", "ConfigMap", "argocd-cm", "team", "argocd", false},
		"of no namespace yet":         {"v1", "ConfigMap", "argocd-cm", "", "argocd", true},
		"of any, where none is known": {"v1", "ConfigMap", "argocd-cm", "team", "", true},
		"another ConfigMap":           {"v1", "ConfigMap", "argocd-cmd-params-cm", "argocd", "argocd", false},
		"a Secret of that name":       {"v1", "Secret", "argocd-cm", "argocd", "argocd", false},
		"a kind of somebody's":        {"example.com/v1", "ConfigMap", "argocd-cm", "argocd", "argocd", false},
	} {
		o := manifest.New(map[string]any{"apiVersion": tt.api, "kind": tt.kind, "metadata": map[string]any{"name": tt.name, "namespace": tt.namespace}})
		if got := IsSettings(o, tt.in); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
