package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// Bootstraps reports whether an Application's objects must be applied before Argo CD can run: they hold Argo CD's own
// controller, or the DaemonSet that gives nodes their network.
func Bootstraps(objects []manifest.Object) bool {
	for _, o := range objects {
		if carries(o) {
			return true
		}
	}
	return false
}

// carries reports whether nothing syncs before the pods of an object run.
func carries(o manifest.Object) bool {
	spec := needs.PodSpec(o)
	return spec != nil && (runsArgo(spec) || o.ID().Kind == "DaemonSet" && bringsNetwork(spec))
}

// stalled returns the objects without which Argo CD does not run, and which need what only a sync brings.
func (w *world) stalled() []*node {
	var list []*node
	for _, n := range w.all {
		if n.app.in.Bootstrap && n.app.on == "" && !n.early && carries(n.task.Object) {
			list = append(list, n)
		}
	}
	return list
}

// unburdened returns the input with the network of the nodes taken for given: no Application must be applied by hand because it brings
// one. It is nothing new where Argo CD itself is what stalls.
func (in Input) unburdened(stalled []*node) (Input, bool) {
	if !in.Network || !slices.ContainsFunc(stalled, func(n *node) bool { return !runsArgo(needs.PodSpec(n.task.Object)) }) {
		return in, false
	}
	in.Network, in.Applications = false, slices.Clone(in.Applications)
	for i, a := range in.Applications {
		in.Applications[i].Bootstrap = a.Bootstrap && slices.ContainsFunc(a.Objects, func(o manifest.Object) bool {
			spec := needs.PodSpec(o)
			return spec != nil && runsArgo(spec)
		})
	}
	return in, true
}

// neverStarts is the outcome of every Application where Argo CD does not run.
func (w *world) neverStarts(a *app, stalled *node) Outcome {
	c := w.reasons.chain(w.reasons.object(blocker{node: stalled}))
	first := link(stalled, "must run before Argo CD syncs anything, and needs what only a sync brings")
	return Outcome{Application: a.name, Verdict: c.verdict, Blocked: stalled.id, Chain: append([]Link{first}, c.links...), Axiom: c.axiom}
}

func runsArgo(spec map[string]any) bool {
	for _, container := range listOf(spec, "containers") {
		for _, word := range append(textsOf(container, "command"), textsOf(container, "args")...) {
			if strings.HasSuffix(word, "argocd-application-controller") {
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

// bringsNetwork reports whether pods give nodes their network: they write where the kubelet looks for network plugins, run in the
// node's own network, since there is no other yet, and are no plugin beside the one that is there.
func bringsNetwork(spec map[string]any) bool {
	if spec["hostNetwork"] != true {
		return false
	}
	for _, container := range containers(spec) {
		image, _ := valueAt(container, "image").(string)
		if slices.ContainsFunc(secondary, func(word string) bool { return strings.Contains(image, word) }) {
			return false
		}
	}
	for _, volume := range listOf(spec, "volumes") {
		path, _ := valueAt(volume, "hostPath", "path").(string)
		if strings.HasPrefix(path, "/etc/cni/") || strings.HasPrefix(path, "/opt/cni/") {
			return true
		}
	}
	return false
}
