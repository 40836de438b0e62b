package transform

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

func TestTimeLimit(t *testing.T) {
	params := func(data string) string {
		return `{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cmd-params-cm, namespace: argocd}, data: ` + data + `}`
	}
	apps := &Applications{Children: make([]argocd.Application, 5)} // and the root: two hours
	tests := map[string]struct {
		in, stated string
		object     string
		want       string // in the notice; "" where there is none
	}{
		"longer than all waits":     {"cluster", "", params(`{controller.sync.timeout.seconds: "7200"}`), ""},
		"shorter":                   {"cluster", "", params(`{controller.sync.timeout.seconds: "7199"}`), "argo-cd: Argo CD ends an operation after 1h59m59s, but bootstrap.sh waits for up to 2h0m0s for 6 Applications"},
		"none":                      {"cluster", "none", params(`{controller.sync.timeout.seconds: "0"}`), ""},
		"not set, which is none":    {"cluster", "", params(`{}`), ""},
		"no number, which is none":  {"cluster", "", params(`{controller.sync.timeout.seconds: 30m}`), ""},
		"another namespace's":       {"cluster", "", strings.Replace(params(`{controller.sync.timeout.seconds: "60"}`), "namespace: argocd", "namespace: other", 1), ""},
		"nothing carries it":        {"cluster", "36h", `{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: argocd}}`, "argocd.syncTimeout: nothing here renders argocd-cmd-params-cm"},
		"a hub looks after it":      {"hub", "", params(`{controller.sync.timeout.seconds: "60"}`), ""},
		"and nothing is said of it": {"cluster", "", `{apiVersion: v1, kind: Secret, metadata: {name: argocd-cmd-params-cm, namespace: argocd}}`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			notices := TimeLimit(Target{Environment: "lab", In: tt.in, Namespace: "argocd"}, tt.stated, apps, bundles(t, "x", inTeam, "argo-cd", tt.object))
			if (tt.want == "") != (len(notices) == 0) || len(notices) > 0 && !strings.HasPrefix(notices[0].String(), tt.want) {
				t.Errorf("notices %q, want %q…", notices, tt.want)
			}
		})
	}
	if notices := TimeLimit(Target{In: "cluster"}, "36h", nil, nil); len(notices) > 0 {
		t.Errorf("without Applications: %q", notices)
	}
}
