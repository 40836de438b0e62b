package argoapi_test

import "testing"

// TestShared states what becomes of objects that two Applications apply.
func TestShared(t *testing.T) {
	shared := object("ConfigMap", "shared", "0", "")
	own := func(name string) string { return object("ConfigMap", name, "0", "") }
	const heal, refuse = "selfHeal ", "FailOnSharedResource=true "
	hook := object("ConfigMap", "shared", "PreSync/0", "")
	cut := "is applied by Application "
	tests := map[string]scenario{
		"neither heals: the first is robbed":  {apps: []string{"0 a\n" + shared, "1 b\n" + shared}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b PROVEN", "root UNHEALTHY"}, chain: []string{"ConfigMap team/shared " + cut + "b too"}},
		"side by side, nobody knows which":    {apps: []string{"0 a\n" + shared, "0 b\n" + shared}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b UNHEALTHY"}},
		"the one that heals keeps it":         {apps: []string{"0 a " + heal + "\n" + shared, "1 b\n" + shared}, want: "UNHEALTHY", each: []string{"a PROVEN", "b UNHEALTHY"}},
		"both heal and fight":                 {apps: []string{"0 a " + heal + "\n" + shared, "1 b " + heal + "\n" + shared}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b UNHEALTHY"}},
		"a Namespace of two":                  {apps: []string{"0 a\n" + object("Namespace", "x", "0", ""), "1 b\n" + object("Namespace", "x", "0", "")}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b PROVEN"}},
		"the second refuses to share":         {apps: []string{"0 a\n" + shared, "1 b " + refuse + "\n" + shared + own("b")}, want: "FAILS", each: []string{"b FAILS"}, chain: []string{cut}},
		"the first refuses to share":          {apps: []string{"0 a " + refuse + "\n" + shared, "1 b\n" + shared}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b PROVEN"}},
		"side by side, one refuses":           {apps: []string{"0 a " + refuse + "\n" + shared, "0 b\n" + shared}, want: "FAILS", each: []string{"a FAILS"}},
		"the first refuses and heals":         {apps: []string{"0 a " + heal + refuse + "\n" + shared, "1 b " + heal + "\n" + shared}, want: "FAILS", each: []string{"a FAILS", "b PROVEN", "root UNHEALTHY"}},
		"a wave that has seen it has passed":  {apps: []string{"0 a\n" + shared, "1 b\n" + shared, "2 c\n" + own("c")}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b PROVEN", "c PROVEN", "root UNHEALTHY"}, notes: []string{"the next sync waits for Application.argoproj.io argocd/a for ever"}},
		"a wave that may come too late":       {apps: []string{"0 a\n" + shared, "0 b\n" + shared, "1 c\n" + own("c")}, want: "DEADLOCK", each: []string{"a UNHEALTHY", "b UNHEALTHY", "c DEADLOCK", "root DEADLOCK"}, notes: []string{"may be out of sync before the wave that waits for it has looked"}},
		"the second is robbed as it waits":    {apps: []string{"0 a " + heal + "\n" + shared, "1 b\n" + shared, "2 c\n" + own("c")}, want: "DEADLOCK", each: []string{"a PROVEN", "b UNHEALTHY", "c DEADLOCK", "root DEADLOCK"}},
		"both heal, and waves pass in turn":   {apps: []string{"0 a " + heal + "\n" + shared, "1 b " + heal + "\n" + shared, "2 c\n" + own("c")}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b UNHEALTHY", "c PROVEN", "root UNHEALTHY"}},
		"a script that asks for health alone": {apps: []string{"0 a\n" + shared, "0 b\n" + shared, "1 c\n" + own("c")}, settings: early(""), silent: []string{"it waits for ever"}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b UNHEALTHY", "c PROVEN", "root PROVEN"}},
		"no script at all":                    {apps: []string{"0 a\n" + shared, "1 b\n" + shared}, noHealth: true, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b UNHEALTHY", "root PROVEN"}},
		"on 2.14":                             {version: "2.14", apps: []string{"0 a\n" + shared, "1 b\n" + shared}, want: "UNHEALTHY", each: []string{"a UNHEALTHY", "b PROVEN", "root UNHEALTHY"}},
		"control: nothing is shared":          {apps: []string{"0 a " + refuse + "\n" + own("a"), "1 b " + refuse + "\n" + own("b")}, want: "PROVEN"},
		"control: hooks do not count":         {apps: []string{"0 a\n" + hook, "1 b\n" + hook}, want: "PROVEN"},
		"control: a hook and an object":       {apps: []string{"0 a\n" + hook, "1 b\n" + shared}, want: "PROVEN"},
		"control: an object and a hook":       {apps: []string{"0 a\n" + shared, "1 b\n" + hook}, want: "PROVEN"},
		"control: the other never gets there": {apps: []string{"0 a\n" + shared, "1 b\n" + shared + object("Widget", "w", "0", "")}, want: "FAILS", each: []string{"a PROVEN", "b FAILS"}},
		"control: on two clusters":            {apps: []string{"0 a server=https://a\n" + shared, "1 b server=https://b\n" + shared}, given: []string{"cluster https://a", "cluster https://b"}, want: "PROVEN"},
		"control: nobody syncs the other":     {apps: []string{"0 a\n" + shared, "1 b manual\n" + shared}, want: "DEADLOCK", each: []string{"a PROVEN", "b DEADLOCK"}},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}
