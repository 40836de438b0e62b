package coldstart

import (
	"path"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
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
