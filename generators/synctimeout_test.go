package generators

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// What the model says of the limit reaches Argo CD in seconds, as text.
func TestSyncTimeout(t *testing.T) {
	for text, want := range map[string]string{"": "86400", "36h": "129600", "90m": "5400", "none": "0"} {
		env := lab()
		env.ArgoCD.SyncTimeout = text
		parts, err := buildArgoCD(env)
		if err != nil {
			t.Fatal(err)
		}
		if got := manifest.New(parts.Values).Get("configs", "params", "controller.sync.timeout.seconds"); got != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
}

// The page says what is rendered, and not what the model says.
func TestLimitText(t *testing.T) {
	for seconds, want := range map[string]string{
		"86400": "has taken 24h, all its attempts counted (`argocd.syncTimeout`). That of `root`",
		"5430":  "has taken 1h30m30s,",
		"5400":  "has taken 1h30m,",
		"36000": "has taken 10h,",
		"0":     "never ends an operation by itself",
	} {
		in := small(t, "cluster", map[string][]string{"net": {network, `{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cmd-params-cm, namespace: argocd}, data: {controller.sync.timeout.seconds: "` + seconds + `"}}`}})
		contains(t, limitText(in), want)
	}
	old := small(t, "cluster", map[string][]string{"net": {network, `{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cmd-params-cm, namespace: argocd}, data: {controller.sync.timeout.seconds: "60"}}`}})
	const again = "is tried again for\nhalf an hour"
	for release, says := range map[string]bool{"2.14.21": true, "3.1.8": true, "3.2.11": false} {
		version, err := argocd.ParseVersion(release)
		if err != nil {
			t.Fatal(err)
		}
		if old.Root.Retry = argocd.Retries(version); strings.Contains(limitText(old), again) != says {
			t.Errorf("%s: %s", release, limitText(old))
		}
	}
	contains(t, limitText(small(t, "cluster", map[string][]string{"net": {network}})), "of its argocd-cmd-params-cm says; as shipped it never does")
}

func contains(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%q does not say %q", text, want)
	}
}
