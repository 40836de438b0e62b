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
