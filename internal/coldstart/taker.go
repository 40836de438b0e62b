package coldstart

import (
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// A taker is an object that takes ability away from others: a webhook that fails closed, a quota, a level of Pod Security, a
// network policy. It counts from the first moment at which it may have been applied, so that nothing is proven which only holds
// while it loses a race.

// scaling is what an autoscaler scales.
type scaling struct {
	on string
	id manifest.ID // without version
}

// takers are the objects that take ability away, and what they look at, by namespace (see node.key).
type takers struct {
	quotas, limits, policies, cilium map[string][]*node
	workloads, members               map[string][]*node // what runs pods; every object
	injected                         map[string][]*node // by kind, what a CA may be written into, and Certificates
	definitions                      map[string]*node   // CRDs by Kind.group
	asks                             map[*node]bool     // workloads that are granted something at the API server
	scalers                          map[scaling]*node  // by what they scale
}

func newTakers() takers {
	list := func() map[string][]*node { return map[string][]*node{} }
	return takers{list(), list(), list(), list(), list(), list(), list(), map[string]*node{}, map[*node]bool{}, map[scaling]*node{}}
}

// index keeps an object where those look that may be held back by it.
func (t *takers) index(n *node) {
	in := n.key(n.id.Namespace)
	t.members[in] = append(t.members[in], n)
	if needs.PodSpec(n.task.Object) != nil && n.id.Kind != "CronJob" {
		t.workloads[in] = append(t.workloads[in], n)
	}
	switch dotted(n.id) {
	case "HorizontalPodAutoscaler.autoscaling":
		group, _ := manifest.SplitAPIVersion(n.task.Object.String("spec", "scaleTargetRef", "apiVersion"))
		t.scalers[scaling{n.app.on, manifest.ID{Group: group, Kind: n.task.Object.String("spec", "scaleTargetRef", "kind"), Namespace: n.id.Namespace, Name: n.task.Object.String("spec", "scaleTargetRef", "name")}}] = n
	case "ResourceQuota":
		t.quotas[in] = append(t.quotas[in], n)
	case "CiliumNetworkPolicy.cilium.io", "CiliumClusterwideNetworkPolicy.cilium.io": // of all namespaces where it states none
		t.cilium[in] = append(t.cilium[in], n)
	case "LimitRange":
		t.limits[in] = append(t.limits[in], n)
	case "NetworkPolicy.networking.k8s.io":
		t.policies[in] = append(t.policies[in], n)
	case "CustomResourceDefinition.apiextensions.k8s.io":
		t.definitions[n.key(n.task.Object.String("spec", "names", "kind")+"."+n.task.Object.String("spec", "group"))] = n
		t.injected[n.key(n.id.Kind)] = append(t.injected[n.key(n.id.Kind)], n)
	case "ValidatingWebhookConfiguration." + admissionGroup, "MutatingWebhookConfiguration." + admissionGroup, "APIService.apiregistration.k8s.io", "Certificate." + certManager:
		t.injected[n.key(n.id.Kind)] = append(t.injected[n.key(n.id.Kind)], n)
	}
}

// endure adds what an object needs because of takers that may stand before it, or before its pods.
func (w *world) endure(n *node) {
	apply, pods := w.admission(n)
	n.apply = append(n.apply, apply...)
	n.apply = append(n.apply, w.converted(n)...)
	n.apply = append(append(n.apply, w.counted(n)...), w.claimed(n)...)
	if refused := w.podsRefused(n); n.id.Kind == "Pod" {
		n.apply = append(n.apply, refused...)
	} else if !none(n.task.Object) {
		n.healthy = append(append(n.healthy, pods...), refused...)
	}
	n.healthy = append(append(n.healthy, w.letOut(n)...), w.ciliumLetOut(n)...)
	if unlisted := w.unlisted(n); len(unlisted) > 0 {
		n.healthy, n.blurred = append(n.healthy, unlisted...), true
	}
}

// mayStand reports whether a taker may be there when an object is applied: it is of the same sync and comes no later, or of
// another one and the object is not surely applied before that one starts. Kinds of equal rank in one step count as being in no order.
func (w *world) mayStand(taker, n *node) bool {
	if taker == n || !taker.app.runs() {
		return false
	}
	if taker.app != n.app {
		return !w.precedes(n, taker.app, false)
	}
	return taker.step < n.step || taker.step == n.step && rank(taker) == rank(n)
}

// stands reports whether a taker may be there, or surely is, since its kind goes before the object's in the same step.
func (w *world) stands(taker, n *node) bool {
	return w.mayStand(taker, n) || taker.app == n.app && taker.step == n.step && rank(taker) < rank(n)
}

// mayHold reports whether a taker may be there when the pods of a workload are made, which happens some time after it is applied:
// always, but where a sync has seen the workload healthy before the taker is applied.
func (w *world) mayHold(taker, n *node) bool {
	if !taker.app.runs() {
		return false
	}
	if taker.app != n.app {
		return !w.precedes(n, taker.app, true)
	}
	return taker.step <= n.step || !w.waits(n)
}

// precedes reports whether an object is surely applied, or healthy, before another Application starts.
func (w *world) precedes(n *node, a *app, healthy bool) bool {
	if n.app.in.Bootstrap != a.in.Bootstrap {
		return n.app.in.Bootstrap
	}
	return !a.in.Bootstrap && w.sureBefore(provision{n, healthy}, a)
}

// runs reports whether anybody syncs an Application, and every Application above it.
func (a *app) runs() bool {
	for ; a.parent != nil; a = a.parent.app {
		if !a.synced() && !a.in.Bootstrap {
			return false
		}
	}
	return true
}
