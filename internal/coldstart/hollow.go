package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// An Application that nobody has synced yet is Healthy, but for the objects that count while they are missing. A health script which hands
// that on, without asking for Synced, lets the wave pass that waits for it: nothing it brings is sure to be there then (0032). Seen on
// Argo CD 3.2.11 and 2.14.21.

// counted are the kinds whose health the engine itself knows: only of those does a missing object count in the health of its Application
// without an entry in argocd-cm (argo-cd controller/health.go, setApplicationHealth; gitops-engine pkg/health, GetHealthCheckFunc).
var counted = []string{
	"Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "ReplicaSet.apps", "Service", "PersistentVolumeClaim", "Pod", "Job.batch",
	"Ingress.networking.k8s.io", "Ingress.extensions", "HorizontalPodAutoscaler.autoscaling", "APIService.apiregistration.k8s.io", "Workflow.argoproj.io",
}

// missed reports whether an object that is missing counts in the health of its Application. Applications never do.
func (w *world) missed(n *node) bool {
	if argocd.IsHook(n.task.Object) || w.in.Version.Has(argocd.MissingNotInHealth) || n.id.Group == "argoproj.io" && n.id.Kind == "Application" {
		return false
	}
	if n.id.Kind == crd && !w.in.Version.Has(argocd.MissingCRDsIgnored) {
		return true
	}
	return slices.Contains(counted, dotted(n.id)) || slices.Contains(w.in.Customized, strings.TrimPrefix(n.id.Group+"/"+n.id.Kind, "/"))
}

// attests reports whether an Application that looks Healthy to the script has surely applied an object: one that counts comes with it, or
// later.
func (w *world) attests(n *node) bool {
	if !w.script().quick {
		return true
	}
	for step := max(n.step, 0); step < len(n.app.nodes); step++ {
		for _, x := range n.app.nodes[step] {
			if w.missed(x) && (step > n.step || rank(x) >= rank(n)) {
				return true
			}
		}
	}
	return false
}

// hollow reports whether an Application that a later step waits for looks Healthy before it is synced.
func (w *world) hollow(n *node) bool {
	child := w.child(n)
	if child == nil || !w.waits(n) || !w.script().quick || n.itself() {
		return false
	}
	return len(child.nodes) > 0 && !slices.ContainsFunc(child.nodes, func(nodes []*node) bool { return slices.ContainsFunc(nodes, w.missed) })
}

// looksHealthy reports whether Argo CD calls an Application Healthy by now, synced or not.
func (w *world) looksHealthy(a *app) bool {
	if a.barred != "" || a.closed != "" || len(a.in.Unknown) > 0 || !w.allHold(a.begin) {
		return false
	}
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			switch {
			case argocd.IsHook(n.task.Object), overlooked(n), n.itself():
			case !n.applied && w.missed(n), n.applied && n.gate && !n.well:
				return false
			}
		}
	}
	return true
}

// hush lets the waves pass that wait for Applications which look Healthy and come no further. It reports whether any does.
func (w *world) hush() bool {
	if !w.script().loose || w.in.Version.Has(argocd.MissingNotInHealth) {
		return false
	}
	var list []*node
	for _, child := range w.apps {
		if n := child.object; n != nil && n.applied && n.gate && !n.well && child.active && w.allHold(n.healthy) && w.looksHealthy(child) {
			list = append(list, n)
		}
	}
	for _, n := range list {
		w.heal(n)
	}
	w.settle()
	return len(list) > 0
}

// darken takes the health away, once the end is known, from Applications that looked Healthy and do not any more.
func (w *world) darken() {
	healthy := w.looksHealthy
	if w.script().synced {
		healthy = w.appWell
	}
	for changed := true; changed; {
		changed = false
		for _, child := range w.apps {
			if n := child.object; n != nil && n.well && n.gate && !healthy(child) {
				n.well, n.lost, changed = false, true, true
				w.recount(n)
			}
		}
	}
}

// asking is the health script that asks for Synced, where the one in argocd-cm does not.
func (w *world) asking() []change {
	if p := w.script(); !p.quick && p.hasty == "" || p.silent != "" {
		return nil
	}
	health, err := w.in.HealthWith(argocd.ApplicationHealthKey, argocd.ApplicationHealth())
	if err != nil {
		return nil
	}
	return []change{{text: "put a health script for Applications into argocd-cm that asks for Synced, as that of docs/prove.md", size: 1, health: health}}
}
