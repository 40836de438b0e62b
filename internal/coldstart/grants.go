package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// grants returns what each ServiceAccount may do, cluster by cluster.
func (w *world) grants() map[string]map[needs.Account][]needs.Grant {
	objects := map[string][]manifest.Object{}
	for _, n := range w.all {
		objects[n.app.on] = append(objects[n.app.on], n.task.Object)
	}
	out := map[string]map[needs.Account][]needs.Grant{}
	for on, list := range objects {
		out[on] = needs.Grants(list)
	}
	return out
}

// collectGrant says what a workload provides by one rule of all that its roles hold.
func (w *world) collectGrant(n *node, g needs.Grant, all []needs.Grant) {
	w.reconciles(n, g)
	w.registers(n, g)
	verbs := textsOf(g.Rule, "verbs")
	writes := slices.ContainsFunc(verbs, func(v string) bool { return v == "*" || v == "update" || v == "patch" })
	creates := hasAny(verbs, "create")
	for _, group := range textsOf(g.Rule, "apiGroups") {
		for _, resource := range textsOf(g.Rule, "resources") {
			switch {
			case writes && injectable[resource] != "":
				w.injects(n, injectable[resource], textsOf(g.Rule, "resourceNames"))
			case group == gatewayGroup && resource == "gatewayclasses" && creates:
				w.mayMake(n, "gatewayclass")
			case group != "": // what is called like a kind of Kubernetes' own, and is none
			case resource == "namespaces" && creates:
				w.mayMake(n, "namespace")
			case resource == "persistentvolumes" && creates:
				w.mayMake(n, string(volume))
			case !writes && !creates && !mayCreate(all, resource): // who may only read it makes none
			case resource == "secrets":
				w.makes(n, g, "Secret")
			case resource == "configmaps":
				w.makes(n, g, "ConfigMap")
			}
		}
	}
}

// mayCreate reports whether some rule lets its subject create any object of a kind: creation cannot be granted by name, so that
// who makes one object by name may create all and says in another rule which it looks at.
func mayCreate(all []needs.Grant, resource string) bool {
	return slices.ContainsFunc(all, func(g needs.Grant) bool {
		return hasAny(textsOf(g.Rule, "apiGroups"), "") && hasAny(textsOf(g.Rule, "resources"), resource) && hasAny(textsOf(g.Rule, "verbs"), "create") &&
			len(textsOf(g.Rule, "resourceNames")) == 0
	})
}

// reconciles says that a workload is the controller of every kind among the objects whose status one rule lets it write.
func (w *world) reconciles(n *node, g needs.Grant) {
	for _, kind := range w.kinds() {
		fact := n.here(named(controller, "", kind.Kind+"."+kind.Group))
		if needs.Reconciles(g.Rule, kind.Group, needs.Plural(kind.Kind)) && !slices.Contains(w.provided[fact], provision{n, true}) {
			w.provide(fact, n, true)
		}
	}
}

// registers says which kinds a workload brings at run time: those that its role names. One that may register any is kept apart.
func (w *world) registers(n *node, g needs.Grant) {
	names, anyone := needs.Registers(g.Rule)
	if anyone {
		w.mayMake(n, "kind")
	}
	for _, kind := range w.kinds() {
		fact := n.here(needs.Fact{Type: needs.Kind, Group: kind.Group, Kind: kind.Kind})
		if slices.Contains(names, needs.Plural(kind.Kind)+"."+kind.Group) && len(w.provided[fact]) == 0 {
			w.provide(fact, n, true)
		}
	}
}

// makes says that the pods of a workload write the objects that its role names, once they run. The health of a CronJob says nothing of its
// pods: one that reads what it makes makes nothing.
func (w *world) makes(n *node, g needs.Grant, kind string) {
	for _, name := range textsOf(g.Rule, "resourceNames") {
		fact := needs.Fact{Type: needs.Exists, Kind: kind, Namespace: g.Namespace, Name: name}
		first := firstMakes(n, fact)
		if n.id.Kind == "CronJob" && !first && slices.Contains(needs.PodReferences(needs.PodSpec(n.task.Object), n.id.Namespace), fact) {
			continue
		}
		w.provide(fact, n, !first)
	}
}

// firstMakes reports whether a pod makes an object before its own containers start, which read it: an init container must, or the pod would
// never run (argo-cd manifests/base/redis, "argocd admin redis-initial-password").
func firstMakes(n *node, fact needs.Fact) bool {
	spec := needs.PodSpec(n.task.Object)
	before := map[string]any{"volumes": spec["volumes"], "containers": spec["initContainers"]}
	return len(listOf(spec, "initContainers")) > 0 && slices.Contains(needs.PodReferences(spec, n.id.Namespace), fact) &&
		!slices.Contains(needs.PodReferences(before, n.id.Namespace), fact)
}

// kinds returns the kinds of all objects, each once.
func (w *world) kinds() []needs.Fact {
	if w.kindList == nil {
		seen := map[needs.Fact]bool{}
		for _, n := range w.all {
			fact := needs.Fact{Group: n.id.Group, Kind: n.id.Kind}
			if !seen[fact] {
				seen[fact] = true
				w.kindList = append(w.kindList, fact)
			}
		}
	}
	return w.kindList
}
