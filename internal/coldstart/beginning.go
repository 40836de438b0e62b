package coldstart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// watched is the fact that Argo CD looks for Applications in the namespace Name besides its own.
const watched needs.Type = "application-namespace"

// params is the ConfigMap from which Argo CD's programs take their flags.
const params = "argocd-cmd-params-cm"

// surroundings is what is known of the Argo CD that does it all.
type surroundings struct {
	namespace string   // that it runs in; "" is not known
	here      bool     // it, or its flags, are among the objects
	watches   []string // namespaces besides its own in which it looks for Applications, as patterns
}

// surroundings finds where Argo CD runs, and where else it looks for Applications.
func (w *world) surroundings() surroundings {
	var s surroundings
	var roots, all, controllers []string
	for _, a := range w.apps {
		at := a.in.Object.ID().Namespace
		if all = append(all, at); a.parent == nil {
			roots = append(roots, at)
		}
	}
	for _, n := range w.all {
		if n.app.on == "" && needs.RunsArgoCD(n.task.Object) {
			s.here = true
			controllers = append(controllers, n.id.Namespace)
			s.watches = append(s.watches, watchedBy(wordsOf(n))...)
		}
	}
	s.namespace = argoNamespace(roots, all, controllers)
	for _, n := range w.called("", "", "ConfigMap", params) {
		s.here = true
		s.watches = append(s.watches, splitList(n.task.Object.String("data", "application.namespaces"))...)
	}
	return s
}

// argoNamespace returns where Argo CD runs: where its controller is applied beside Applications, else where all Applications are that a
// person applies; "" is not known.
func argoNamespace(roots, all, controllers []string) string {
	slices.Sort(roots)
	roots, found := slices.Compact(roots), ""
	for _, namespace := range roots {
		if len(roots) == 1 || namespace == "argocd" {
			found = namespace
		}
	}
	for _, namespace := range controllers {
		if slices.Contains(all, namespace) {
			found = namespace
		}
	}
	return found
}

// Home returns the namespace that Argo CD runs in, as far as Applications tell; "" where they do not.
func Home(apps []Application) string {
	var roots, all, controllers []string
	made := map[string]bool{}
	for _, a := range apps {
		for _, o := range a.Objects {
			if id := o.ID(); id.Group == "argoproj.io" && id.Kind == "Application" && id.Name != a.Object.ID().Name {
				made[id.Name] = true
			}
			if AtHome(a) && needs.RunsArgoCD(o) {
				controllers = append(controllers, cmp.Or(o.ID().Namespace, a.Object.String("spec", "destination", "namespace")))
			}
		}
	}
	for _, a := range apps {
		at := a.Object.ID().Namespace
		if all = append(all, at); !made[a.Object.ID().Name] && a.Generator == (manifest.ID{}) {
			roots = append(roots, at)
		}
	}
	if len(roots) == 0 { // Applications that create each other
		roots = slices.Clone(all)
	}
	return argoNamespace(roots, all, controllers)
}

// AtHome reports whether an Application writes to the cluster that Argo CD runs in, as far as it says so itself.
func AtHome(a Application) bool {
	to := cluster{strings.TrimRight(a.Object.String("spec", "destination", "server"), "/"), a.Object.String("spec", "destination", "name")}
	return to == cluster{} || to.server == home.server || to.server == "" && to.name == home.name
}

// watchedBy reads the flag of the controller.
func watchedBy(words []string) []string {
	for i, word := range words {
		if list, ok := strings.CutPrefix(word, "--application-namespaces="); ok {
			return splitList(list)
		}
		if word == "--application-namespaces" && i+1 < len(words) {
			return splitList(words[i+1])
		}
	}
	return nil
}

// abroad reports whether an Application lives in another namespace than Argo CD.
func (w *world) abroad(a *app) bool {
	at := a.in.Object.ID().Namespace
	return at != "" && w.where.namespace != "" && at != w.where.namespace
}

// beginning says why no sync of an Application ever begins, or what must be true before one does.
func (w *world) beginning(a *app) (closed string, list []need) {
	if a.withheld != "" {
		return "is never made: Application " + a.withheld + " would make it, and Argo CD overlooks its kind", nil
	}
	if a.in.Object.Annotation(argocd.SkipReconcileAnnotation) == "true" {
		return "is not looked at: it bears " + argocd.SkipReconcileAnnotation, nil
	}
	if at := a.in.Object.ID().Namespace; w.abroad(a) && !anyOf(w.where.watches, at) {
		if w.where.here {
			return "is in namespace " + at + ", where Argo CD looks for no Applications: application.namespaces in " + params + " does not name it", nil
		}
		list = append(list, wants(named(watched, "", at), "is in a namespace that is not Argo CD's own ("+w.where.namespace+")"))
	}
	list = slices.Concat(list, w.registrationNeed(a), w.ownRepositories(a), w.unfilled(a), w.projectNeed(a))
	closed, hour := w.shutWindows(a)
	return closed, append(list, hour...)
}

// projectNeed returns the need of an Application for its AppProject: without it no operation begins, and none fails
// (argo-cd controller/appcontroller.go, refreshAppConditions). The project default is made by Argo CD itself.
func (w *world) projectNeed(a *app) []need {
	name := a.in.Object.String("spec", "project")
	if name == "" || name == builtinProject.ID().Name || slices.ContainsFunc(w.in.Projects, func(p manifest.Object) bool { return p.ID().Name == name }) {
		return nil
	}
	namespace := a.in.Object.ID().Namespace
	if w.abroad(a) {
		namespace = w.where.namespace
	}
	fact := needs.Fact{Type: needs.Exists, Group: "argoproj.io", Kind: "AppProject", Namespace: namespace, Name: name}
	return []need{wants(fact, "belongs to an AppProject, without which no sync of it begins")}
}

// withhold marks the Applications that nobody makes, since Argo CD overlooks the objects which would.
func (w *world) withhold(byName map[string]*app) {
	for _, a := range w.apps {
		for _, id := range a.excluded {
			if child := byName[cmp.Or(id.Namespace, a.in.Object.String("spec", "destination", "namespace"))+"/"+id.Name]; child != nil && child.parent == nil && id.Group == "argoproj.io" && id.Kind == "Application" {
				child.withheld = a.name
			}
		}
	}
}
