package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// nodeLabel is the fact that a node bears a label: "node disk=ssd", or "node disk" for any value.
const nodeLabel needs.Type = "node"

// everyCluster are the labels that some node of every cluster bears (Kubernetes docs, well-known labels).
var everyCluster = []string{
	"kubernetes.io/os=linux", "kubernetes.io/os", "kubernetes.io/arch", "kubernetes.io/hostname",
	"node-role.kubernetes.io/control-plane=", "node-role.kubernetes.io/control-plane",
}

// nodeNeeds returns the labels that some node must bear before a workload is healthy. A DaemonSet that no node takes is
// (gitops-engine pkg/health/health_daemonset.go), so it needs none.
func (w *world) nodeNeeds(o manifest.Object) []need {
	if kind := o.ID().Kind; kind == "DaemonSet" || kind == "CronJob" || none(o) {
		return nil
	}
	return w.nodeLabels(o)
}

// nodeLabels returns the labels that some node must bear before the pods of a workload run, by nodeSelector and by required node
// affinity.
func (w *world) nodeLabels(o manifest.Object) []need {
	spec := needs.PodSpec(o)
	selector, _ := spec["nodeSelector"].(map[string]any)
	var labels []string
	for key, value := range selector {
		text, _ := value.(string)
		labels = append(labels, key+"="+text)
	}
	labels = append(labels, w.affinityLabels(spec)...)
	slices.Sort(labels)
	var list []need
	for _, label := range slices.Compact(labels) {
		if !onEveryCluster(label) {
			list = append(list, wants(named(nodeLabel, "", label), "runs pods that only a node with a label takes"))
		}
	}
	return list
}

// affinityLabels returns what required node affinity asks for: of its terms the one that lacks least, since any is enough.
func (w *world) affinityLabels(spec map[string]any) []string {
	var best []string
	terms := listOf(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
	for i, term := range terms {
		var lacks []string
		for _, expression := range listOf(term, "matchExpressions") {
			if label, missing := w.lacksLabel(expression); missing {
				lacks = append(lacks, label)
			}
		}
		if i == 0 || len(lacks) < len(best) {
			best = lacks
		}
	}
	return best
}

// lacksLabel returns the label that an expression of node affinity asks for, unless some node is known to bear one that fits.
func (w *world) lacksLabel(expression any) (label string, missing bool) {
	key := textAt(expression, "key")
	var fitting []string
	switch valueAt(expression, "operator") {
	case "In":
		for _, v := range textsOf(expression, "values") {
			fitting = append(fitting, key+"="+v)
		}
	case "Exists":
		fitting = []string{key}
	}
	known := func(l string) bool { return onEveryCluster(l) || w.isGiven(named(nodeLabel, "", l)) }
	if len(fitting) == 0 || slices.ContainsFunc(fitting, known) {
		return "", false
	}
	return fitting[0], true
}

func onEveryCluster(label string) bool {
	return slices.Contains(everyCluster, label) || strings.HasPrefix(label, "kubernetes.io/arch=")
}
