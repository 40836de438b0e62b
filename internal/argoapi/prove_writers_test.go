package argoapi_test

import "testing"

// TestWriters states which of several workloads that may write a CA into a webhook counts as the one who does: of tools that are known,
// the one that is told to; where nothing tells, all of them must have run.
func TestWriters(t *testing.T) {
	account := func(phase string) string {
		return object("ServiceAccount", "adm", phase, "") +
			object("ClusterRole", "adm", phase, "rules: [{apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [get, update]}]") +
			object("ClusterRoleBinding", "adm", phase, "roleRef: {kind: ClusterRole, name: adm}, subjects: [{kind: ServiceAccount, name: adm, namespace: team}]")
	}
	job := func(name, phase, image, args string) string {
		return object("Job", name, phase+"/0", "spec: {template: {spec: {serviceAccountName: adm, containers: [{name: c, image: "+image+", args: ["+args+"]}]}}}")
	}
	const certgen, other = "registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.6.0", "registry.example.com/tool:1"
	const create, patch = "create, --host=guard, --secret-name=tls", "patch, --webhook-name=guard, --secret-name=tls, --patch-mutating=false"
	guard := closed("guard", "0", "service: {namespace: team, name: guard}", "example.com", "widgets", "") + service("guard", "0") + workload("guard", "0", "")
	fleet := func(jobs string) []string {
		return []string{"- app\n" + definition("-1", "example.com", "Widget", "widgets", "Namespaced") + account("PreSync/-1") + guard + jobs + object("Widget", "w", "1", "") + object("ConfigMap", "last", "2", "")}
	}
	injecting := func(annotations string) string {
		return "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: guard, annotations: {" + annotations + "}}, webhooks: [{name: guard.example.com, " +
			"clientConfig: {service: {namespace: team, name: guard}}, rules: [{apiGroups: [example.com], apiVersions: ['*'], operations: [CREATE], resources: [widgets]}]}]}\n---\n" +
			service("guard", "0") + workload("guard", "0", "")
	}
	cainjector := func(annotations string) []string {
		return []string{
			"0 kinds\n" + definition("-1", "example.com", "Widget", "widgets", "Namespaced"), "1 ca\n" + account("0") +
				object("Deployment", "ca", "0", "spec: {template: {spec: {serviceAccountName: adm, containers: [{name: c, image: 'quay.io/jetstack/cert-manager-cainjector:v1.18.2'}]}}}"),
			"2 guard\n" + injecting(annotations), "3 web\n" + object("Widget", "w", "0", ""),
		}
	}
	deadlock := []string{"Widget.example.com team/w must be admitted by the webhook guard", "Job.batch team/patch is in PostSync wave 0"}
	tests := map[string]scenario{
		"certgen creates first and patches last":    {apps: fleet(job("create", "PreSync", certgen, create) + job("patch", "PostSync", certgen, patch)), want: "DEADLOCK", chain: deadlock},
		"the same tool in an image of one's own":    {apps: fleet(job("create", "PreSync", other, create) + job("patch", "PostSync", other, patch)), want: "DEADLOCK", chain: deadlock},
		"the same, flag and value apart":            {apps: fleet(job("create", "PreSync", certgen, "create, --secret-name, tls") + job("patch", "PostSync", certgen, "patch, --webhook-name, guard")), want: "DEADLOCK", chain: deadlock},
		"it patches in time":                        {apps: fleet(job("create", "PreSync", certgen, create) + job("patch", "Sync", certgen, patch)), want: "PROVEN"},
		"it patches another":                        {apps: fleet(job("patch", "Sync", certgen, "patch, --webhook-name=other, --patch-mutating=false")), want: "UNKNOWN", axiom: "ca-injected guard"},
		"it patches the mutating ones alone":        {apps: fleet(job("patch", "Sync", certgen, "patch, --webhook-name=guard, --patch-validating=false")), want: "UNKNOWN"},
		"kubectl reads first, and another patches":  {apps: fleet(job("look", "PreSync", other, "kubectl, get, validatingwebhookconfigurations") + job("patch", "PostSync", other, "run")), want: "DEADLOCK", chain: deadlock},
		"two tools that nobody knows":               {apps: fleet(job("one", "PreSync", other, "run") + job("two", "PostSync", other, "run")), want: "UNKNOWN", axiom: "ca-injected guard", chain: []string{"one of 2 workloads of one ServiceAccount writes its CA"}},
		"two tools that nobody knows, both in time": {apps: fleet(job("one", "PreSync", other, "run") + job("two", "Sync", other, "run")), want: "PROVEN"},
		"one tool that nobody knows":                {apps: fleet(job("two", "Sync", other, "run")), want: "PROVEN"},
		"one tool that nobody knows, too late":      {apps: fleet(job("patch", "PostSync", other, "run")), want: "DEADLOCK", chain: deadlock},
		"cert-manager's injector, by an annotation": {apps: cainjector("cert-manager.io/inject-ca-from-secret: team/ca"), want: "PROVEN"},
		"cert-manager's injector, without one":      {apps: cainjector("example.com/owner: team"), want: "UNKNOWN", axiom: "ca-injected guard"},
	}
	for name, s := range tests {
		s.given = append(s.given, team, "Secret team/tls", "Secret team/ca")
		if name == "it patches another" {
			s.given = append(s.given, "ValidatingWebhookConfiguration.admissionregistration.k8s.io other")
		}
		tests[name] = s
	}
	tests["it patches the mutating ones alone"] = scenario{
		apps: tests["it patches the mutating ones alone"].apps, want: "UNKNOWN", axiom: "ca-injected guard",
		given: []string{team, "Secret team/tls", "MutatingWebhookConfiguration.admissionregistration.k8s.io guard"},
	}
	tests["two tools that nobody knows, and it is stated"] = scenario{apps: tests["two tools that nobody knows"].apps, given: []string{team, "ca-injected guard"}, want: "PROVEN"}
	runScenarios(t, tests)
}

// TestPlaceholderCA states that a caBundle of white space is none: somebody must write another.
func TestPlaceholderCA(t *testing.T) {
	fleet := func(bundle, more string) []string {
		return []string{
			"0 kinds\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced"),
			"1 guard\n" + closed("guard", "0", "caBundle: "+bundle+", service: {namespace: team, name: guard}", "example.com", "widgets", "") + service("guard", "0") + workload("guard", "0", "") + more,
			"2 web\n" + object("Widget", "w", "0", ""),
		}
	}
	runScenarios(t, map[string]scenario{
		"a CA":                            {apps: fleet("Y2E=", ""), given: []string{team}, want: "PROVEN"},
		"a line break":                    {apps: fleet("Cg==", ""), given: []string{team}, want: "UNKNOWN", axiom: "ca-injected guard"},
		"a blank":                         {apps: fleet("ICAK", ""), given: []string{team}, want: "UNKNOWN", axiom: "ca-injected guard"},
		"a line break, and who writes it": {apps: fleet("Cg==", injector("ca", "0")), given: []string{team}, want: "DEADLOCK", chain: []string{"is OutOfSync for ever"}},
	})
}
