package argoapi_test

import (
	"fmt"
	"testing"
)

// closed is a webhook that fails closed, for one group and resource, answered by the Service of its name.
func closed(name, wave, config, apiGroup, resource, more string) string {
	if config == "" {
		config = fmt.Sprintf("caBundle: Y2E=, service: {namespace: team, name: %s}", name)
	}
	return object("ValidatingWebhookConfiguration", name, wave, fmt.Sprintf(
		"webhooks: [{name: %s.example.com, failurePolicy: Fail, clientConfig: {%s}, rules: [{apiGroups: ['%s'], apiVersions: ['*'], resources: ['%s'], operations: [CREATE]}]%s}]",
		name, config, apiGroup, resource, more2(more)))
}

func more2(fields string) string {
	if fields == "" {
		return ""
	}
	return ", " + fields
}

func service(name, wave string) string {
	return object("Service", name, wave, "spec: {selector: {app: "+name+"}}")
}

// injector is a workload that may write into webhook configurations.
func injector(name, wave string) string {
	return object("ServiceAccount", name, wave, "") + workload(name, wave, "serviceAccountName: "+name) +
		object("ClusterRole", name, wave, "rules: [{apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [get, update]}]") +
		object("ClusterRoleBinding", name, wave, fmt.Sprintf("roleRef: {kind: ClusterRole, name: %[1]s}, subjects: [{kind: ServiceAccount, name: %[1]s, namespace: team}]", name))
}

