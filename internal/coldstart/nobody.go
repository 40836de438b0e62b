package coldstart

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// nobody says what follows from a fact that nothing among the objects provides.
func (w *world) nobody(n *node, k need, apply bool) cause {
	if k.fact.Type == "never" {
		verdict := Deadlock
		if apply || n.degradesFor(k) && isGatewayAPI(n.id) {
			verdict = Fails
		}
		return cause{verdict: verdict, links: []Link{link(n, k.why)}}
	}
	links := []Link{link(n, k.why), {Text: k.fact.String() + " comes from nobody" + onCluster(k.fact) + w.whyNobody(k.fact) + w.unseen(k.fact) + w.past(k.fact), Lacks: k.fact.String()}}
	links[0].Lacks = k.fact.String()
	if text := w.hidden(func(a *app) bool { return w.heldBy(a, n, k, apply) }); text != "" {
		links[1].Text += " that is known: " + text
		return cause{Unknown, links, k.fact.String()}
	}
	if w.hidden(func(*app) bool { return false }) != "" {
		links[1].Text += " in time: what is not in the folder comes after it"
	}
	switch {
	case w.never[k.fact] == "" && w.mayExist(k.fact):
		return cause{Unknown, links, k.fact.String()}
	case apply || n.degradesFor(k) || n.scalesNothing(k):
		return cause{verdict: Fails, links: links}
	}
	return cause{verdict: Deadlock, links: links}
}

// unseen says that an object is among those which Argo CD overlooks.
func (w *world) unseen(fact needs.Fact) string {
	for _, a := range w.apps {
		for _, id := range a.excluded {
			if provides(id, fact) {
				return ", since Argo CD overlooks that of Application " + a.name
			}
		}
		if slices.ContainsFunc(a.idleHooks, func(id manifest.ID) bool { return provides(id, fact) }) {
			return ", since Application " + a.name + " is nothing but hooks, which never run"
		}
	}
	return ""
}

// provides reports whether a fact is that an object exists.
func provides(id manifest.ID, fact needs.Fact) bool {
	return fact.Type == needs.Exists && fact.Kind == id.Kind && fact.Group == id.Group && fact.Namespace == id.Namespace && fact.Name == id.Name
}

// past says of a fact that it was taken for granted, until a day that is over.
func (w *world) past(fact needs.Fact) string {
	for _, g := range w.in.Given {
		if g.Fact == fact.String() && expired(g, w.in.Today) {
			return "; it was taken for granted until " + g.Expires + ", which is past"
		}
	}
	return ""
}

// heldBy reports whether an Application is not made before an object has what it lacks: it stands behind that object, under the same
// Application. In the dry run everything does.
func (w *world) heldBy(a *app, n *node, k need, apply bool) bool {
	dry := apply && k.fact.Type == needs.Kind && !w.skipsDryRun(n)
	for ; a.parent != nil; a = a.parent.app {
		if a.parent.app == n.app && (dry || a.parent.step > n.step && (apply || w.waits(n))) {
			return true
		}
	}
	return false
}

// hidden names the Applications of which a part is not known, but for those that come too late: whatever nobody known provides may be
// in there.
func (w *world) hidden(tooLate func(*app) bool) string {
	var names []string
	for _, a := range w.apps {
		if len(a.in.Unknown) > 0 && !tooLate(a) {
			names = append(names, a.name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 3:
		names = append(names[:2], strconv.Itoa(len(names)-2)+" more Applications")
	}
	return "not all that " + strings.Join(names, ", ") + " apply is in the folder"
}

// mayExist reports whether a fact may well be true although no object provides it: people and controllers make such things.
func (w *world) mayExist(fact needs.Fact) bool {
	switch fact.Type {
	case needs.Exists:
		if fact.Kind == "GatewayClass" && w.makesAny[keyOn(fact.Cluster, "gatewayclass")] {
			return true
		}
		return slices.Contains([]string{"Secret", "ConfigMap", "StorageClass", "AppProject", "CSIDriver"}, fact.Kind) || w.mayCreate(fact.Cluster, fact.Group, needs.Plural(fact.Kind))
	case consumer:
		return w.mayMount(fact)
	case pooledFor:
		return w.mayServe(fact)
	case needs.Ability:
		if fact.Name == publishes || strings.HasPrefix(fact.Name, needs.Addresses) {
			return w.mayServe(fact)
		}
		return fact.Name == needs.DefaultStorage || fact.Name == gatewayAddress || strings.HasPrefix(fact.Name, resourceAbility)
	case controller:
		return fact.Name != "Ingress.networking.k8s.io" || w.mayServe(fact)
	case needs.Kind:
		return w.makesAny[keyOn(fact.Cluster, "kind")]
	case needs.Namespace:
		return w.makesAny[keyOn(fact.Cluster, "namespace")]
	}
	someday := []needs.Type{ciliumIn, ciliumOut, controller, endpoints, reachable, injection, nodeLabel, podsThere, registration, repository, resolves, permission}
	return slices.Contains(someday, fact.Type)
}

// scalesNothing reports whether a need is that of an autoscaler for what it scales: without it the autoscaler is Degraded
// (FailedGetScale; gitops-engine pkg/health/health_hpa.go).
func (n *node) scalesNothing(k need) bool {
	return n.id.Group == "autoscaling" && n.id.Kind == "HorizontalPodAutoscaler" && k.fact.Type == needs.Exists
}

// degradesFor reports whether an object is Degraded for lack of what it needs, and not waited for in silence.
func (n *node) degradesFor(k need) bool { return n.degrade && !k.hangs }
