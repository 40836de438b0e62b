package coldstart

import (
	"cmp"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// repository is the fact that the project of an Application allows what is filled in for the placeholder Name.
const repository needs.Type = "repository"

// permitted returns what an Application's project allows; one that is not known allows what the project default does.
func (w *world) permitted(a *app) *permissions {
	name := cmp.Or(a.in.Object.String("spec", "project"), builtinProject.ID().Name)
	if w.permissions[name] == nil {
		project, stated := w.projects[name]
		if !stated {
			project = builtinProject
		}
		w.permissions[name] = readPermissions(project, w.in.Version)
	}
	return w.permissions[name]
}

// forbidden says why an Application's project does not let it apply an object: the engine asks about each in the dry run.
func (w *world) forbidden(n *node) string {
	p := w.permitted(n.app)
	scope := w.scope(n.id)
	isCluster := scope == manifest.Cluster
	if scope == manifest.Unknown && n.id.Namespace == "" {
		return p.forbidsBoth(n)
	}
	switch {
	case isCluster && !p.kind(n.id, false):
		return "is of a cluster-scoped kind that the AppProject " + p.name + " does not allow"
	case isCluster:
		return ""
	case !p.kind(n.id, true):
		return "is of a kind that the AppProject " + p.name + " does not allow"
	case !p.reaches(n.app.cluster, n.id.Namespace):
		return "lives in a namespace that the AppProject " + p.name + " does not allow"
	}
	return ""
}

// forbidsBoth says why a project does not let an object be applied of which nobody says whether it lives in a namespace: then it would be
// put into that of its Application.
func (p *permissions) forbidsBoth(n *node) string {
	if p.kind(n.id, false) || p.kind(n.id, true) && p.reaches(n.app.cluster, n.app.namespace()) {
		return ""
	}
	return "is of a kind that the AppProject " + p.name + " does not allow"
}

// unwelcome says why a project lets an Application begin no sync at all: it reads from another repository, goes to another place, or
// lives in a namespace whose Applications the project does not take (argo-cd util/argo, ValidatePermissions; controller/appcontroller.go).
func (w *world) unwelcome(a *app) string {
	p := w.permitted(a)
	for _, repo := range a.repositories() {
		if !p.source(repo) && !argocd.IsPlaceholder(repo) {
			return "reads from " + repo + ", which the AppProject " + p.name + " does not allow"
		}
	}
	namespace := a.in.Object.String("spec", "destination", "namespace")
	if !p.reaches(a.cluster, namespace) {
		return "goes to namespace " + namespace + " of " + a.cluster.String() + ", which the AppProject " + p.name + " does not allow"
	}
	if at := a.in.Object.ID().Namespace; w.abroad(a) && !p.welcomes(at) {
		return "is in namespace " + at + ", which is not among the sourceNamespaces of AppProject " + p.name
	}
	return ""
}

// unfilled returns what must be true of addresses that are still to be filled in, where its project does not allow all of them.
func (w *world) unfilled(a *app) []need {
	var list []need
	for _, repo := range a.repositories() {
		if p := w.permitted(a); argocd.IsPlaceholder(repo) && !p.source(repo) {
			list = append(list, wants(named(repository, "", repo), "reads from "+repo+", which is a placeholder: fill it in; as it stands the AppProject "+p.name+" does not allow it"))
		}
	}
	return list
}

// repositories returns where an Application is read from.
func (a *app) repositories() []string {
	spec := func(path ...string) any { return a.in.Object.Get(append([]string{"spec"}, path...)...) }
	sources := []any{spec("source")}
	switch {
	case spec("sourceHydrator") != nil:
		sources = []any{spec("sourceHydrator", "drySource")}
	case len(a.in.Object.List("spec", "sources")) > 0:
		sources = a.in.Object.List("spec", "sources")
	}
	var list []string
	for _, source := range sources {
		if repo := textAt(source, "repoURL"); repo != "" {
			list = append(list, repo)
		}
	}
	return list
}

// bansNamespace says why a project lets an Application not make its namespace: the engine asks it about that like about any object.
func (w *world) bansNamespace(a *app) string {
	if p := w.permitted(a); a.option("CreateNamespace=true") && !p.kind(manifest.ID{Kind: "Namespace", Name: a.in.Object.String("spec", "destination", "namespace")}, false) {
		return "is to go into a namespace that the sync makes (CreateNamespace=true), which the AppProject " + p.name + " does not allow"
	}
	return ""
}