// TestWebhooks states what webhooks that fail closed take away, from the first moment at which they may stand.
func TestWebhooks(t *testing.T) {
	widgets := "0 crds\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced")
	widget := object("Widget", "w", "0", "")
	guard := func(wave string) string { return service("guard", wave) + workload("guard", wave, "") }
	on := func(more string) string {
		return closed("guard", "0", "", "example.com", "widgets", more) + guard("0")
	}
	last := object("ConfigMap", "last", "9", "")
	url := closed("far", "0", "url: 'https://guard.example.org/check'", "example.com", "widgets", "")
	pods := func(more string) string { return closed("guard", "0", "", "", "pods", more) }
	runScenarios(t, map[string]scenario{
		"of an Application beside": {
			apps: []string{widgets, "1 guard\n" + on(""), "1 web\n" + widget}, given: []string{team}, want: "RETRY", each: []string{"guard PROVEN", "web RETRY"},
		},
		"of an Application before": {apps: []string{widgets, "1 guard\n" + on(""), "2 web\n" + widget}, given: []string{team}, want: "PROVEN"},
		"of an Application after a gate": {
			apps: []string{widgets, "1 web\n" + widget, "2 guard\n" + on("")}, given: []string{team}, want: "PROVEN",
		},
		"of an Application after nothing that gates": {
			apps: []string{widgets, "1 web\n" + widget, "2 guard\n" + on("")}, given: []string{team}, noHealth: true, want: "RETRY", each: []string{"web RETRY"},
		},
		"of another Application whose pods come later": {
			apps: []string{widgets, "1 fence\n" + closed("guard", "0", "", "example.com", "widgets", ""), "1 web\n" + widget, "2 guard\n" + guard("0")}, given: []string{team}, want: "DEADLOCK", each: []string{"web DEADLOCK", "fence PROVEN"},
			chain: []string{"Widget.example.com team/w must be admitted by the webhook guard", "guard is in Application guard, in wave 2 of root, which is not reached"},
		},
		"of another Application, below another root": {
			apps: []string{"- rules\n" + closed("guard", "0", "", "example.com", "widgets", ""), "- web\n" + definition("-1", "example.com", "Widget", "widgets", "Namespaced") + widget}, given: []string{team}, want: "UNKNOWN", each: []string{"web UNKNOWN"},
			chain: []string{"Widget.example.com team/w must be admitted by the webhook guard", "endpoints team/guard comes from nobody"}, axiom: "endpoints team/guard",
		},
		"of an Application that nobody syncs": {
			apps: []string{widgets, "1 guard manual\n" + closed("guard", "0", "", "example.com", "widgets", ""), "1 web\n" + widget}, given: []string{team}, want: "DEADLOCK", each: []string{"web PROVEN"},
		},
		"behind a URL that nobody speaks for": {apps: []string{widgets, "1 far\n" + url, "2 web\n" + widget}, given: []string{team}, want: "UNKNOWN", axiom: "reachable guard.example.org"},
		"behind a URL, stated":                {apps: []string{widgets, "1 far\n" + url, "2 web\n" + widget}, given: []string{team, "reachable guard.example.org"}, want: "PROVEN"},
		"a selector of namespaces lets it by": {
			apps: []string{widgets, "1 guard\n" + closed("guard", "0", "", "example.com", "widgets", "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [team]}]}"), "2 web\n" + widget}, given: []string{team}, want: "PROVEN",
		},
		"a selector of objects lets it by": {
			apps: []string{widgets, "1 guard\n" + closed("guard", "0", "", "example.com", "widgets", "objectSelector: {matchLabels: {guarded: 'yes'}}"), "2 web\n" + widget}, given: []string{team}, want: "PROVEN",
		},
		"conditions that are not evaluated": {
			apps: []string{widgets, "1 guard\n" + closed("guard", "0", "", "example.com", "widgets", "matchConditions: [{name: c, expression: 'authorizer.group(\"\").check(\"x\").allowed()'}]"), "2 web\n" + widget}, given: []string{team}, want: "UNKNOWN",
			axiom: "webhook guard.example.com skips Widget.example.com team/w",
		},
		"conditions, stated": {
			apps:  []string{widgets, "1 guard\n" + closed("guard", "0", "", "example.com", "widgets", "matchConditions: [{name: c, expression: 'true'}]"), "2 web\n" + widget},
			given: []string{team, "webhook guard.example.com skips Widget.example.com team/w"}, want: "PROVEN",
		},
		"no webhook is asked about webhooks": {apps: []string{"- a\n" + closed("guard", "0", "", "*", "*", "") + closed("other", "0", "", "example.com", "widgets", "")}, given: []string{team}, want: "PROVEN"},
		"its own pods must be admitted by it": {
			apps: []string{"- a\n" + pods("") + guard("0") + last}, given: []string{team}, want: "DEADLOCK",
			chain: []string{"Deployment.apps team/guard runs pods that must be admitted by the webhook guard", "is what waits"},
		},
		"its own pods run before it": {apps: []string{"- a\n" + closed("guard", "1", "", "", "pods", "") + guard("0") + last}, given: []string{team}, want: "PROVEN"},
		"its own pods are let by":    {apps: []string{"- a\n" + pods("objectSelector: {matchExpressions: [{key: app, operator: NotIn, values: [guard]}]}") + guard("0") + last}, given: []string{team}, want: "PROVEN"},
		"pods of others, its own later": {
			apps: []string{"- a\n" + pods("") + workload("web", "1", "") + guard("2") + last}, given: []string{team}, want: "DEADLOCK", chain: []string{"Deployment.apps team/web runs pods that must be admitted", "Deployment.apps team/guard is in wave 2"},
		},
	})
}

