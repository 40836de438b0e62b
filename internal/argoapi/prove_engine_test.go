package argoapi_test

import (
	"strings"
	"testing"
)

// TestEngine states what the engine and the project do to a sync that no case of the users' reports shows.
func TestEngine(t *testing.T) {
	last := object("ConfigMap", "last", "9", "")
	project := func(spec string) string {
		return "- projects\n{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: default, namespace: argocd}, spec: {destinations: [{server: '*', namespace: '*'}], " + spec + "}}"
	}
	web := func(options string) string { return "- web " + options + "\n" + workload("web", "0", "") }
	hook := func(kind, name, policy string) string {
		api := map[string]string{"ServiceAccount": "v1", "Secret": "v1"}[kind]
		return "{apiVersion: " + api + ", kind: " + kind + ", metadata: {name: " + name + ", namespace: team, annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: " + policy + "}}}\n---\n"
	}
	under := func(name string) string { return workload("web", "0", "serviceAccountName: "+name) }
	set := func(kind, steps string) string {
		return "{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: fleet, namespace: argocd}, spec: {strategy: {type: " + kind + ", rollingSync: {steps: [" + steps + "]}}}}\n---\n"
	}
	first, second := "{matchExpressions: [{key: stage, operator: In, values: [first]}]}", "{matchExpressions: [{key: stage, operator: In, values: [second]}]}"
	made := []string{"set:fleet web label=stage:first\n" + object("Service", "web", "0", "spec: {type: LoadBalancer}"), "set:fleet next label=stage:second\n" + workload("next", "0", "")}
	scaled := object("HorizontalPodAutoscaler", "web", "0", "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}") +
		object("Deployment", "web", "0", "spec: {replicas: 2, template: {spec: {containers: []}}}")
	runScenarios(t, map[string]scenario{
		"a repository that the project does not allow":       {apps: []string{project("sourceRepos: ['https://git.example.org/*']"), web("")}, repo: "https://git.example.com/fleet.git", given: []string{team}, want: "FAILS", each: []string{"web FAILS"}, chain: []string{"reads from https://git.example.com/fleet.git, which the AppProject default does not allow"}},
		"a repository that it allows":                        {apps: []string{project("sourceRepos: ['https://git.example.com/*']"), web("")}, repo: "https://git.example.com/fleet.git", given: []string{team}, want: "PROVEN"},
		"a repository that is still to be filled in":         {apps: []string{project("sourceRepos: ['https://git.example.com/*']"), web("")}, repo: "${GIT}/fleet.git", given: []string{team}, want: "UNKNOWN", axiom: "repository ${GIT}/fleet.git", chain: []string{"is a placeholder: fill it in"}},
		"one that is, and is given":                          {apps: []string{project("sourceRepos: ['https://git.example.com/*']"), web("")}, repo: "${GIT}/fleet.git", given: []string{team, "repository ${GIT}/fleet.git"}, want: "PROVEN"},
		"one that is, where all may be read":                 {apps: []string{project("sourceRepos: ['*']"), web("")}, repo: "${GIT}/fleet.git", given: []string{team}, want: "PROVEN"},
		"a repository that it takes away":                    {apps: []string{project("sourceRepos: ['*', '!https://git.example.com/fleet']"), web("")}, repo: "https://git.example.com/fleet.git", given: []string{team}, want: "FAILS"},
		"a namespace that the project does not let it make":  {apps: []string{project("sourceRepos: ['*']"), web("CreateNamespace=true")}, want: "FAILS", chain: []string{"is to go into a namespace that the sync makes (CreateNamespace=true), which the AppProject default does not allow"}},
		"a namespace that it lets it make":                   {apps: []string{project("sourceRepos: ['*'], clusterResourceWhitelist: [{group: '', kind: Namespace}]"), web("CreateNamespace=true")}, want: "PROVEN"},
		"a hook that another Application needs":              {apps: []string{"0 a\n" + hook("ServiceAccount", "sa", "BeforeHookCreation") + last, "1 b\n" + under("sa") + object("ConfigMap", "end", "9", "")}, given: []string{team}, want: "PROVEN"},
		"one that is deleted when its sync has succeeded":    {apps: []string{"0 a\n" + hook("ServiceAccount", "sa", "HookSucceeded") + last, "1 b\n" + under("sa") + object("ConfigMap", "end", "9", "")}, given: []string{team}, want: "DEADLOCK", each: []string{"a PROVEN"}, chain: []string{"Deployment.apps team/web runs pods under a ServiceAccount", "is a hook of Application a, which deletes it once its sync has succeeded"}},
		"one that its own sync needs":                        {apps: []string{"- a\n" + hook("ServiceAccount", "sa", "HookSucceeded") + under("sa") + last}, given: []string{team}, want: "PROVEN"},
		"one that its own sync needs, and does not wait for": {apps: []string{"- a\n" + hook("ServiceAccount", "sa", "HookSucceeded") + under("sa")}, given: []string{team}, want: "UNHEALTHY", chain: []string{"is a hook of Application a, which deletes it once its sync has succeeded, as soon as the last step is applied"}},
		"one that stays, and is not waited for":              {apps: []string{"- a\n" + hook("ServiceAccount", "sa", "BeforeHookCreation") + under("sa")}, given: []string{team}, want: "PROVEN"},
		"one that stays if it fails":                         {apps: []string{"- a\n" + hook("ServiceAccount", "sa", "HookFailed") + under("sa")}, given: []string{team}, want: "PROVEN"},
		"another hook waits before it goes":                  {apps: []string{"- a\n" + hook("ServiceAccount", "sa", "HookSucceeded") + under("sa") + strings.Replace(hook("Secret", "end", "HookSucceeded"), "PreSync", "Sync", 1)}, given: []string{team}, want: "PROVEN"},
		"another object of that name stays":                  {apps: []string{"- a\n" + hook("ServiceAccount", "sa", "HookSucceeded") + under("sa"), "- b\n" + object("ServiceAccount", "sa", "0", "")}, given: []string{team}, want: "PROVEN"},
		"somebody else brings it":                            {apps: []string{"- a\n" + hook("ServiceAccount", "sa", "HookSucceeded") + under("sa")}, given: []string{team, "ServiceAccount team/sa"}, want: "PROVEN"},
		"a Secret whose keys are read": {
			apps:  []string{"- a\n" + strings.Replace(hook("Secret", "login", "HookSucceeded"), "}}}", "}}, stringData: {k: v}}", 1) + workload("web", "0", "containers: [{name: c, image: i, env: [{name: K, valueFrom: {secretKeyRef: {name: login, key: k}}}]}]")},
			given: nobodyElse, want: "UNHEALTHY", chain: []string{"which deletes it once its sync has succeeded, as soon as"},
		},
		"a rolling sync takes Applications of no step nowhere": {root: set("RollingSync", first), apps: []string{"set:fleet web label=stage:first\n" + workload("web", "0", ""), "set:fleet next label=stage:second\n" + workload("next", "0", "")}, given: []string{team}, want: "DEADLOCK", each: []string{"web PROVEN", "next DEADLOCK"}, chain: []string{"no step of ApplicationSet fleet takes it"}},
		"a later step waits for an earlier one":                {root: set("RollingSync", first+", "+second), apps: made, given: []string{team}, want: "DEADLOCK", each: []string{"web UNHEALTHY", "next DEADLOCK"}, chain: []string{"next is of a later step of ApplicationSet fleet than web, which is not Synced and Healthy", "Service team/web waits for an address"}},
		"without the strategy all start together":              {root: set("AllAtOnce", first+", "+second), apps: made, given: []string{team}, want: "UNHEALTHY", each: []string{"next PROVEN"}},
		"the strategy is off in the Argo CD that is here":      {root: set("RollingSync", first+", "+second) + "{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cmd-params-cm, namespace: argocd}}\n---\n", apps: made, given: []string{team}, want: "UNHEALTHY", each: []string{"next PROVEN"}},
		"an earlier step is there for a later one":             {root: set("RollingSync", first+", "+second), apps: []string{"set:fleet a label=stage:first\n" + object("ServiceAccount", "sa", "0", ""), "set:fleet b label=stage:second\n" + under("sa") + last}, given: []string{team}, want: "PROVEN"},
		"replicas that an autoscaler writes":                   {apps: []string{"- a\n" + scaled}, given: []string{team}, want: "PROVEN", notes: []string{"Deployment.apps team/web will drift: field spec.replicas, written by HorizontalPodAutoscaler.autoscaling team/web"}},
		"rules that are aggregated":                            {apps: []string{"- a\n" + object("ClusterRole", "r", "0", "aggregationRule: {clusterRoleSelectors: []}, rules: [{verbs: [get]}]")}, want: "PROVEN", notes: []string{"ClusterRole.rbac.authorization.k8s.io r will drift: field rules"}},
	})
}
