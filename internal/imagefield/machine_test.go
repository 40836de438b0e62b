package imagefield_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/imagefield"
)

func TestMachineImages(t *testing.T) {
	all := func(m imagefield.Machine) []string {
		var out []string
		for _, image := range m.Images() {
			if image.What == "" || image.Source == "" {
				t.Errorf("%s has no purpose or no source", image.Reference)
			}
			out = append(out, image.Reference)
		}
		return out
	}
	if diff := cmp.Diff([]string{
		"ghcr.io/siderolabs/flannel:v0.28.5", "ghcr.io/siderolabs/installer:v1.13.6", "ghcr.io/siderolabs/kubelet:v1.36.2",
		"registry.k8s.io/coredns/coredns:v1.14.2", "registry.k8s.io/etcd:v3.6.12", "registry.k8s.io/kube-apiserver:v1.36.2",
		"registry.k8s.io/kube-controller-manager:v1.36.2", "registry.k8s.io/kube-proxy:v1.36.2", "registry.k8s.io/kube-scheduler:v1.36.2",
		"registry.k8s.io/pause:3.10.1",
	}, all(imagefield.Machine{Talos: "1.13.6", Kubernetes: "1.36.2"})); diff != "" {
		t.Errorf("Talos 1.13.6 (-want +got):\n%s", diff)
	}
	own := all(imagefield.Machine{Talos: "1.13.6", Kubernetes: "1.36.2", OwnNetwork: true, OwnProxy: true})
	if len(own) != 8 || slices.ContainsFunc(own, func(s string) bool { return strings.Contains(s, "flannel") || strings.Contains(s, "kube-proxy") }) {
		t.Errorf("with a network and a proxy of the model's own: %v", own)
	}
	for talos, want := range map[string]string{
		"1.9.2": "gcr.io/etcd-development/etcd:v3.5.17", "1.11.6": "gcr.io/etcd-development/etcd:v3.6.5", "1.12.10": "registry.k8s.io/etcd:v3.6.11",
		"1.13.0-rc.0": "registry.k8s.io/etcd:v3.6.9", "1.99.0": "registry.k8s.io/etcd:v3.6.12", "1.2.0": "gcr.io/etcd-development/etcd:v3.5.17",
	} {
		if got := all(imagefield.Machine{Talos: talos, Kubernetes: "1.36.2"}); !slices.Contains(got, want) {
			t.Errorf("Talos %s: no %s in %v", talos, want, got)
		}
	}
	for _, image := range (imagefield.Machine{Talos: "1.99.0", Kubernetes: "1.36.2"}).Images() {
		if strings.Contains(image.Reference, "/etcd:") && !strings.HasPrefix(image.Source, "as in Talos 1.13.8, the newest") {
			t.Errorf("a Talos that nobody knows yet: %+v", image)
		}
	}
	if got := all(imagefield.Machine{Kubernetes: "1.36.2"}); got != nil {
		t.Errorf("without Talos: %v", got)
	}
}

// TestReplacesProxy: Cilium's configuration says whether it stands for kube-proxy.
func TestReplacesProxy(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "strict": true, "false": false, "": false} {
		in := `{apiVersion: v1, kind: ConfigMap, metadata: {name: cilium-config}, data: {kube-proxy-replacement: "` + value + `"}}`
		if got := imagefield.ReplacesProxy(decodeAll(t, []byte(in))[0]); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