// TestInjection states what webhooks without a CA in git wait for.
func TestInjection(t *testing.T) {
	widgets := "0 crds\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced")
	bare := closed("guard", "0", "service: {namespace: team, name: guard}", "example.com", "widgets", "") + service("guard", "0") + workload("guard", "0", "")
	widget := object("Widget", "w", "0", "")
	job := object("ServiceAccount", "patch", "PostSync/-1", "") + object("Job", "patch", "PostSync/0", "spec: {template: {spec: {serviceAccountName: patch, containers: [{name: c, image: i}]}}}") +
		object("ClusterRole", "patch", "PostSync/-1", "rules: [{apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [get, update]}]") +
		object("ClusterRoleBinding", "patch", "PostSync/-1", "roleRef: {kind: ClusterRole, name: patch}, subjects: [{kind: ServiceAccount, name: patch, namespace: team}]")
	note := "may be refused for a moment: the CA of ValidatingWebhookConfiguration guard"
	runScenarios(t, map[string]scenario{
		"nobody writes it":                   {apps: []string{widgets, "1 guard\n" + bare, "2 web\n" + widget}, given: []string{team}, want: "UNKNOWN", axiom: "ca-injected guard"},
		"a controller before":                {apps: []string{widgets, "1 guard\n" + bare + injector("ca", "0"), "2 web\n" + widget}, given: []string{team}, want: "PROVEN", notes: []string{note, "its Application retries"}},
		"a controller before, and no retry":  {apps: []string{widgets, "1 guard\n" + bare + injector("ca", "0"), "2 web limit=0\n" + widget}, given: []string{team}, want: "FAILS", chain: []string{"has used up its attempts"}},
		"a controller beside":                {apps: []string{widgets, "1 guard\n" + bare, "1 ca\n" + injector("ca", "0"), "2 web\n" + widget}, given: []string{team}, want: "PROVEN"},
		"a controller that comes later":      {apps: []string{widgets, "1 guard\n" + bare, "2 web\n" + widget, "3 ca\n" + injector("ca", "0")}, given: []string{team}, want: "DEADLOCK", chain: []string{"team/w must be admitted by the webhook guard", "ca is in Application ca, in wave 3 of root"}},
		"a Job that has ended":               {apps: []string{widgets, "1 guard\n" + bare + job, "2 web\n" + widget}, given: []string{team}, want: "PROVEN", silent: []string{note}},
		"a Job of a later phase than the CR": {apps: []string{widgets, "1 guard\n" + bare + job + object("Widget", "w", "1", "")}, given: []string{team}, want: "DEADLOCK", chain: []string{"team/w must be admitted by the webhook guard", "Job.batch team/patch is in PostSync wave 0"}},
	})
}

