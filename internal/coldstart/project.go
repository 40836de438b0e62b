package coldstart

import (
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// forbidden says why an Application's project does not let it apply an object (argo-cd pkg/apis/application/v1alpha1,
// AppProject.IsGroupKindPermitted and IsDestinationPermitted); a project that is not known forbids nothing here.
func (w *world) forbidden(n *node) string {
	name := n.app.in.Object.String("spec", "project")
	p, ok := w.projects[name]
	if !ok || name == "" {
		return ""
	}
	scope := manifest.BuiltinScope(n.id.Group, n.id.Kind)
	cluster := scope == manifest.Cluster || scope == manifest.Unknown && n.id.Namespace == ""
	if scope == manifest.Unknown && cluster && listed(p.List("spec", "namespaceResourceWhitelist"), n.id) {
		return "" // it may live in a namespace, which would be filled in
	}
	switch {
	case cluster && (!listed(p.List("spec", "clusterResourceWhitelist"), n.id) || listed(p.List("spec", "clusterResourceBlacklist"), n.id)):
		return "is of a cluster-scoped kind that the AppProject " + name + " does not allow"
	case cluster:
		return ""
	case listed(p.List("spec", "namespaceResourceBlacklist"), n.id),
		p.Get("spec", "namespaceResourceWhitelist") != nil && !listed(p.List("spec", "namespaceResourceWhitelist"), n.id):
		return "is of a kind that the AppProject " + name + " does not allow"
	case !reaches(p, n.id.Namespace):
		return "lives in a namespace that the AppProject " + name + " does not allow"
	}
	return ""
}

// projectNeed returns the need of an Application for its AppProject: without it no operation begins, and none fails
// (argo-cd controller/appcontroller.go, refreshAppConditions). The project default is made by Argo CD itself.
func (w *world) projectNeed(a *app) []need {
	name := a.in.Object.String("spec", "project")
	if name == "" || name == "default" || slices.ContainsFunc(w.in.Projects, func(p manifest.Object) bool { return p.ID().Name == name }) {
		return nil
	}
	fact := needs.Fact{Type: needs.Exists, Group: "argoproj.io", Kind: "AppProject", Namespace: a.in.Object.ID().Namespace, Name: name}
	return []need{wants(fact, "belongs to an AppProject, without which no sync of it begins")}
}

// whyLacking says why no sync of an Application begins: the first of its own needs that is not met.
func (w *world) whyLacking(a *app, list []need, stack []*node) cause {
	k := list[slices.IndexFunc(list, func(k need) bool { return !w.met(k) })]
	first := Link{Application: a.name, Object: a.in.Object.ID(), Text: k.why, Lacks: k.fact.String()}
	best := cause{verdict: Unknown, links: []Link{first, {Text: k.fact.String() + " comes from nobody", Lacks: k.fact.String()}}, axiom: k.fact.String()}
	for i, p := range w.provided[k.fact] {
		c := w.whyNot(blocker{node: p.node, apply: !p.node.applied}, stack)
		c.links = append([]Link{first}, c.links...)
		if i == 0 || c.better(best) {
			best = c
		}
	}
	return best
}

// unwelcome says why a project lets an Application begin no sync at all: it reads from another repository (argo-cd util/argo,
// ValidatePermissions).
func (w *world) unwelcome(a *app) string {
	name := a.in.Object.String("spec", "project")
	p, ok := w.projects[name]
	if !ok || name == "" {
		return ""
	}
	repo := a.in.Object.String("spec", "source", "repoURL")
	if repos := textsOf(p.Fields(), "spec", "sourceRepos"); repo != "" && !allowsRepo(repos, repo) {
		return "reads from " + repo + ", which the AppProject " + name + " does not allow"
	}
	return ""
}

// bansNamespace says why a project lets an Application not make its namespace: the engine asks it about that like about any object.
func (w *world) bansNamespace(a *app) string {
	name := a.in.Object.String("spec", "project")
	p, ok := w.projects[name]
	if !ok || !a.option("CreateNamespace=true") || listed(p.List("spec", "clusterResourceWhitelist"), manifest.ID{Kind: "Namespace"}) {
		return ""
	}
	return "is to go into a namespace that the sync makes (CreateNamespace=true), which the AppProject " + name + " does not allow"
}

// allowsRepo reports whether a list of patterns lets a repository in; one that begins with ! takes it away.
func allowsRepo(patterns []string, repo string) bool {
	allowed := false
	for _, pattern := range patterns {
		if not, ok := strings.CutPrefix(pattern, "!"); ok {
			if matchesRepo(not, repo) {
				return false
			}
			continue
		}
		allowed = allowed || matchesRepo(pattern, repo)
	}
	return allowed
}

func matchesRepo(pattern, repo string) bool {
	clean := func(s string) string { return strings.TrimSuffix(strings.ToLower(s), ".git") }
	return pattern == "*" || globs(clean(pattern), clean(repo))
}

func listed(list []any, id manifest.ID) bool {
	for _, item := range list {
		group, _ := valueAt(item, "group").(string)
		kind, _ := valueAt(item, "kind").(string)
		if globs(group, id.Group) && globs(kind, id.Kind) {
			return true
		}
	}
	return false
}

// reaches reports whether one of a project's destinations covers the namespace; one that begins with ! takes it away.
func reaches(p manifest.Object, namespace string) bool {
	allowed := false
	for _, item := range p.List("spec", "destinations") {
		pattern, _ := valueAt(item, "namespace").(string)
		if not, ok := strings.CutPrefix(pattern, "!"); ok {
			if globs(not, namespace) {
				return false
			}
			continue
		}
		allowed = allowed || globs(pattern, namespace)
	}
	return allowed
}

func globs(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return err == nil && ok || pattern == "*"
}
