package argoapi_test

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// TestImpersonation states what a sync in the name of a ServiceAccount needs (argo-cd controller/sync.go, deriveServiceAccountToImpersonate).
func TestImpersonation(t *testing.T) {
	on := map[string]any{argocd.ImpersonationKey: "true"}
	to := func(list string) string { return tenant("destinationServiceAccounts: [" + list + "]") }
	const entry = "{server: '*', namespace: team, defaultServiceAccount: sync}"
	role := func(kind, name, rules string) string { return object(kind, name, "0", "rules: ["+rules+"]") }
	bind := func(kind, of, name, subject string) string {
		return object(kind, "sync", "0", "roleRef: {kind: "+of+", name: "+name+"}, subjects: ["+subject+"]")
	}
	const account, all = "{kind: ServiceAccount, name: sync, namespace: team}", "{apiGroups: ['*'], resources: ['*'], verbs: ['*']}"
	const maps = "{apiGroups: [''], resources: [configmaps], verbs: [get, create, patch]}"
	app := "app project=tenant\n" + object("ConfigMap", "last", "0", "")
	fleet := func(objects string) []string { return []string{"0 rbac\n" + objects, "1 " + app} }
	clusterRole := func(rules string) string {
		return role("ClusterRole", "sync", rules) + bind("ClusterRoleBinding", "ClusterRole", "sync", account)
	}
	projects := to(entry) + "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: default, namespace: argocd}, spec: {sourceRepos: ['*'], destinations: [{server: '*', namespace: '*'}], clusterResourceWhitelist: [{group: '*', kind: '*'}], destinationServiceAccounts: [{server: '*', namespace: '*', defaultServiceAccount: 'argocd:admin'}]}}\n---\n"
	const admin = "permission argocd/admin"
	nobody := []string{"- " + app}
	tests := map[string]scenario{
		"off":                                 {apps: nobody, settings: map[string]any{}, projects: to(""), want: "PROVEN"},
		"no entry":                            {apps: nobody, projects: to(""), want: "FAILS", chain: []string{"no entry of destinationServiceAccounts of AppProject tenant is for namespace team"}},
		"an entry for another namespace":      {apps: nobody, projects: to("{server: '*', namespace: prod, defaultServiceAccount: sync}"), want: "FAILS"},
		"an entry without an account":         {apps: nobody, projects: to("{server: '*', namespace: team, defaultServiceAccount: ' '}"), want: "FAILS"},
		"the first entry counts":              {apps: nobody, projects: to("{server: '*', namespace: '*', defaultServiceAccount: a}, " + entry), want: "UNKNOWN", axiom: "permission team/a"},
		"roles that are not here":             {apps: nobody, projects: to(entry), want: "UNKNOWN", axiom: "permission team/sync", chain: []string{"is applied in the name of the ServiceAccount team/sync, which must be allowed to"}},
		"an account of another namespace":     {apps: nobody, projects: to("{server: '*', namespace: team, defaultServiceAccount: 'ops:sync'}"), want: "UNKNOWN", axiom: "permission ops/sync"},
		"it is stated":                        {apps: nobody, projects: to(entry), given: []string{"permission team/sync"}, want: "PROVEN"},
		"a role for all":                      {apps: fleet(clusterRole(all)), projects: projects, given: []string{admin}, want: "PROVEN"},
		"a role for it":                       {apps: fleet(clusterRole(maps)), projects: projects, given: []string{admin}, want: "PROVEN"},
		"a role for others":                   {apps: fleet(clusterRole("{apiGroups: [''], resources: [secrets], verbs: ['*']}")), projects: projects, given: []string{admin}, want: "FAILS", chain: []string{"no role that is bound to it here lets it create one"}},
		"a role that only reads":              {apps: fleet(clusterRole("{apiGroups: [''], resources: [configmaps], verbs: [get, list]}")), projects: projects, given: []string{admin}, want: "FAILS"},
		"a role for those that it names":      {apps: fleet(clusterRole("{apiGroups: [''], resources: [configmaps], resourceNames: [last], verbs: [create]}")), projects: projects, given: []string{admin}, want: "FAILS"},
		"a role of the namespace":             {apps: fleet(role("Role", "sync", maps) + bind("RoleBinding", "Role", "sync", account)), projects: projects, given: []string{admin}, want: "PROVEN"},
		"a role that is not here":             {apps: fleet(bind("ClusterRoleBinding", "ClusterRole", "cluster-admin", account)), projects: projects, given: []string{admin}, want: "PROVEN"},
		"a group that it is in":               {apps: fleet(role("ClusterRole", "sync", maps) + bind("ClusterRoleBinding", "ClusterRole", "sync", "{kind: Group, name: 'system:serviceaccounts:team'}")), projects: projects, given: []string{admin}, want: "PROVEN"},
		"another's binding":                   {apps: fleet(role("ClusterRole", "sync", maps) + bind("ClusterRoleBinding", "ClusterRole", "sync", "{kind: ServiceAccount, name: sync, namespace: prod}")), projects: projects, given: []string{admin}, want: "UNKNOWN"},
		"a role that comes with the objects":  {apps: []string{"- app project=tenant\n" + object("ConfigMap", "last", "1", "") + role("ClusterRole", "sync", all) + bind("ClusterRoleBinding", "ClusterRole", "sync", account)}, projects: to(entry), want: "DEADLOCK"},
		"a role that comes after the objects": {apps: []string{"1 rbac\n" + clusterRole(all), "0 " + app}, projects: projects, given: []string{admin}, want: "DEADLOCK"},
	}
	for name, s := range tests {
		if s.settings == nil {
			s.settings = on
		}
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestOwnRoles states what an Argo CD may apply whose own roles are among the objects (argo-cd manifests/namespace-install).
func TestOwnRoles(t *testing.T) {
	const argo = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: argocd-application-controller, namespace: argocd}, spec: {template: {spec: {serviceAccountName: ctl, containers: [{name: c, image: i, args: [argocd-application-controller]}]}}}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: ctl, namespace: argocd}}