// TestQuotas states what quotas, limits and Pod Security refuse: pods, not what runs them.
func TestQuotas(t *testing.T) {
	last := object("ConfigMap", "last", "9", "")
	quota := func(wave, hard string) string { return object("ResourceQuota", "q", wave, "spec: {hard: {"+hard+"}}") }
	limits := func(wave, item string) string {
		return object("LimitRange", "l", wave, "spec: {limits: [{type: Container, "+item+"}]}")
	}
	sized := func(wave, resources string) string {
		return object("Deployment", "web", wave, "spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: {"+resources+"}}]}}}")
	}
	level := func(level string) string {
		return "{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {pod-security.kubernetes.io/enforce: " + level + "}}}\n---\n"
	}
	host := workload("web", "0", "hostNetwork: true")
	safe := "securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}, containers: [{name: c, image: i, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]"
	one := func(objects string) []string { return []string{"- app\n" + objects + last} }
	runScenarios(t, map[string]scenario{
		"a quota asks for limits":           {apps: one(quota("0", "limits.memory: 1Gi") + sized("0", "")), given: []string{team}, want: "DEADLOCK", chain: []string{"Deployment.apps team/web runs pods without limits.memory, which the ResourceQuota q demands"}},
		"limits are stated":                 {apps: one(quota("0", "limits.memory: 1Gi") + sized("0", "limits: {memory: 100Mi}")), given: []string{team}, want: "PROVEN"},
		"a LimitRange fills them in":        {apps: one(quota("0", "limits.memory: 1Gi") + limits("0", "default: {memory: 100Mi}") + sized("0", "")), given: []string{team}, want: "PROVEN"},
		"a LimitRange that comes later":     {apps: one(quota("0", "limits.memory: 1Gi") + limits("1", "default: {memory: 100Mi}") + sized("0", "")), given: []string{team}, want: "DEADLOCK", chain: []string{"runs pods without limits.memory", "LimitRange team/l is in wave 1"}, cure: "move LimitRange team/l to wave 0"},
		"a quota that comes after the gate": {apps: one(quota("1", "limits.memory: 1Gi") + sized("0", "")), given: []string{team}, want: "PROVEN"},
		"a quota of an Application beside":  {apps: []string{"0 quota\n" + quota("0", "limits.memory: 1Gi"), "0 web\n" + sized("0", "") + last}, given: []string{team}, want: "DEADLOCK", each: []string{"web DEADLOCK", "quota PROVEN"}},
		"a quota that is used up":           {apps: one(quota("0", "limits.memory: 150Mi") + sized("0", "limits: {memory: 100Mi}")), given: []string{team}, want: "DEADLOCK", chain: []string{"has no limits.memory left (150Mi)"}},
		"a quota that suffices":             {apps: one(quota("0", "limits.memory: 200Mi") + sized("0", "limits: {memory: 100Mi}")), given: []string{team}, want: "PROVEN"},
		"too many pods":                     {apps: one(quota("0", "pods: '1'") + sized("0", "")), given: []string{team}, want: "DEADLOCK", chain: []string{"has no pods left (1)"}},
		"too many Services":                 {apps: one(quota("0", "services: 1") + service("a", "0") + service("b", "0")), given: []string{team}, want: "FAILS", chain: []string{"Service team/b is one more than the ResourceQuota q allows of services (1)"}},
		"as many as allowed":                {apps: one(quota("0", "count/deployments.apps: 1") + sized("0", "")), given: []string{team}, want: "PROVEN"},
		"more than a LimitRange allows":     {apps: one(limits("0", "max: {memory: 50Mi}") + sized("0", "limits: {memory: 100Mi}")), given: []string{team}, want: "DEADLOCK", chain: []string{"whose memory is outside of what the LimitRange l allows"}},
		"a quota in another namespace":      {apps: one("{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: other}, spec: {hard: {pods: 0}}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: other}}\n---\n" + sized("0", "")), given: []string{team}, want: "PROVEN"},
		"baseline refuses pods, not what runs them": {
			apps: one(level("baseline") + host), want: "DEADLOCK", chain: []string{"Deployment.apps team/web runs pods that the Pod Security level baseline of namespace team refuses (hostNetwork)"},
		},
		"in the last wave it is only unhealthy": {apps: []string{"- app\n" + level("baseline") + host}, want: "UNHEALTHY"},
		"a bare pod is refused itself":          {apps: one(level("baseline") + object("Pod", "p", "0", "spec: {hostPID: true, containers: []}")), want: "FAILS", chain: []string{"Pod team/p runs pods that the Pod Security level baseline"}},
		"privileged refuses nothing":            {apps: one(level("privileged") + host), want: "PROVEN"},
		"no label":                              {apps: one(object("Namespace", "team", "0", "") + host), want: "PROVEN"},
		"restricted":                            {apps: one(level("restricted") + workload("web", "0", "")), want: "DEADLOCK", chain: []string{"refuses (allowPrivilegeEscalation is not false, runAsNonRoot is not true"}},
		"restricted, and within it":             {apps: one(level("restricted") + object("Deployment", "web", "0", "spec: {template: {spec: {"+safe+"}}}")), want: "PROVEN"},
	})
}

