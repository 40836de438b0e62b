package coldstart

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestQuotaCountsByMultiplying: what a workload asks for is not added up pod by pod, whatever number of them it states.
func TestQuotaCountsByMultiplying(t *testing.T) {
	tests := map[string]struct {
		replicas int64
		cpu      string
		refused  bool
	}{
		"more pods than could ever be counted": {2_000_000_000_000, "1m", true},
		"more than a number holds":             {9_000_000_000_000_000_000, "9000000000", true},
		"as many as fit":                       {4, "250m", false},
		"one more":                             {5, "250m", true},
		"less than none":                       {-5, "250m", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			quota := plain("v1", "ResourceQuota", "default", "q", map[string]any{"hard": map[string]any{"requests.cpu": "1"}})
			d := plain("apps/v1", "Deployment", "default", "d", map[string]any{"replicas": tt.replicas, "template": map[string]any{"spec": map[string]any{
				"containers": []any{map[string]any{"name": "c", "resources": map[string]any{"requests": map[string]any{"cpu": tt.cpu}}}},
			}}})
			proof, _ := run(Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Applications: []Application{{Object: child("a", 0), Objects: []manifest.Object{quota, d}}}})
			o := proof.Outcomes[0]
			if refused := len(o.Chain) > 0 && strings.Contains(o.Chain[0].Text, "has no requests.cpu left"); refused != tt.refused {
				t.Errorf("%s: %v", o.Verdict, o.Chain)
			}
		})
	}
}

// TestLimitsOfALaterWave: what refuses pods and comes in a later wave is there before those that no wave waits for, and after those that one does.
func TestLimitsOfALaterWave(t *testing.T) {
	of := func(api, kind, wave, most string) string {
		maker := strings.Replace(granting(false, rule("", "secrets login: update")), "apiVersion: apps/v1, kind: Deployment", "apiVersion: "+api+", kind: "+kind, 1)
		return strings.Replace(maker, "{name: c}", "{name: c, resources: {limits: {memory: 100Mi}}}", 1) +
			written("v1", "LimitRange", "l", wave, "spec: {limits: [{type: Container, max: {memory: "+most+"}}]}") +
			written("apps/v1", "Deployment", "reader", "2", "spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: login}}]}]}}}")
	}
	const outside = "whose memory is outside of what the LimitRange l allows"
	runStarts(t, map[string]start{
		"a wave waits for the pods":         {of("apps/v1", "Deployment", "1", "50Mi"), "", Proven, ""},
		"in one wave":                       {of("apps/v1", "Deployment", "0", "50Mi"), "", Deadlock, outside},
		"no wave waits for the pods":        {of("v1", "ReplicationController", "1", "50Mi"), "", Deadlock, outside},
		"nor for those, which it lets pass": {of("v1", "ReplicationController", "1", "100Mi"), "", Proven, ""},
	})
}
