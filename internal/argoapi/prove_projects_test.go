package argoapi_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v2/pkg/apis/application/v1alpha1"
	"sigs.k8s.io/yaml"

	"github.com/coldstart-gitops/gen/internal/coldstart"
)

// tenant is an AppProject that is there before the start; it allows everything but what spec says otherwise.
func tenant(spec string) string {
	all := map[string]string{"sourceRepos": "['*']", "destinations": "[{server: '*', namespace: '*'}]", "clusterResourceWhitelist": "[{group: '*', kind: '*'}]"}
	for key, value := range all {
		if !strings.Contains(spec, key+":") {
			spec += ", " + key + ": " + value
		}
	}
	return "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: tenant, namespace: argocd}, spec: {" + strings.TrimPrefix(spec, ", ") + "}}\n---\n"
}

// TestSyncWindows states when the windows of a project let an Application be synced (argo-cd SyncWindows.CanSync).
func TestSyncWindows(t *testing.T) {
	last := object("ConfigMap", "last", "0", "")
	windows := func(list ...string) string { return tenant("syncWindows: [" + strings.Join(list, ", ") + "]") }
	window := func(kind, schedule, duration, more string) string {
		return fmt.Sprintf("{kind: %s, schedule: %q, duration: %s, %s}", kind, schedule, duration, more)
	}
	app, hand := []string{"- app project=tenant\n" + last}, []string{"- app project=tenant manual\n" + last}
	allApps := "applications: ['*']"
	nightly := window("allow", "0 22 * * *", "8h", allApps)
	tests := map[string]scenario{
		"a denial at all times":                 {apps: app, projects: windows(window("deny", "* * * * *", "1h", allApps)), want: "DEADLOCK", chain: []string{"is never synced by itself: the sync windows of AppProject tenant (deny * * * * * for 1h) let nothing through"}},
		"a denial of every whole day":           {apps: app, projects: windows(window("deny", "0 0 * * *", "24h", allApps)), want: "DEADLOCK"},
		"a denial for an hour a day":            {apps: app, projects: windows(window("deny", "0 3 * * *", "1h", allApps)), want: "UNKNOWN", axiom: "sync-window app"},
		"the hour is given":                     {apps: app, projects: windows(window("deny", "0 3 * * *", "1h", allApps)), given: []string{"sync-window app"}, want: "PROVEN"},
		"an allowance for the night":            {apps: app, projects: windows(nightly), want: "UNKNOWN", axiom: "sync-window app"},
		"an allowance at all times beside it":   {apps: app, projects: windows(nightly, window("allow", "* * * * *", "1h", allApps)), want: "PROVEN"},
		"an allowance that lasts no time":       {apps: app, projects: windows(window("allow", "0 22 * * *", "0s", allApps)), want: "DEADLOCK"},
		"an allowance of a month in five":       {apps: app, projects: windows(window("allow", "0 0 29 2 *", "24h", allApps)), want: "UNKNOWN"},
		"a day that never comes counts as open": {apps: app, projects: windows(window("allow", "0 0 30 2 *", "1h", allApps)), want: "PROVEN"},
		"a denial wins":                         {apps: app, projects: windows(window("allow", "* * * * *", "1h", allApps), window("deny", "* * * * *", "1h", allApps)), want: "DEADLOCK"},
		"two allowances for a whole day":        {apps: app, projects: windows(window("allow", "0 0 * * *", "12h", allApps), window("allow", "0 12 * * *", "12h", allApps)), want: "PROVEN"},
		"two that leave an hour":                {apps: app, projects: windows(window("allow", "0 0 * * *", "12h", allApps), window("allow", "0 13 * * *", "11h", allApps)), want: "UNKNOWN"},
		"two that reach over midnight":          {apps: app, projects: windows(window("allow", "0 6 * * *", "16h", allApps), window("allow", "0 20 * * *", "11h", allApps)), want: "PROVEN"},
		"working days and weekends":             {apps: app, projects: windows(window("allow", "0 0 * * 1-5", "24h", allApps), window("allow", "0 0 * * 0,6", "24h", allApps)), want: "PROVEN"},
		"working days, and Sundays":             {apps: app, projects: windows(window("allow", "0 0 * * 1-5", "24h", allApps), window("allow", "0 0 * * 0", "24h", allApps)), want: "UNKNOWN"},
		"months and the other months":           {apps: app, projects: windows(window("allow", "0 0 * 1-6 *", "24h", allApps), window("allow", "0 0 * 7-12 *", "24h", allApps)), want: "PROVEN"},
		"two denials of a whole day":            {apps: app, projects: windows(window("deny", "0 0 * * *", "12h", allApps), window("deny", "0 12 * * *", "12h", allApps)), want: "DEADLOCK"},
		"two denials of half a day":             {apps: app, projects: windows(window("deny", "0 0 * * *", "6h", allApps), window("deny", "0 12 * * *", "6h", allApps)), want: "UNKNOWN"},
		"a denial while it is allowed":          {apps: app, projects: windows(nightly, window("deny", "0 21 * * *", "10h", allApps)), want: "DEADLOCK"},
		"a denial while it is not allowed":      {apps: app, projects: windows(nightly, window("deny", "0 9 * * *", "2h", allApps)), want: "UNKNOWN"},
		"a denial beside a whole day":           {apps: app, projects: windows(window("allow", "0 0 * * *", "24h", allApps), window("deny", "0 9 * * *", "2h", allApps)), want: "UNKNOWN"},
		"an allowance that lasts for days":      {apps: app, projects: windows(window("allow", "0 0 * * 1", "168h", allApps)), want: "PROVEN"},
		"halves in one time zone":               {apps: app, projects: windows(window("allow", "0 0 * * *", "12h", allApps+", timeZone: Europe/Paris"), window("allow", "0 12 * * *", "12h", allApps+", timeZone: Europe/Paris")), want: "PROVEN"},
		"halves in two time zones":              {apps: app, projects: windows(window("allow", "0 0 * * *", "12h", allApps+", timeZone: Europe/Paris"), window("allow", "0 12 * * *", "12h", allApps+", timeZone: America/New_York")), want: "UNKNOWN"},
		"a schedule that is none":               {apps: app, projects: windows(window("allow", "every day", "1h", allApps)), want: "DEADLOCK", chain: []string{"whose schedule \"every day\""}},
		"a duration that is none":               {apps: app, projects: windows(window("deny", "0 0 * * *", "a day", allApps)), want: "DEADLOCK"},
		"about others":                          {apps: app, projects: windows(window("deny", "* * * * *", "1h", "applications: ['web*'], namespaces: [prod], clusters: [far]")), want: "PROVEN"},
		"about its namespace":                   {apps: app, projects: windows(window("deny", "* * * * *", "1h", "namespaces: ['te*']")), want: "DEADLOCK"},
		"about its cluster":                     {apps: []string{"- app project=tenant server=https://kubernetes.default.svc\n" + last}, projects: windows(window("deny", "* * * * *", "1h", "clusters: ['https://kubernetes.*']")), want: "DEADLOCK"},
		"both lists are asked":                  {apps: app, projects: windows(window("deny", "* * * * *", "1h", "applications: ['*'], namespaces: [prod], andOperator: true")), want: "PROVEN"},
		"2.14 asks for one of them":             {version: "2.14", apps: app, projects: windows(window("deny", "* * * * *", "1h", "applications: ['*'], namespaces: [prod], andOperator: true")), want: "DEADLOCK"},
		"by hand, which it does not let":        {apps: hand, projects: windows(window("deny", "* * * * *", "1h", allApps)), want: "DEADLOCK"},
		"by hand, which it lets":                {apps: hand, projects: windows(window("deny", "* * * * *", "1h", allApps+", manualSync: true")), want: "PROVEN"},
		"a child holds its parent": {
			apps: []string{"0 app project=tenant\n" + last, "1 next\n" + last}, projects: windows(window("deny", "* * * * *", "1h", allApps)), want: "DEADLOCK",
			each: []string{"app DEADLOCK", "next DEADLOCK", "root DEADLOCK"},
		},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestForeignNamespaces states when Argo CD looks at Applications outside of its own namespace.
func TestForeignNamespaces(t *testing.T) {
	last := object("ConfigMap", "last", "0", "")
	apps := []string{"0 app project=tenant in=apps-web\n" + last}
	flags := func(data string) string {
		return "{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cmd-params-cm, namespace: argocd}, data: {" + data + "}}\n---\n"
	}
	on, welcome := flags("application.namespaces: 'a, apps-*'"), tenant("sourceNamespaces: ['apps-*']")
	given := []string{team, "namespace apps-web"}
	runScenarios(t, map[string]scenario{
		"nobody knows whether it looks there": {apps: apps, projects: welcome, given: given, want: "UNKNOWN", axiom: "application-namespace apps-web"},
		"given":                               {apps: apps, projects: welcome, given: append(given, "application-namespace apps-web"), want: "PROVEN"},
		"it does":                             {apps: apps, projects: welcome, root: on, given: given, want: "PROVEN"},
		"it does, by a regular expression":    {apps: apps, projects: tenant("sourceNamespaces: ['/^apps-/']"), root: flags("application.namespaces: '/apps-(web|db)/'"), given: given, want: "PROVEN"},
		"it does not":                         {apps: apps, projects: welcome, root: flags("application.namespaces: other"), given: given, want: "DEADLOCK", each: []string{"app DEADLOCK"}, chain: []string{"is in namespace apps-web, where Argo CD looks for no Applications"}},
		"its flags say nothing":               {apps: apps, projects: welcome, root: flags(""), given: given, want: "DEADLOCK"},
		"the project does not take it":        {apps: apps, projects: tenant("sourceNamespaces: [other]"), root: on, given: given, want: "FAILS", each: []string{"app FAILS", "root UNHEALTHY"}, chain: []string{"is in namespace apps-web, which is not among the sourceNamespaces of AppProject tenant"}},
		"nor does Argo CD's own project":      {apps: []string{"0 app in=apps-web\n" + last}, root: on, given: given, want: "FAILS", each: []string{"app FAILS"}},
		"two of one name": {
			apps: []string{"0 app project=tenant in=apps-web\n" + last, "1 app\n" + workload("w", "0", "nodeSelector: {disk: none}")}, projects: welcome, root: on, given: given,
			want: "UNKNOWN", each: []string{"apps-web/app PROVEN", "argocd/app UNKNOWN"}, axiom: "node disk=none",
		},
		"a mark under which Argo CD does not look": {apps: []string{"0 app argocd.argoproj.io/skip-reconcile=true\n" + last}, given: given, want: "DEADLOCK", chain: []string{"is not looked at"}},
	})
}

// TestPermissions states what a project keeps an Application from, beside what TestEngine has.
func TestPermissions(t *testing.T) {
	last := object("ConfigMap", "last", "0", "")
	role := object("ClusterRole", "reader", "0", "")
	quota := object("ResourceQuota", "q", "0", "spec: {hard: {}}")
	secret := "{apiVersion: v1, kind: Secret, metadata: {name: far, namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster}}, stringData: {name: far, server: 'https://far'}}\n---\n"
	app := func(words, objects string) []string {
		return []string{"- app project=tenant " + words + "\n" + objects}
	}
	tests := map[string]scenario{
		"a place that it does not allow":        {apps: app("", last), projects: tenant("destinations: [{server: '*', namespace: other}]"), want: "FAILS", chain: []string{"goes to namespace team of in-cluster, which the AppProject tenant does not allow"}},
		"the cluster by its name":               {apps: app("", last), projects: tenant("destinations: [{name: in-cluster, namespace: '*'}]"), want: "PROVEN"},
		"another cluster":                       {apps: app("", last), projects: tenant("destinations: [{name: far, namespace: '*'}]"), want: "FAILS"},
		"a name that it takes away":             {apps: app("", last), projects: tenant("destinations: [{name: '!in-*', namespace: '*'}, {server: '*', namespace: '*'}]"), want: "FAILS"},
		"a server that it takes away":           {apps: app("", last), projects: tenant("destinations: [{server: '!https://kubernetes.default.svc', namespace: '*'}, {server: '*', namespace: '*'}]"), want: "FAILS"},
		"all servers but another one":           {apps: app("", last), projects: tenant("destinations: [{server: '!https://far', namespace: '*'}]"), want: "PROVEN"},
		"a namespace that it takes away":        {apps: app("", last), projects: tenant("destinations: [{server: '*', namespace: '!te*'}, {server: '*', namespace: '*'}]"), want: "FAILS"},
		"a cluster by another half than stated": {apps: app("name=far", last), projects: tenant("destinations: [{server: 'https://far', namespace: '*'}]"), given: []string{"cluster far"}, want: "PROVEN"},
		"the half is known, and another":        {root: secret, apps: []string{"0 app project=tenant name=far\n" + last}, projects: tenant("destinations: [{server: 'https://near', namespace: '*'}]"), want: "FAILS", each: []string{"app FAILS", "root UNHEALTHY"}},
		"the half is known":                     {root: secret, apps: []string{"0 app project=tenant name=far\n" + last}, projects: tenant("destinations: [{server: 'https://far', namespace: '*'}]"), given: []string{"cluster far"}, want: "PROVEN"},
		"a repository below a folder":           {apps: app("", last), repo: "https://git.example.com/a/b/fleet.git", projects: tenant("sourceRepos: ['https://git.example.com/*']"), want: "FAILS"},
		"a repository below any folder":         {apps: app("", last), repo: "https://git.example.com/a/b/fleet.git", projects: tenant("sourceRepos: ['https://git.example.com/**']"), want: "PROVEN"},
		"a repository by ssh":                   {apps: app("", last), repo: "git@git.example.com:a/Fleet.git", projects: tenant("sourceRepos: ['ssh://git@git.example.com/a/fleet']"), want: "PROVEN"},
		"a kind that it takes away":             {apps: app("", quota), projects: tenant("namespaceResourceBlacklist: [{group: '', kind: ResourceQuota}]"), want: "FAILS", chain: []string{"is of a kind that the AppProject tenant does not allow"}},
		"a kind that it does not list":          {apps: app("", quota), projects: tenant("namespaceResourceWhitelist: [{group: '', kind: ConfigMap}]"), want: "FAILS"},
		"an empty list":                         {apps: app("", last), projects: tenant("namespaceResourceWhitelist: []"), want: "FAILS"},
		"a cluster's kind that it takes away":   {apps: app("", role), projects: tenant("clusterResourceBlacklist: [{group: rbac.authorization.k8s.io, kind: '*'}]"), want: "FAILS"},
		"3.3 reads the names":                   {version: "3.3", apps: app("", role), projects: tenant("clusterResourceWhitelist: [{group: '*', kind: ClusterRole, name: 'app-*'}]"), want: "FAILS"},
		"3.2 knows no names":                    {apps: app("", role), projects: tenant("clusterResourceWhitelist: [{group: '*', kind: ClusterRole, name: 'app-*'}]"), want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestPermissionsAsArgoCD compares random projects with Argo CD's own code.
func TestPermissionsAsArgoCD(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	pick := func(list ...string) string { return list[random.Intn(len(list))] }
	repos := []string{"*", "https://git.example.com/*", "https://git.example.com/**", "!https://git.example.com/a/x", "git@git.example.com:a/x.git", "!*", "https://GIT.example.com/a/x.git", ""}
	servers := []string{"", "*", "https://kubernetes.default.svc", "!https://kubernetes.default.svc", "https://*", "!https://far"}
	names := []string{"", "", "*", "in-cluster", "!in-cluster", "in-*", "!far"}
	namespaces := []string{"*", "team", "!team", "te?m", "{team,prod}", "prod", "!prod", ""}
	refused := 0
	for i := range 3000 {
		var project v1alpha1.AppProject
		project.Name = "tenant"
		for range 1 + random.Intn(3) {
			project.Spec.SourceRepos = append(project.Spec.SourceRepos, pick(repos...))
			project.Spec.Destinations = append(project.Spec.Destinations, v1alpha1.ApplicationDestination{Server: pick(servers...), Name: pick(names...), Namespace: pick(namespaces...)})
		}
		repo := pick("https://git.example.com/a/x.git", "https://git.example.com/x", "git@git.example.com:a/x.git", "ssh://git@git.example.com/a/x")
		to := v1alpha1.ApplicationDestination{Server: "https://kubernetes.default.svc", Name: "in-cluster", Namespace: pick("team", "prod")}
		place, err := project.IsDestinationPermitted(to, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := place && project.IsSourcePermitted(v1alpha1.ApplicationSource{RepoURL: repo})
		text, err := yaml.Marshal(&project)
		if err != nil {
			t.Fatal(err)
		}
		in := scenario{apps: []string{"- app project=tenant namespace=" + to.Namespace + "\n"}, repo: repo, projects: "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\n" + string(text)}.input(t)
		if got := coldstart.Prove(in).Verdict == coldstart.Proven; got != want {
			t.Fatalf("project %d: allowed %v, Argo CD says %v, for %s to %s:\n%s", i, got, want, repo, to.Namespace, text)
		}
		if !want {
			refused++
		}
	}
	if refused < 500 || refused > 2800 {
		t.Errorf("%d of 3000 refused: the sample says little", refused)
	}
}
