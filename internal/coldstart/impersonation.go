package coldstart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// permission is the fact that the ServiceAccount Namespace/Name may make what Applications apply in its name.
const permission needs.Type = "permission"

// impersonated returns the ServiceAccount in whose name an Application is synced, or why there is none, in which case every sync fails (argo-cd
// controller/sync.go, deriveServiceAccountToImpersonate; the same in 2.14 and 3.2).
func (w *world) impersonated(a *app) (who needs.Account, why string) {
	namespace := a.in.Object.String("spec", "destination", "namespace")
	for _, item := range w.permitted(a).object.List("spec", "destinationServiceAccounts") {
		text := func(key string) string { return textAt(item, key) }
		if server := newPattern(text("server")); !newPattern(text("namespace")).matches(namespace) || a.cluster.server != "" && !server.matches(a.cluster.server) {
			continue
		}
		account := strings.TrimSpace(text("defaultServiceAccount"))
		if account == "" || strings.ContainsAny(account, "!*[]{}\\/") {
			return needs.Account{}, "is synced in the name of a ServiceAccount, and " + text("defaultServiceAccount") + " is no name of one"
		}
		if in, name, ok := strings.Cut(account, ":"); ok {
			return needs.Account{Namespace: in, Name: name}, ""
		}
		return needs.Account{Namespace: cmp.Or(namespace, a.in.Object.ID().Namespace), Name: account}, ""
	}
	return needs.Account{}, "is synced in the name of a ServiceAccount (application.sync.impersonation.enabled), and no entry of destinationServiceAccounts of AppProject " +
		w.permitted(a).name + " is for namespace " + namespace
}

// impersonate gives every object of an Application what it needs to be applied in the name of a ServiceAccount: that roles let it. The account need
// not be there: the API server asks for its roles alone.
func (w *world) impersonate(a *app) {
	if !w.in.Impersonates || a.in.Bootstrap || a.isSet() || a.barred != "" {
		return
	}
	who, why := w.impersonated(a)
	if a.barred = why; why != "" {
		return
	}
	fact := named(permission, who.Namespace, who.Name)
	bindings, open := w.bindings(a.on, who)
	for _, b := range bindings {
		if !slices.Contains(w.provided[b.here(fact)], provision{b, false}) {
			w.provide(fact, b, false)
		}
	}
	k := wants(fact, "is applied in the name of the ServiceAccount "+who.Namespace+"/"+who.Name+", which must be allowed to,")
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			list := []need{k}
			if !open && len(bindings) > 0 && !w.isGiven(n.here(fact)) && !w.lets(bindings, n) {
				list = []need{refuses("is applied in the name of the ServiceAccount " + who.Namespace + "/" + who.Name + ", and no role that is bound to it here lets it create one")}
			}
			n.localize(list)
			n.apply = append(n.apply, list...)
		}
	}
}

// bindings returns what binds roles to an account; open says that some of those roles are not among the objects, or put together by labels.
func (w *world) bindings(on string, who needs.Account) (list []*node, open bool) {
	for _, kind := range []string{"ClusterRoleBinding", "RoleBinding"} {
		for _, b := range w.ofKind(on, rbacGroup, kind) {
			if !slices.ContainsFunc(b.task.Object.List("subjects"), func(subject any) bool { return isAccount(subject, b, who) }) {
				continue
			}
			list = append(list, b)
			role := w.roleOf(b)
			open = open || role == nil || role.task.Object.Get("aggregationRule") != nil
		}
	}
	return list, open
}

const rbacGroup = "rbac.authorization.k8s.io"

// isAccount reports whether a subject of a binding is an account, or a group that it is in.
func isAccount(subject any, b *node, who needs.Account) bool {
	text := func(key string) string { return textAt(subject, key) }
	switch text("kind") {
	case "ServiceAccount":
		return text("name") == who.Name && cmp.Or(text("namespace"), b.id.Namespace) == who.Namespace
	case "User":
		return text("name") == "system:serviceaccount:"+who.Namespace+":"+who.Name
	}
	return slices.Contains([]string{"system:serviceaccounts", "system:serviceaccounts:" + who.Namespace, "system:authenticated"}, text("name"))
}

// roleOf finds the role of a binding.
func (w *world) roleOf(b *node) *node {
	kind := b.task.Object.String("roleRef", "kind")
	for _, role := range w.called(b.app.on, rbacGroup, kind, b.task.Object.String("roleRef", "name")) {
		if kind == "ClusterRole" || role.id.Namespace == b.id.Namespace {
			return role
		}
	}
	return nil
}

// lets reports whether one of the bindings lets an object be created.
func (w *world) lets(bindings []*node, n *node) bool {
	return slices.ContainsFunc(bindings, func(b *node) bool {
		if b.id.Kind == "RoleBinding" && (b.id.Namespace != n.id.Namespace || w.scope(n.id) == manifest.Cluster) {
			return false
		}
		return slices.ContainsFunc(w.roleOf(b).task.Object.List("rules"), func(rule any) bool {
			return hasAny(textsOf(rule, "verbs"), "create") && hasAny(textsOf(rule, "apiGroups"), n.id.Group) && hasAny(textsOf(rule, "resources"), needs.Plural(n.id.Kind)) &&
				len(textsOf(rule, "resourceNames")) == 0
		})
	})
}

// entitle gives objects what they need where the roles of Argo CD's own are among the objects, and not for all (manifests/namespace-install and
// what is put beside it). Roles add up, and somebody may bind more of them elsewhere: that is not known.
func (w *world) entitle() {
	var bound []*node
	var who needs.Account
	for _, n := range w.all {
		if n.app.on != "" || !needs.RunsArgoCD(n.task.Object) || w.where.namespace != "" && n.id.Namespace != w.where.namespace {
			continue
		}
		who = needs.AccountOf(n.task.Object)
		list, open := w.bindings("", who)
		if open || len(list) == 0 {
			return
		}
		bound = append(bound, list...)
	}
	if len(bound) == 0 || w.in.Impersonates {
		return
	}
	k := wants(named(permission, who.Namespace, who.Name), "is applied by Argo CD, whose ServiceAccount "+who.Namespace+"/"+who.Name+" no role that is bound to it here lets create one,")
	for _, n := range w.all {
		if n.app.on == "" && !n.app.in.Bootstrap && n != n.app.maker && !w.lets(bound, n) {
			n.apply = append(n.apply, k)
		}
	}
}
