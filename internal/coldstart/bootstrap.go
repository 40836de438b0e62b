package coldstart

import (
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

// neverStarts is the outcome of every Application where Argo CD does not run.
func (w *world) neverStarts(a *app, stalled *node) Outcome {
	c := w.whyNot(blocker{node: stalled}, nil)
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

// bringsNetwork reports whether pods write where the kubelet looks for network plugins.
func bringsNetwork(spec map[string]any) bool {
	for _, volume := range listOf(spec, "volumes") {
		path, _ := valueAt(volume, "hostPath", "path").(string)
		if strings.HasPrefix(path, "/etc/cni/") || strings.HasPrefix(path, "/opt/cni/") {
			return true
		}
	}
	return false
}