---
`
	role := func(kind, namespace, rules string) string {
		meta := "{name: ctl" + namespace + "}"
		return "{apiVersion: rbac.authorization.k8s.io/v1, kind: " + kind + ", metadata: " + meta + ", rules: [" + rules + "]}\n---\n" +
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: " + kind + "Binding, metadata: " + meta + ", roleRef: {kind: " + kind + ", name: ctl}, subjects: [{kind: ServiceAccount, name: ctl, namespace: argocd}]}\n---\n"
	}
	apps := func(roles string) []string {
		return []string{"0 argocd\n" + argo + roles, "1 web\n" + object("ConfigMap", "last", "0", "")}
	}
	own := role("Role", ", namespace: argocd", "{apiGroups: [argoproj.io], resources: [applications], verbs: ['*']}")
	const all, maps = "{apiGroups: ['*'], resources: ['*'], verbs: ['*']}", "{apiGroups: [''], resources: [configmaps], verbs: ['*']}"
	runScenarios(t, map[string]scenario{
		"the whole cluster":             {apps: apps(own + role("ClusterRole", "", all)), given: []string{team}, want: "PROVEN"},
		"its own namespace":             {apps: apps(own), given: []string{team}, want: "UNKNOWN", axiom: "permission argocd/ctl", each: []string{"web UNKNOWN", "argocd PROVEN"}},
		"it is stated that it may more": {apps: apps(own), given: []string{team, "permission argocd/ctl"}, want: "PROVEN"},
		"another namespace":             {apps: apps(own + role("Role", ", namespace: team", maps)), given: []string{team}, want: "PROVEN"},
		"another kind":                  {apps: apps(own + role("ClusterRole", "", "{apiGroups: [apps], resources: ['*'], verbs: ['*']}")), given: []string{team}, want: "UNKNOWN", chain: []string{"ConfigMap team/last is applied by Argo CD, whose ServiceAccount argocd/ctl no role that is bound to it here lets create one"}},
		"this kind":                     {apps: apps(own + role("ClusterRole", "", maps)), given: []string{team}, want: "PROVEN"},
		"roles that are not here":       {apps: apps(""), given: []string{team}, want: "PROVEN"},
		"a role that is not here":       {apps: apps(own + "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: more}, roleRef: {kind: ClusterRole, name: cluster-admin}, subjects: [{kind: ServiceAccount, name: ctl, namespace: argocd}]}\n---\n"), given: []string{team}, want: "PROVEN"},
		"an Argo CD of another cluster": {apps: []string{"0 argocd server=https://far\n{apiVersion: v1, kind: Namespace, metadata: {name: argocd}}\n---\n" + argo + own, "1 web\n" + object("ConfigMap", "last", "0", "")}, given: []string{team, "cluster https://far"}, want: "PROVEN"},
	})
}