// TestNetworkPolicies states what policies cut off between operators, webhooks and the API server.
func TestNetworkPolicies(t *testing.T) {
	widgets := definition("-5", "example.com", "Widget", "widgets", "Namespaced")
	policy := func(name, wave, spec string) string {
		return object("NetworkPolicy", name, wave, "spec: {podSelector: {}, "+spec+"}")
	}
	last := object("ConfigMap", "last", "9", "")
	op := operator("op", "0", "example.com", "widgets") + widgets
	hook := closed("guard", "0", "", "example.com", "widgets", "") + service("guard", "0") + workload("guard", "0", "")
	one := func(objects string) []string { return []string{"- app\n" + objects + last} }
	deny := "policyTypes: [Ingress, Egress]"
	runScenarios(t, map[string]scenario{
		"an operator that is not let out": {apps: one(policy("deny", "0", deny) + op), given: []string{team}, want: "DEADLOCK", chain: []string{"Deployment.apps team/op runs pods that must reach the API server, from which the NetworkPolicy deny holds them back"}},
		"another policy lets it out":      {apps: one(policy("deny", "0", deny) + policy("api", "0", "policyTypes: [Egress], egress: [{ports: [{port: 6443}]}]") + op), given: []string{team}, want: "PROVEN"},
		"another policy, later":           {apps: one(policy("deny", "0", deny) + policy("api", "1", "policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]") + op), given: []string{team}, want: "DEADLOCK", chain: []string{"NetworkPolicy.networking.k8s.io team/api is in wave 1"}, cure: "move NetworkPolicy.networking.k8s.io team/api to wave 0"},
		"let out to pods only":            {apps: one(policy("deny", "0", "egress: [{to: [{namespaceSelector: {}}]}]") + op), given: []string{team}, want: "DEADLOCK"},
		"who asks nothing needs no way":   {apps: one(policy("deny", "0", deny) + workload("web", "0", "")), given: []string{team}, want: "PROVEN"},
		"on the node's network":           {apps: one(policy("deny", "0", deny) + object("ServiceAccount", "op", "0", "") + workload("op", "0", "serviceAccountName: op, hostNetwork: true")), given: []string{team}, want: "PROVEN"},
		"a webhook that is not let in":    {apps: one(policy("deny", "0", "policyTypes: [Ingress]") + widgets + hook + object("Widget", "w", "1", "")), given: []string{team}, want: "FAILS", chain: []string{"team/w must be admitted by the webhook guard", "let-in team/guard comes from nobody"}},
		"a webhook that is let in":        {apps: one(policy("deny", "0", "policyTypes: [Ingress]") + policy("in", "0", "ingress: [{ports: [{port: 9443}]}]") + widgets + hook + object("Widget", "w", "1", "")), given: []string{team}, want: "PROVEN"},
	})
}

// TestConversion states what objects wait for that are stored in another version, and kinds that another API server serves.
func TestConversion(t *testing.T) {
	crd := object("CustomResourceDefinition", "widgets.example.com", "0", "spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, "+
		"versions: [{name: v1, served: true, storage: false}, {name: v2, served: true, storage: true}], "+
		"conversion: {strategy: Webhook, webhook: {clientConfig: {caBundle: Y2E=, service: {namespace: team, name: turn}}}}}")
	turn := func(wave string) string { return service("turn", wave) + workload("turn", wave, "") }
	widget := func(version, wave string) string {
		return "{apiVersion: example.com/" + version + ", kind: Widget, metadata: {name: w, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '" + wave + "'}}}\n---\n"
	}
	served := func(wave string) string {
		return object("APIService", "v1.wardle.example.com", wave, "spec: {group: wardle.example.com, version: v1, insecureSkipTLSVerify: true, service: {namespace: team, name: turn}}")
	}
	flunder := "{apiVersion: wardle.example.com/v1, kind: Flunder, metadata: {name: f, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '2', argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}}}\n---\n"
	one := func(objects string) []string { return []string{"- app\n" + objects} }
	runScenarios(t, map[string]scenario{
		"the webhook comes later":       {apps: one(crd + widget("v1", "1") + turn("2")), given: []string{team}, want: "DEADLOCK", chain: []string{"Widget.example.com team/w is stored in another version", "Deployment.apps team/turn is in wave 2"}},
		"the webhook comes before":      {apps: one(crd + turn("0") + widget("v1", "1")), given: []string{team}, want: "PROVEN"},
		"the version that is stored":    {apps: one(crd + widget("v2", "1") + turn("2")), given: []string{team}, want: "PROVEN"},
		"an API of another server":      {apps: one(served("1") + turn("0") + flunder), given: []string{team}, want: "PROVEN"},
		"an API whose server is later":  {apps: one(served("1") + turn("3") + flunder), given: []string{team}, want: "DEADLOCK", chain: []string{"APIService.apiregistration.k8s.io v1.wardle.example.com is answered by", "turn is in wave 3"}},
		"its Application does not skip": {apps: []string{"0 api\n" + served("0"), "1 use\n{apiVersion: wardle.example.com/v1, kind: Flunder, metadata: {name: f, namespace: team}}", "2 turn\n" + turn("0")}, given: []string{team}, want: "DEADLOCK"},
	})
}
