package argoapi_test

import "testing"

// TestHollow states what a wave that waits for an Application is worth where the health script hands its health on and asks for no Synced:
// what has never been synced is Healthy, but for missing objects of the kinds that count (argo-cd controller/health.go).
func TestHollow(t *testing.T) {
	crds := definition("0", "example.com", "Widget", "widgets", "Namespaced")
	service := object("Service", "s", "0", "spec: {ports: [{port: 80}]}")
	widget, last := object("Widget", "w", "0", ""), object("ConfigMap", "last", "0", "")
	hook := object("Job", "wait", "PreSync/0", "spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, envFrom: [{secretRef: {name: late}}]}]}}}")
	secret := object("Secret", "late", "0", "")
	docs := early("")
	delete(docs, "resource.customizations.health.apiextensions.k8s.io_CustomResourceDefinition")
	const gatesNothing = "gates nothing before it is synced"
	tests := map[string]scenario{
		"a kind of nothing but a CRD":            {apps: []string{"0 a\n" + crds, "1 b\n" + widget}, noHealth: true, settings: docs, want: "RETRY", each: []string{"a PROVEN", "b RETRY", "root PROVEN"}, notes: []string{gatesNothing}},
		"CRDs count on 2.14":                     {version: "2.14", apps: []string{"0 a\n" + crds, "1 b\n" + widget}, noHealth: true, settings: docs, want: "PROVEN", silent: []string{gatesNothing}},
		"on 2.14":                                {version: "2.14", apps: []string{"0 a\n" + hook + last, "1 b\n" + secret}, noHealth: true, settings: docs, want: "PROVEN", notes: []string{gatesNothing}},
		"who does not try again":                 {apps: []string{"0 a\n" + crds, "1 b limit=0\n" + widget}, noHealth: true, settings: docs, want: "FAILS", each: []string{"b FAILS"}, cure: "put a health script for Applications into argocd-cm that asks for Synced"},
		"a Service counts":                       {apps: []string{"0 a\n" + crds + service, "1 b\n" + widget}, noHealth: true, settings: docs, want: "PROVEN", silent: []string{gatesNothing}},
		"a Service of an earlier step does not":  {apps: []string{"0 a\n" + object("Service", "s", "-1", "spec: {ports: [{port: 80}]}") + crds, "1 b\n" + widget}, noHealth: true, settings: docs, want: "RETRY"},
		"one of a later step does":               {apps: []string{"0 a\n" + object("Service", "s", "1", "spec: {ports: [{port: 80}]}") + crds, "1 b\n" + widget}, noHealth: true, settings: docs, want: "PROVEN"},
		"a script of argocd-cm lets it count":    {apps: []string{"0 a\n" + crds, "1 b\n" + widget}, settings: early(""), want: "PROVEN"},
		"a script that asks for Synced":          {apps: []string{"0 a\n" + crds, "1 b\n" + widget}, want: "PROVEN", silent: []string{gatesNothing}},
		"in the last wave nobody cares":          {apps: []string{"0 a\n" + crds}, noHealth: true, settings: docs, want: "PROVEN", silent: []string{gatesNothing}},
		"what waits for the next wave":           {apps: []string{"0 a\n" + hook + last, "1 b\n" + secret}, noHealth: true, settings: docs, want: "PROVEN", each: []string{"a PROVEN", "b PROVEN", "root PROVEN"}},
		"the same, by a script that asks":        {apps: []string{"0 a\n" + hook + last, "1 b\n" + secret}, want: "DEADLOCK"},
		"the same, with a Service":               {apps: []string{"0 a\n" + hook + service, "1 b\n" + secret}, noHealth: true, settings: docs, want: "DEADLOCK"},
		"a child that nobody syncs":              {apps: []string{"0 a manual\n" + last, "1 b\n" + secret}, noHealth: true, settings: docs, want: "DEADLOCK", each: []string{"a DEADLOCK", "b PROVEN", "root PROVEN"}},
		"a child that fails for ever":            {apps: []string{"0 a\n" + widget, "1 b\n" + secret}, noHealth: true, settings: docs, want: "FAILS", each: []string{"a FAILS", "b PROVEN", "root PROVEN"}},
		"what is applied and not well does wait": {apps: []string{"0 a\n" + workload("w", "0", "volumes: [{name: v, secret: {secretName: late}}]"), "1 b\n" + secret}, noHealth: true, settings: docs, want: "DEADLOCK", each: []string{"b DEADLOCK"}},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}
