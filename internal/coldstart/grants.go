package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// account is a ServiceAccount.
type account struct{ on, namespace, name string }

// grant is one rule of a role, and where it counts.
type grant struct {
	namespace string // "" is everywhere
	rule      any
}

// role names a Role or, without namespace, a ClusterRole.
type role struct{ on, namespace, name string }

// grants returns what each ServiceAccount may do, by the roles and bindings among the objects. It is how operators are known:
// who may write the status of a kind reconciles it.
func (w *world) grants() map[account][]grant {
	rules := map[role][]any{}
	for _, n := range w.all {
		if n.id.Group == "rbac.authorization.k8s.io" && (n.id.Kind == "Role" || n.id.Kind == "ClusterRole") {
			rules[role{n.app.on, n.id.Namespace, n.id.Name}] = n.task.Object.List("rules")
		}
	}
	out := map[account][]grant{}
	for _, n := range w.all {
		if n.id.Group != "rbac.authorization.k8s.io" || !strings.HasSuffix(n.id.Kind, "RoleBinding") {
			continue
		}
		of := role{on: n.app.on, name: n.task.Object.String("roleRef", "name")}
		if n.task.Object.String("roleRef", "kind") == "Role" {
			of.namespace = n.id.Namespace
		}
		for _, subject := range n.task.Object.List("subjects") {
			name, _ := valueAt(subject, "name").(string)
			namespace, _ := valueAt(subject, "namespace").(string)
			if namespace == "" {
				namespace = n.id.Namespace // of a RoleBinding (kubernetes plugin/pkg/auth/authorizer/rbac, appliesToUser)
			}
			who := account{n.app.on, namespace, name}
			for _, rule := range rules[of] {
				out[who] = append(out[who], grant{n.id.Namespace, rule})
			}
		}
	}
	return out
}

// collectGrant says what a workload provides by one rule of all that its roles hold.
func (w *world) collectGrant(n *node, g grant, all []grant) {
	verbs := textsOf(g.rule, "verbs")
	writes := slices.ContainsFunc(verbs, func(v string) bool { return v == "*" || v == "update" || v == "patch" })
	for _, group := range textsOf(g.rule, "apiGroups") {
		for _, resource := range textsOf(g.rule, "resources") {
			switch {
			case writes && (strings.HasSuffix(resource, "/status") || resource == "*" && group != "*"):
				w.reconciles(n, group, strings.TrimSuffix(resource, "/status"))
			case writes && injectable[resource] != "" && resource != "customresourcedefinitions":
				w.injects(n, injectable[resource], textsOf(g.rule, "resourceNames"))
			case resource == "customresourcedefinitions":
				w.registers(n, g, verbs)
				if writes {
					w.injects(n, crd, textsOf(g.rule, "resourceNames"))
				}
			case group == "" && resource == "namespaces" && slices.Contains(verbs, "create"):
				w.makesAny[n.key("namespace")] = true
			case group == "" && !writes && !slices.Contains(verbs, "create") && !mayCreate(all, resource): // who may only read it makes none
			case group == "" && resource == "secrets":
				w.makes(n, g, "Secret")
			case group == "" && resource == "configmaps":
				w.makes(n, g, "ConfigMap")
			}
		}
	}
}

// mayCreate reports whether some rule lets its subject create any object of a kind: creation cannot be granted by name, so that
// who makes one object by name may create all and says in another rule which it looks at.
func mayCreate(all []grant, resource string) bool {
	return slices.ContainsFunc(all, func(g grant) bool {
		return hasAny(textsOf(g.rule, "apiGroups"), "") && hasAny(textsOf(g.rule, "resources"), resource) && hasAny(textsOf(g.rule, "verbs"), "create") &&
			len(textsOf(g.rule, "resourceNames")) == 0
	})
}

// reconciles says that a workload is the controller of every kind among the objects that has this plural.
func (w *world) reconciles(n *node, group, plural string) {
	for _, kind := range w.kinds() {
		if (kind.Group == group) && (plural == "*" || needs.Plural(kind.Kind) == plural) {
			fact := n.here(named(controller, "", kind.Kind+"."+kind.Group))
			if !slices.Contains(w.provided[fact], provision{n, true}) {
				w.provide(fact, n, true)
			}
		}
	}
}

// registers says which kinds a workload brings at run time: those that its role names. One that may register any is kept apart.
func (w *world) registers(n *node, g grant, verbs []string) {
	resources := textsOf(g.rule, "resourceNames")
	if len(resources) == 0 && slices.ContainsFunc(verbs, func(v string) bool { return v == "create" || v == "*" }) {
		w.makesAny[n.key("kind")] = true
	}
	for _, kind := range w.kinds() {
		fact := n.here(needs.Fact{Type: needs.Kind, Group: kind.Group, Kind: kind.Kind})
		if slices.Contains(resources, needs.Plural(kind.Kind)+"."+kind.Group) && len(w.provided[fact]) == 0 {
			w.provide(fact, n, true)
		}
	}
}

// makes says that a workload writes the objects that its role names.
func (w *world) makes(n *node, g grant, kind string) {
	for _, name := range textsOf(g.rule, "resourceNames") {
		w.provide(needs.Fact{Type: needs.Exists, Kind: kind, Namespace: g.namespace, Name: name}, n, n.id.Kind == "Job" || n.id.Kind == "Deployment")
	}
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
