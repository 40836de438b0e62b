package needs

import (
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// The rules below find what must run before Argo CD syncs anything. Bootstrap, the proof and the machines' images read them alike.

// RunsArgoCD reports whether an object runs the controller of Argo CD that syncs Applications: a StatefulSet as its chart and its
// own manifests have it, a Deployment with dynamic distribution of clusters. Both name the program, whatever else they are called.
func RunsArgoCD(o manifest.Object) bool {
	for _, container := range list(PodSpec(o), "containers") {
		for _, word := range append(slices.Clone(list(container, "command")), list(container, "args")...) {
			if path.Base(text(word)) == "argocd-application-controller" {
				return true
			}
		}
	}
	return false
}

// secondary are words in the images of pods which put a plugin beside the network that nodes have already (Istio, Multus, Whereabouts,
// Linkerd and Kuma docs; the plugins of kubernetes-sigs and k8snetworkplumbingwg).
var secondary = []string{
	"istio", "multus", "whereabouts", "linkerd", "kuma", "sriov", "ovs-cni", "bridge-marker", "bond-cni", "rdma-cni", "cni-dhcp",
}

// GivesNetwork reports whether an object gives nodes their network: its pods run on every node and in the node's own network, since
// there is no other yet, write where the kubelet looks for network plugins, and are no plugin beside the one that is there.
func GivesNetwork(o manifest.Object) bool {
	spec := PodSpec(o)
	if o.ID().Kind != "DaemonSet" || spec["hostNetwork"] != true {
		return false
	}
	return slices.ContainsFunc(list(spec, "volumes"), holdsPlugins) && !slices.ContainsFunc(containers(spec), isSecondary)
}

func holdsPlugins(volume any) bool {
	folder := text(value(volume, "hostPath", "path")) + "/"
	return strings.HasPrefix(folder, "/etc/cni/") || strings.HasPrefix(folder, "/opt/cni/")
}

func isSecondary(container any) bool {
	image := text(value(container, "image"))
	return slices.ContainsFunc(secondary, func(word string) bool { return strings.Contains(image, word) })
}
