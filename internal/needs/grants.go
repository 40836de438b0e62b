package needs

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

const rbac = "rbac.authorization.k8s.io"

// Account is a ServiceAccount.
type Account struct{ Namespace, Name string }

// Grant is one rule of a role, and where it counts.
type Grant struct {
	Namespace string // "" is everywhere
	Rule      any
}

// role names a Role or, without namespace, a ClusterRole.
type role struct{ namespace, name string }

// Grants returns what each ServiceAccount may do, by the roles and bindings among the objects. It is how operators are known:
// who may write the status of a kind reconciles it, who may change a CRD by its name registers it.
func Grants(objects []manifest.Object) map[Account][]Grant {
	rules := map[role][]any{}
	for _, o := range objects {
		if id := o.ID(); id.Group == rbac && (id.Kind == "Role" || id.Kind == "ClusterRole") {
			rules[role{id.Namespace, id.Name}] = o.List("rules")
		}
	}
	out := map[Account][]Grant{}
	for _, o := range objects {
		id := o.ID()
		if id.Group != rbac || !strings.HasSuffix(id.Kind, "RoleBinding") {
			continue
		}
		of := role{name: o.String("roleRef", "name")}
		if o.String("roleRef", "kind") == "Role" {
			of.namespace = id.Namespace
		}
		for _, subject := range o.List("subjects") {
			if value(subject, "kind") != "ServiceAccount" {
				continue
			}
			// The namespace of a RoleBinding, where it states none (kubernetes plugin/pkg/auth/authorizer/rbac, appliesToUser).
			who := Account{or(text(value(subject, "namespace")), id.Namespace), text(value(subject, "name"))}
			for _, rule := range rules[of] {
				out[who] = append(out[who], Grant{id.Namespace, rule})
			}
		}
	}
	return out
}

// AccountOf returns the ServiceAccount of the pods that an object runs; zero where it runs none.
func AccountOf(o manifest.Object) Account {
	spec := PodSpec(o)
	if spec == nil {
		return Account{}
	}
	return Account{o.ID().Namespace, accountName(spec)}
}

// Registers says which CRDs, by name (plural.group), a rule of a role lets its subject bring at run time: those that it names.
// Anyone reports a rule by which it may make any CRD. Rules for all resources count as none: Argo CD itself has such a one, and brings
// no kind of its own.
func Registers(rule any) (names []string, anyone bool) {
	if !holds(rule, "resources", "customresourcedefinitions") || !holds(rule, "apiGroups", "apiextensions.k8s.io") && !holds(rule, "apiGroups", "*") {
		return nil, false
	}
	for _, name := range list(rule, "resourceNames") {
		names = append(names, text(name))
	}
	return names, len(names) == 0 && (holds(rule, "verbs", "create") || holds(rule, "verbs", "*"))
}

func holds(rule any, key, wanted string) bool { return slices.Contains(list(rule, key), any(wanted)) }

// Reconciles reports whether a rule lets its subject write the status of a kind. Some kinds of Argo have no status of their own to be
// written: there, who may write their finalizers reconciles them (argo-workflows manifests/cluster-install; its server may not).
func Reconciles(rule any, group, plural string) bool {
	writes := holds(rule, "verbs", "update") || holds(rule, "verbs", "patch") || holds(rule, "verbs", "*")
	return writes && holds(rule, "apiGroups", group) &&
		(holds(rule, "resources", plural+"/status") || holds(rule, "resources", "*/status") || holds(rule, "resources", "*") ||
			group == "argoproj.io" && holds(rule, "resources", plural+"/finalizers"))
}
