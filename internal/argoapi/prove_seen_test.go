package argoapi_test

import "testing"

// TestSeen states what becomes of kinds that argocd-cm keeps from Argo CD's sight: they are dropped without an error.
func TestSeen(t *testing.T) {
	web := workload("web", "0", "serviceAccountName: web") + object("ServiceAccount", "web", "0", "")
	settings := func(key, text string) map[string]any { return map[string]any{"resource." + key: text} }
	both := settings("inclusions", "- apiGroups: ['*']\n  kinds: [Deployment, ServiceAccount]\n")
	both["resource.exclusions"] = "- kinds: [ServiceAccount]\n"
	tests := map[string]scenario{
		"only what is included is seen":        {apps: []string{"- a\n" + web}, settings: settings("inclusions", "- apiGroups: [apps]\n"), want: "UNHEALTHY", notes: []string{"ServiceAccount team/web is never applied: Argo CD overlooks its kind"}, chain: []string{"runs pods under a ServiceAccount", "ServiceAccount team/web comes from nobody, since Argo CD overlooks that of Application a"}},
		"all that it needs is included":        {apps: []string{"- a\n" + web}, settings: settings("inclusions", "- apiGroups: ['', apps]\n"), want: "PROVEN", silent: []string{"overlooks"}},
		"included for another cluster":         {apps: []string{"- a\n" + web}, settings: settings("inclusions", "- apiGroups: [apps]\n  clusters: ['https://far']\n"), want: "PROVEN"},
		"included for this cluster":            {apps: []string{"- a\n" + web}, settings: settings("inclusions", "- apiGroups: [apps]\n  clusters: ['https://*']\n"), want: "UNHEALTHY"},
		"what is excluded goes before":         {apps: []string{"- a\n" + web}, settings: both, want: "UNHEALTHY"},
		"excluded on this cluster":             {apps: []string{"- a\n" + web}, settings: settings("exclusions", "- kinds: [ServiceAccount]\n  clusters: ['*']\n"), want: "UNHEALTHY"},
		"excluded on another cluster":          {apps: []string{"- a\n" + web}, settings: settings("exclusions", "- kinds: [ServiceAccount]\n  clusters: ['https://far']\n"), want: "PROVEN"},
		"Applications are not among the kinds": {apps: []string{"0 a\n" + web}, settings: settings("inclusions", "- apiGroups: ['', apps]\n"), want: "DEADLOCK", each: []string{"a DEADLOCK", "root PROVEN"}, chain: []string{"is never made: Application root would make it"}},
	}
	for name, s := range tests {
		s.given = []string{team}
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestLines states what one folder is to two release lines of Argo CD.
func TestLines(t *testing.T) {
	last, balancer := object("ConfigMap", "last", "1", ""), object("CronJob", "c", "0", "spec: {}")
	kind := definition("0", "example.com", "Widget", "widgets", "Namespaced")
	slice := object("EndpointSlice", "e", "0", "")
	skip := []string{"0 a\n" + operator("op", "0", "example.com", "widgets"), "0 b SkipDryRunOnMissingResource=true\n" + object("Widget", "w", "0", ""), "0 c\n" + kind}
	off := []string{"0 a disabled\n" + last}
	tests := map[string]scenario{
		"switched off, and known":            {version: "3.1", apps: off, want: "DEADLOCK", each: []string{"a DEADLOCK"}},
		"switched off by a field not known":  {version: "3.0", apps: off, want: "PROVEN"},
		"the dry run is skipped":             {version: "3.1", apps: skip, want: "RETRY"},
		"the dry run is not skipped":         {version: "3.0", apps: skip, want: "RETRY", notes: []string{"kind Widget.example.com may not be served yet when the sync starts"}},
		"a CronJob with health":              {version: "3.2", apps: []string{"- a\n" + balancer + last}, want: "PROVEN"},
		"kinds overlooked as shipped":        {version: "3.0", apps: []string{"- a\n" + slice}, want: "PROVEN", notes: []string{"Argo CD overlooks its kind"}},
		"kinds overlooked as shipped, after": {version: "2.14", apps: []string{"- a\n" + slice}, want: "PROVEN", silent: []string{"Argo CD overlooks its kind"}},
	}
	for name, s := range tests {
		s.given = []string{team}
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestManagedNamespace states that a namespace whose labels are managed is a step of its own in every sync: the step behind it, if
// it holds a hook, is then waited for (gitops-engine pkg/sync/sync_context.go, autoCreateNamespace).
func TestManagedNamespace(t *testing.T) {
	web := object("Service", "web", "0", "spec: {type: LoadBalancer}") + object("ConfigMap", "hook", "Sync/0", "")
	runScenarios(t, map[string]scenario{
		"managed":                    {apps: []string{"- a managed\n" + web}, want: "DEADLOCK", chain: []string{"Service team/web waits for an address"}},
		"control: made, not managed": {apps: []string{"- a CreateNamespace=true\n" + web}, want: "UNHEALTHY"},
		"control: there already":     {apps: []string{"- a\n" + web}, given: []string{team}, want: "UNHEALTHY"},
		"control: managed, no hook":  {apps: []string{"- a managed\n" + object("Service", "web", "0", "spec: {type: LoadBalancer}")}, want: "UNHEALTHY"},
	})
}
