package needs

import (
	"fmt"
	"testing"
)

// TestGivesNetwork: bootstrap, the proof and the list of the machines' images once differed on all of these but the first two.
func TestGivesNetwork(t *testing.T) {
	for name, tt := range map[string]struct {
		kind, image, network, path string
		want                       bool
	}{
		"a network":               {"DaemonSet", "quay.io/cilium/cilium", "true", "/etc/cni/net.d", true},
		"something else":          {"DaemonSet", "quay.io/cilium/cilium", "true", "/var/log", false},
		"its programs alone":      {"DaemonSet", "quay.io/cilium/cilium", "true", "/opt/cni/bin", true},
		"the whole folder":        {"DaemonSet", "quay.io/cilium/cilium", "true", "/etc/cni", true},
		"a folder called alike":   {"DaemonSet", "quay.io/cilium/cilium", "true", "/etc/cni-x", false},
		"in a network of others":  {"DaemonSet", "quay.io/cilium/cilium", "false", "/etc/cni/net.d", false},
		"Multus, a second plugin": {"DaemonSet", "ghcr.io/k8snetworkplumbingwg/multus-cni:v4", "true", "/etc/cni/net.d", false},
		"on one node":             {"Deployment", "quay.io/cilium/cilium", "true", "/etc/cni/net.d", false},
	} {
		t.Run(name, func(t *testing.T) {
			o := object(t, fmt.Sprintf(`{apiVersion: apps/v1, kind: %s, metadata: {name: n, namespace: kube-system}, spec: {template: {spec: {
				hostNetwork: %s, initContainers: [{name: i, image: %s}], containers: [{name: c, image: pause}], volumes: [{name: a, emptyDir: {}}, {name: b, hostPath: {path: %s}}]}}}}`,
				tt.kind, tt.network, tt.image, tt.path))
			if got := GivesNetwork(o); got != tt.want {
				t.Errorf("gives nodes their network: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestRunsArgoCD: the program tells, not the name. Whoever looked at the name took any application-controller for Argo CD's, and
// found none where clusters are distributed dynamically or a release is called otherwise.
func TestRunsArgoCD(t *testing.T) {
	for name, tt := range map[string]struct {
		kind, object, container string
		want                    bool
	}{
		"its chart's":                {"StatefulSet", "argocd-application-controller", "args: [/usr/local/bin/argocd-application-controller, --x]", true},
		"its manifests'":             {"StatefulSet", "argocd-application-controller", "command: [argocd-application-controller]", true},
		"a name of one's own":        {"StatefulSet", "cd", "args: [/usr/local/bin/argocd-application-controller]", true},
		"dynamic distribution":       {"Deployment", "argocd-application-controller", "args: [/usr/local/bin/argocd-application-controller]", true},
		"another of that name":       {"StatefulSet", "kube-application-controller", "args: [/manager]", false},
		"a mere mention":             {"Deployment", "watcher", "args: [--of=argocd-application-controller]", false},
		"another program of Argo CD": {"Deployment", "argocd-server", "args: [/usr/local/bin/argocd-server]", false},
	} {
		t.Run(name, func(t *testing.T) {
			o := object(t, fmt.Sprintf(`{apiVersion: apps/v1, kind: %s, metadata: {name: %s, namespace: argocd}, spec: {template: {spec: {containers: [{name: c, %s}]}}}}`,
				tt.kind, tt.object, tt.container))
			if got := RunsArgoCD(o); got != tt.want {
				t.Errorf("runs Argo CD's controller: %v, want %v", got, tt.want)
			}
		})
	}
}
