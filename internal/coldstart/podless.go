package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// podless says why a workload makes no pods although it is there, and so does nothing for others: it answers for no Service, mounts no
// claim, reconciles no kind.
func podless(o manifest.Object) string {
	switch kind := o.ID().Kind; {
	case none(o):
		return "replicas: 0"
	case (kind == "Job" || kind == "CronJob") && o.Get("spec", "suspend") == true:
		return "suspend: true"
	case kind == "Job" && o.Get("spec", "parallelism") == int64(0):
		return "parallelism: 0"
	}
	return ""
}

// startedPods returns the spec of the pods that a workload makes as soon as it is there; nil where it makes none then.
func startedPods(n *node) map[string]any {
	if n.id.Kind == "CronJob" || none(n.task.Object) {
		return nil
	}
	return needs.PodSpec(n.task.Object)
}

// scaledUp reports whether KEDA may start pods of a workload that states none (KEDA docs, Scaling Deployments: from zero). An
// HorizontalPodAutoscaler leaves such a workload alone.
func (w *world) scaledUp(n *node) bool {
	return slices.ContainsFunc(w.ofKind(n.app.on, "keda.sh", "ScaledObject"), func(scaler *node) bool {
		return slices.ContainsFunc(needs.Of(scaler.task.Object), func(k needs.Need) bool { return provides(n.id, k.Fact) })
	})
}

// dormant returns the labels of nodes without which a DaemonSet makes no pods. It is healthy all the same.
func (w *world) dormant(n *node) []need {
	if n.id.Kind != "DaemonSet" {
		return nil
	}
	return slices.DeleteFunc(w.nodeLabels(n.task.Object), func(k need) bool { return w.isGiven(k.fact) })
}

// unmanned returns the labels of nodes that stand behind what others need: what only the pods of a DaemonSet do, nobody does where no
// node takes them.
func (w *world) unmanned(n *node, list []need) []need {
	var more []need
	for _, k := range list {
		var lacks []need
		for _, p := range w.provided[k.fact] {
			labels := w.dormant(p.node)
			if len(labels) == 0 || provides(p.node.id, k.fact) {
				lacks = nil
				break
			}
			if lacks == nil {
				for _, label := range labels {
					lacks = append(lacks, wants(n.here(label.fact), k.why+": "+p.node.id.String()+" does that, whose pods only a node with a label takes"))
				}
			}
		}
		more = append(more, lacks...)
	}
	return more
}

// neverApplied returns what the objects of all Applications would provide that no sync applies, with the reason.
func (w *world) neverApplied() map[needs.Fact]string {
	out := map[needs.Fact]string{}
	for _, a := range w.apps {
		for _, o := range a.skipped {
			bare := o.Edit(func(fields map[string]any) {
				if metadata, ok := fields["metadata"].(map[string]any); ok {
					delete(metadata, "annotations")
				}
			})
			for _, fact := range needs.Provided(bare) {
				fact.Cluster = a.on
				out[fact] = ", since " + o.ID().String() + " of Application " + a.name + " is never applied (" + hookOf(o) + ")"
			}
		}
	}
	return out
}

// hookOf names the annotation for which no sync applies an object.
func hookOf(o manifest.Object) string {
	for _, key := range []string{argocd.HookAnnotation, argocd.HelmHookAnnotation} {
		if value := o.Annotation(key); value != "" {
			return strings.TrimSpace(key + ": " + value)
		}
	}
	return "no sync takes it"
}

// whyNobody says of a fact that nobody provides who stands in the folder and would.
func (w *world) whyNobody(fact needs.Fact) string {
	if why := w.never[fact]; why != "" {
		return why
	}
	for _, n := range w.would[fact] {
		return ", since " + n.id.String() + " makes no pods (" + podless(n.task.Object) + ")"
	}
	return ""
}

func (w *world) mayMake(n *node, what string) {
	if !w.muted {
		w.makesAny[n.key(what)] = true
	}
}

// ownNames are the groups whose controllers make nothing for others under names that are not known: Secrets and Services that their objects
// name, and what only they look at.
var ownNames = []string{"gateway.networking.k8s.io", certManager, "acme." + certManager, externalSecs, "bitnami.com", "monitoring.coreos.com", "keda.sh"}

// operates reports whether a workload reconciles a kind of somebody's own of which there is an object.
func (w *world) operates(all []needs.Grant) bool {
	return slices.ContainsFunc(all, func(g needs.Grant) bool {
		return slices.ContainsFunc(w.kinds(), func(kind needs.Fact) bool {
			return !manifest.Builtin(kind.Group, kind.Kind) && !slices.Contains(ownNames, kind.Group) && needs.Reconciles(g.Rule, kind.Group, needs.Plural(kind.Kind))
		})
	})
}

const createsAny = "create "

// invents says which kinds an operator may make objects of, under names that nobody states. Rules for all resources count as none: who
// holds such a one makes what others have written.
func (w *world) invents(n *node, g needs.Grant) {
	if verbs := textsOf(g.Rule, "verbs"); !hasAny(verbs, "create") || len(textsOf(g.Rule, "resourceNames")) > 0 {
		return
	}
	for _, group := range textsOf(g.Rule, "apiGroups") {
		for _, resource := range textsOf(g.Rule, "resources") {
			if group != "*" && resource != "*" {
				w.mayMake(n, createsAny+resource+"."+group)
			}
		}
	}
}

// mayCreate reports whether some operator of a cluster may make an object that a fact is about.
func (w *world) mayCreate(on, group, plural string) bool {
	return w.makesAny[keyOn(on, createsAny+plural+"."+group)]
}

// podMakers are what an operator makes to have pods.
var podMakers = [][2]string{{"apps", "statefulsets"}, {"apps", "deployments"}, {"apps", "daemonsets"}, {"apps", "replicasets"}, {"batch", "jobs"}, {"", "pods"}}

// mayMount reports whether the pods that an operator makes may mount a claim: one of its custom resources names it.
func (w *world) mayMount(claim needs.Fact) bool {
	namespace, name, _ := strings.Cut(claim.Name, "/")
	return slices.ContainsFunc(w.members[keyOn(claim.Cluster, namespace)], func(n *node) bool {
		if !reconciled(n.id) || needs.PodSpec(n.task.Object) != nil || !anyText(n.task.Object.Get("spec"), func(text string) bool { return text == name }) {
			return false
		}
		return w.isGiven(n.here(named(controller, "", dotted(n.id)))) ||
			slices.ContainsFunc(podMakers, func(of [2]string) bool { return w.mayCreate(claim.Cluster, of[0], of[1]) })
	})
}
