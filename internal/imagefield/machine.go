package imagefield

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Machine says what a cluster's machines run before any manifest is applied.
type Machine struct {
	Talos, Kubernetes string // versions without the v; without Talos nobody knows who builds the machine
	OwnNetwork        bool   // a component brings the network, so that Talos' own is not installed
	OwnProxy          bool   // a component stands for kube-proxy
}

// ReplacesProxy reports whether an object says that something stands for kube-proxy: Cilium does, by its configuration.
func ReplacesProxy(o manifest.Object) bool {
	replaced := o.String("data", "kube-proxy-replacement")
	return o.String("kind") == "ConfigMap" && (replaced == "true" || replaced == "strict")
}

// MachineImage is an image that the machines pull by themselves: no manifest names it, and no component of the model can change it.
type MachineImage struct {
	Reference string
	What      string // what it is for
	Source    string // where its project says so
}

// Images lists what the machines pull by themselves, sorted by reference.
func (m Machine) Images() []MachineImage {
	if m.Talos == "" || m.Kubernetes == "" {
		return nil
	}
	r := m.release()
	talos, kubernetes := "Talos "+m.Talos+": pkg/machinery/constants", "Kubernetes "+m.Kubernetes+", as Talos names it"
	if !r.known {
		talos = "as in Talos " + r.since + ", the newest that this version of gen knows of"
	}
	out := []MachineImage{
		{"ghcr.io/siderolabs/installer:v" + m.Talos, "the installer; with system extensions it is factory.talos.dev/metal-installer/SCHEMATIC:v" + m.Talos, "Talos " + m.Talos},
		{"ghcr.io/siderolabs/kubelet:v" + m.Kubernetes, "the kubelet", kubernetes},
		{r.etcd, "etcd, on control plane nodes", talos},
		{"registry.k8s.io/coredns/coredns:" + r.coreDNS, "the cluster's DNS", talos},
		{"registry.k8s.io/pause:" + r.pause, "the sandbox of every pod", talos},
	}
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		out = append(out, MachineImage{fmt.Sprintf("registry.k8s.io/%s:v%s", name, m.Kubernetes), strings.TrimPrefix(name, "kube-") + ", on control plane nodes", kubernetes})
	}
	if !m.OwnProxy {
		out = append(out, MachineImage{"registry.k8s.io/kube-proxy:v" + m.Kubernetes, "kube-proxy, unless the machine configuration turns it off", kubernetes})
	}
	if !m.OwnNetwork {
		out = append(out, MachineImage{"ghcr.io/siderolabs/flannel:" + r.flannel, "the network, unless the machine configuration names another", talos})
	}
	slices.SortFunc(out, func(a, b MachineImage) int { return strings.Compare(a.Reference, b.Reference) })
	return out
}

// release is what Talos pulls from one version on.
type release struct {
	since, etcd, coreDNS, pause, flannel string
	known                                bool // of the minor version that was asked for
}

// release returns the newest entry that is not newer than the machine's Talos; else the oldest.
func (m Machine) release() release {
	found := releases[0]
	for _, r := range releases {
		if !newer(r.since, m.Talos) {
			found = r
		}
	}
	found.known = minor(found.since) == minor(m.Talos)
	return found
}

// releases are the changes in Talos' own list (pkg/machinery/constants/constants.go and pkg/images of each tag, 1.9.0 to 1.13.9), oldest first.
var releases = []release{
	{since: "1.9.0", etcd: gcrEtcd + "v3.5.17", coreDNS: "v1.12.0", pause: "3.10", flannel: "v0.26.1"},
	{since: "1.9.3", etcd: gcrEtcd + "v3.5.18", coreDNS: "v1.12.0", pause: "3.10", flannel: "v0.26.1"},
	{since: "1.9.4", etcd: gcrEtcd + "v3.5.18", coreDNS: "v1.12.0", pause: "3.10", flannel: "v0.26.4"},
	{since: "1.9.5", etcd: gcrEtcd + "v3.5.19", coreDNS: "v1.12.0", pause: "3.10", flannel: "v0.26.5"},
	{since: "1.9.6", etcd: gcrEtcd + "v3.5.21", coreDNS: "v1.12.0", pause: "3.10", flannel: "v0.26.5"},
	{since: "1.10.0", etcd: gcrEtcd + "v3.5.21", coreDNS: "v1.12.1", pause: "3.10", flannel: "v0.26.7"},
	{since: "1.10.9", etcd: gcrEtcd + "v3.5.26", coreDNS: "v1.12.1", pause: "3.10", flannel: "v0.26.7"},
	{since: "1.11.0", etcd: gcrEtcd + "v3.6.4", coreDNS: "v1.12.2", pause: "3.10", flannel: "v0.27.2"},
	{since: "1.11.1", etcd: gcrEtcd + "v3.6.4", coreDNS: "v1.12.3", pause: "3.10", flannel: "v0.27.2"},
	{since: "1.11.3", etcd: gcrEtcd + "v3.6.5", coreDNS: "v1.12.4", pause: "3.10", flannel: "v0.27.4"},
	{since: "1.12.0", etcd: k8sEtcd + "v3.6.7", coreDNS: "v1.13.2", pause: "3.10", flannel: "v0.27.4"},
	{since: "1.12.5", etcd: k8sEtcd + "v3.6.8", coreDNS: "v1.13.2", pause: "3.10", flannel: "v0.27.4"},
	{since: "1.12.7", etcd: k8sEtcd + "v3.6.9", coreDNS: "v1.13.2", pause: "3.10", flannel: "v0.27.4"},
	{since: "1.12.8", etcd: k8sEtcd + "v3.6.11", coreDNS: "v1.14.3", pause: "3.10.1", flannel: "v0.27.4"},
	{since: "1.12.9", etcd: k8sEtcd + "v3.6.11", coreDNS: "v1.14.2", pause: "3.10.1", flannel: "v0.27.4"},
	{since: "1.13.0", etcd: k8sEtcd + "v3.6.9", coreDNS: "v1.14.2", pause: "3.10.1", flannel: "v0.28.4"},
	{since: "1.13.1", etcd: k8sEtcd + "v3.6.11", coreDNS: "v1.14.2", pause: "3.10.1", flannel: "v0.28.4"},
	{since: "1.13.4", etcd: k8sEtcd + "v3.6.12", coreDNS: "v1.14.2", pause: "3.10.1", flannel: "v0.28.5"},
	{since: "1.13.7", etcd: k8sEtcd + "v3.6.12", coreDNS: "v1.14.4", pause: "3.10.1", flannel: "0.28.7"},
	{since: "1.13.8", etcd: k8sEtcd + "v3.6.12", coreDNS: "v1.14.6", pause: "3.10.1", flannel: "0.28.8"},
}

const (
	gcrEtcd = "gcr.io/etcd-development/etcd:"
	k8sEtcd = "registry.k8s.io/etcd:"
)

// newer reports whether a is a newer version than b, number by number; what follows a dash does not count.
func newer(a, b string) bool { return slices.Compare(numbers(a), numbers(b)) > 0 }

func minor(version string) string {
	n := numbers(version)
	return fmt.Sprint(n[:min(2, len(n))])
}

func numbers(version string) []int {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	var out []int
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return out
		}
		out = append(out, n)
	}
	return out
}
