package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// differences names what the release line does otherwise than the nearest one that the judge runs, as far as it touches what is proven:
// the proof takes account of each, but nobody has seen a real Argo CD of that line do it.
func (w *world) differences() []argocd.Difference {
	if slices.Contains(judgedLines, w.in.Version) {
		return nil
	}
	var list []argocd.Difference
	for _, d := range argocd.Differences(w.in.Version, nearestJudged(w.in.Version)) {
		if w.touched(d.Feature) {
			list = append(list, d)
		}
	}
	return list
}

// nearestJudged returns the judged line next to another one; of two that are as near, the newer.
func nearestJudged(v argocd.Version) argocd.Version {
	best := judgedLines[0]
	for _, line := range judgedLines {
		if line.Major == v.Major {
			best = line
		}
	}
	return best
}

// touched reports whether a feature may matter to the objects.
func (w *world) touched(f argocd.Feature) bool {
	kind := func(group, kind string) bool { return len(w.ofKind(anywhere, group, kind)) > 0 }
	some := func(asks func(*app) bool) bool { return slices.ContainsFunc(w.apps, asks) }
	object := func(asks func(manifest.Object) bool) bool {
		return slices.ContainsFunc(w.all, func(n *node) bool { return asks(n.task.Object) })
	}
	stated := func(path ...string) bool {
		return some(func(a *app) bool { return a.in.Object.Get(path...) != nil })
	}
	project := func(list, field string) bool {
		return some(func(a *app) bool {
			return slices.ContainsFunc(w.permitted(a).object.List("spec", list), func(item any) bool { return valueAt(item, field) != nil })
		})
	}
	switch f {
	case argocd.ExclusionsShipped:
		return object(func(o manifest.Object) bool {
			shipped := argocd.Filter{Exclusions: argocd.DefaultExclusions(argocd.Version{Major: 3})}
			return shipped.Overlooks(o.ID().Group, o.ID().Kind, "")
		}) || some(func(a *app) bool { return len(a.excluded) > 0 })
	case argocd.CRDHealth, argocd.CRDInstallingHealthy, argocd.MissingCRDsIgnored:
		return kind("apiextensions.k8s.io", crd)
	case argocd.CronJobHealth:
		return kind("batch", "CronJob")
	case argocd.SkipDryRunOnApp:
		return some(func(a *app) bool { return a.option(argocd.SkipDryRun) })
	case argocd.NamespaceBeforeRun:
		return some(func(a *app) bool { return a.option("CreateNamespace=true") })
	case argocd.AutomatedEnabled:
		return stated("spec", "syncPolicy", "automated", "enabled")
	case argocd.RetryRefresh:
		return stated("spec", "syncPolicy", "retry", "refresh")
	case argocd.HookFinalizer:
		return object(argocd.IsHook)
	case argocd.PreDeleteHooks, argocd.PostDeleteHooks:
		return slices.ContainsFunc(w.in.Applications, func(a Application) bool {
			return slices.ContainsFunc(a.Objects, func(o manifest.Object) bool {
				return strings.Contains(o.Annotation(argocd.HookAnnotation), "Delete")
			})
		})
	case argocd.AndOperator:
		return project("syncWindows", "andOperator")
	case argocd.ClusterResourceNames:
		return project("clusterResourceWhitelist", "name") || project("clusterResourceBlacklist", "name")
	case argocd.MissingNotInHealth:
		return some(func(a *app) bool { return a.parent != nil })
	}
	return true
}
