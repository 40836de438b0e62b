package needs

import (
	"slices"
	"testing"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestAccountOf: the proof once read one of the two fields, and nobody the account that admission writes.
func TestAccountOf(t *testing.T) {
	for spec, want := range map[string]string{
		"serviceAccountName: a":                    "a",
		"serviceAccount: old":                      "old",
		"serviceAccountName: a, serviceAccount: b": "a",
		"hostNetwork: true":                        "default",
	} {
		o := object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: team}, spec: {template: {spec: {`+spec+`}}}}`)
		if got := AccountOf(o); got != (Account{"team", want}) {
			t.Errorf("%s: %v, want %s", spec, got, want)
		}
	}
	if got := AccountOf(object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: team}}`)); got != (Account{}) {
		t.Errorf("a ConfigMap runs as %v", got)
	}
}

// rule reads one rule of a role.
func rule(t *testing.T, text string) any {
	t.Helper()
	return object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: [`+text+`]}`).List("rules")[0]
}

// TestRegisters: the proof once took a resource of any group for that of CRDs.
func TestRegisters(t *testing.T) {
	for text, want := range map[string]struct {
		names  []string
		anyone bool
	}{
		"{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [create]}":                                                      {nil, true},
		"{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: ['*']}":                                                         {nil, true},
		"{apiGroups: ['*'], resources: [pods, customresourcedefinitions], verbs: [create]}":                                                                 {nil, true},
		"{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [get, update]}":                                                 {nil, false},
		"{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [update], resourceNames: [widgets.example.com, a.example.com]}": {[]string{"widgets.example.com", "a.example.com"}, false},
		"{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [create], resourceNames: [a.example.com]}":                      {[]string{"a.example.com"}, false},
		"{apiGroups: [example.com], resources: [customresourcedefinitions], verbs: [create]}":                                                               {nil, false},
		"{apiGroups: [example.com], resources: [customresourcedefinitions], verbs: [update], resourceNames: [a.example.com]}":                               {nil, false},
		"{apiGroups: [apiextensions.k8s.io], resources: [widgets], verbs: [create]}":                                                                        {nil, false},
		"{apiGroups: ['*'], resources: ['*'], verbs: ['*']}":                                                                                                {nil, false},
	} {
		names, anyone := Registers(rule(t, text))
		if !slices.Equal(names, want.names) || anyone != want.anyone {
			t.Errorf("%s: %v %v, want %v %v", text, names, anyone, want.names, want.anyone)
		}
	}
}

// TestReconciles: who may write the status of widgets in example.com.
func TestReconciles(t *testing.T) {
	for text, want := range map[string]bool{
		"{apiGroups: [example.com], resources: [gadgets, widgets/status], verbs: [get, update]}": true,
		"{apiGroups: [a, example.com], resources: [widgets/status], verbs: [patch]}":             true,
		"{apiGroups: [example.com], resources: ['*/status'], verbs: ['*']}":                      true,
		"{apiGroups: [example.com], resources: ['*'], verbs: [update]}":                          true,
		"{apiGroups: [example.com], resources: [widgets/status], verbs: [get, create, delete]}":  false,
		"{apiGroups: [example.com], resources: [widgets], verbs: [update]}":                      false,
		"{apiGroups: [example.com], resources: [gadgets/status], verbs: [update]}":               false,
		"{apiGroups: [other.com], resources: [widgets/status], verbs: [update]}":                 false,
		"{apiGroups: ['*'], resources: ['*'], verbs: ['*']}":                                     false, // Argo CD itself
	} {
		if got := Reconciles(rule(t, text), "example.com", "widgets"); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestGrants: a role counts where its binding stands, a ClusterRole wherever it is bound.
func TestGrants(t *testing.T) {
	role := func(kind, namespace, name string) manifest.Object {
		return object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: `+kind+`, metadata: {name: `+name+namespace+`}, rules: [{resources: [`+name+`]}]}`)
	}
	binding := func(kind, namespace, ref, subject string) manifest.Object {
		return object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: `+kind+`, metadata: {name: b`+namespace+`}, roleRef: `+ref+`, subjects: [`+subject+`]}`)
	}
	const one, two = ", namespace: one", ", namespace: two"
	roles := []manifest.Object{role("Role", one, "r"), role("ClusterRole", "", "c")}
	for name, tt := range map[string]struct {
		binding manifest.Object
		who     Account
		where   string
		granted bool
	}{
		"a role in its namespace":          {binding("RoleBinding", one, "{kind: Role, name: r}", "{kind: ServiceAccount, name: a, namespace: one}"), Account{"one", "a"}, "one", true},
		"to an account of another":         {binding("RoleBinding", one, "{kind: Role, name: r}", "{kind: ServiceAccount, name: a, namespace: two}"), Account{"two", "a"}, "one", true},
		"a role of another namespace":      {binding("RoleBinding", two, "{kind: Role, name: r}", "{kind: ServiceAccount, name: a, namespace: two}"), Account{"two", "a"}, "", false},
		"a ClusterRole in one namespace":   {binding("RoleBinding", two, "{kind: ClusterRole, name: c}", "{kind: ServiceAccount, name: a, namespace: two}"), Account{"two", "a"}, "two", true},
		"a ClusterRole everywhere":         {binding("ClusterRoleBinding", "", "{kind: ClusterRole, name: c}", "{kind: ServiceAccount, name: a, namespace: two}"), Account{"two", "a"}, "", true},
		"an account without its namespace": {binding("RoleBinding", one, "{kind: Role, name: r}", "{kind: ServiceAccount, name: a}"), Account{"one", "a"}, "one", true},
		"a person of an account's name":    {binding("RoleBinding", one, "{kind: Role, name: r}", "{kind: User, name: a}"), Account{"one", "a"}, "", false},
	} {
		got := Grants(append(slices.Clone(roles), tt.binding))[tt.who]
		if (len(got) == 1) != tt.granted || tt.granted && got[0].Namespace != tt.where {
			t.Errorf("%s: %v", name, got)
		}
	}
}
