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
