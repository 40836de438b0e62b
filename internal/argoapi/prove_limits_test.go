package argoapi_test

import (
	"fmt"
	"testing"
)

// TestQuotaScopes states of which pods a quota with scopes takes account.
func TestQuotaScopes(t *testing.T) {
	quota := func(hard, more string) string {
		return object("ResourceQuota", "q", "0", "spec: {hard: {"+hard+"}, "+more+"}")
	}
	pod := func(more string) string {
		return object("Deployment", "web", "0", "spec: {template: {spec: {containers: [{name: c, image: i"+more+"}]}}}")
	}
	classed := object("PriorityClass", "high", "-1", "") + object("Deployment", "web", "0", "spec: {template: {spec: {priorityClassName: high, containers: [{name: c, image: i}]}}}")
	selector := func(operator, values string) string {
		return "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: " + operator + values + "}]}"
	}
	stated := ", resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}}"
	job := object("Job", "j", "0", "spec: {template: {spec: {activeDeadlineSeconds: 60, containers: [{name: c, image: i}]}}}") + object("ConfigMap", "last", "1", "")
	far := object("Deployment", "web", "0", "spec: {template: {spec: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a, namespaces: [x]}]}}, containers: []}}}")
	tests := map[string]scenario{
		"of a class, and it is of that class":     {apps: []string{"- a\n" + quota("pods: '0'", selector("In", ", values: [high]")) + classed}, want: "UNHEALTHY", chain: []string{"runs pods for which the ResourceQuota q has no pods left (0)"}},
		"of another class":                        {apps: []string{"- a\n" + quota("pods: '0'", selector("In", ", values: [low]")) + classed}, want: "PROVEN"},
		"of all classes but one":                  {apps: []string{"- a\n" + quota("pods: '0'", selector("NotIn", ", values: [high]")) + classed}, want: "PROVEN"},
		"of any class":                            {apps: []string{"- a\n" + quota("pods: '0'", "scopes: [PriorityClass]") + classed}, want: "UNHEALTHY"},
		"of any class, and it has none":           {apps: []string{"- a\n" + quota("pods: '0'", "scopes: [PriorityClass]") + pod("")}, want: "PROVEN"},
		"of no class":                             {apps: []string{"- a\n" + quota("pods: '0'", selector("DoesNotExist", "")) + pod("")}, want: "UNHEALTHY"},
		"that ask for nothing, and it does not":   {apps: []string{"- a\n" + quota("pods: '0'", "scopes: [BestEffort]") + pod("")}, want: "UNHEALTHY"},
		"that ask for nothing, and it asks":       {apps: []string{"- a\n" + quota("pods: '0'", "scopes: [BestEffort]") + pod(stated)}, want: "PROVEN"},
		"that ask, and it asks for too much":      {apps: []string{"- a\n" + quota("requests.cpu: 500m", "scopes: [NotBestEffort]") + pod(stated)}, want: "UNHEALTHY"},
		"that end, and it does":                   {apps: []string{"- a\n" + quota("pods: '0'", "scopes: [Terminating]") + job}, want: "DEADLOCK"},
		"that do not end, and it does":            {apps: []string{"- a\n" + quota("pods: '0'", "scopes: [NotTerminating]") + job}, want: "PROVEN"},
		"that look at other namespaces":           {apps: []string{"- a\n" + quota("pods: '0'", "scopes: [CrossNamespacePodAffinity]") + far}, want: "UNHEALTHY"},
		"all scopes must match":                   {apps: []string{"- a\n" + quota("pods: '0'", "scopes: [NotTerminating, PriorityClass]") + pod("")}, want: "PROVEN"},
		"only pods in scope use it up":            {apps: []string{"- a\n" + quota("pods: '1'", "scopes: [BestEffort]") + pod(stated) + workload("z", "0", "")}, want: "PROVEN"},
		"control: without scopes both use it up":  {apps: []string{"- a\n" + quota("pods: '1'", "") + pod(stated) + workload("z", "0", "")}, want: "UNHEALTHY"},
		"a demand counts for those in scope only": {apps: []string{"- a\n" + quota("limits.cpu: '9'", "scopes: [Terminating]") + pod("")}, want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = []string{team}
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestLimits states what a LimitRange refuses.
func TestLimits(t *testing.T) {
	limits := func(text string) string { return object("LimitRange", "l", "0", "spec: {limits: ["+text+"]}") }
	pod := func(request, limit string) string {
		return object("Deployment", "web", "0", fmt.Sprintf("spec: {template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: %s}, limits: {cpu: %s}}}]}}}", request, limit))
	}
	two := object("Deployment", "web", "0", "spec: {template: {spec: {containers: [{name: a, resources: {limits: {cpu: 1}}}, {name: b, resources: {limits: {cpu: 1}}}]}}}")
	bare := object("Deployment", "web", "0", "spec: {template: {spec: {containers: [{name: a}]}}}")
	claim := func(size string) string {
		return object("PersistentVolumeClaim", "c", "0", "spec: {storageClassName: x, resources: {requests: {storage: "+size+"}}}")
	}
	inside := "runs pods whose cpu is outside of what the LimitRange l allows"
	tests := map[string]scenario{
		"a limit above the highest":               {apps: []string{"- a\n" + limits("{type: Container, max: {cpu: 1}}") + pod("1", "2")}, want: "UNHEALTHY", chain: []string{inside}},
		"a request below the lowest":              {apps: []string{"- a\n" + limits("{type: Container, min: {cpu: 500m}}") + pod("100m", "1")}, want: "UNHEALTHY"},
		"between":                                 {apps: []string{"- a\n" + limits("{type: Container, min: {cpu: 500m}, max: {cpu: 1}}") + pod("600m", "1")}, want: "PROVEN"},
		"a limit too far above the request":       {apps: []string{"- a\n" + limits("{type: Container, maxLimitRequestRatio: {cpu: 2}}") + pod("100m", "1")}, want: "UNHEALTHY"},
		"a limit near the request":                {apps: []string{"- a\n" + limits("{type: Container, maxLimitRequestRatio: {cpu: 2}}") + pod("600m", "1")}, want: "PROVEN"},
		"a pod of two that is too large together": {apps: []string{"- a\n" + limits("{type: Pod, max: {cpu: 1500m}}") + two}, want: "UNHEALTHY"},
		"a pod of two that fits":                  {apps: []string{"- a\n" + limits("{type: Pod, max: {cpu: 2}}") + two}, want: "PROVEN"},
		"a pod must state what is limited":        {apps: []string{"- a\n" + limits("{type: Pod, max: {cpu: 2}}") + bare}, want: "UNHEALTHY"},
		"a pod must state what has a least":       {apps: []string{"- a\n" + limits("{type: Pod, min: {cpu: 10m}}") + bare}, want: "UNHEALTHY"},
		"a container need not":                    {apps: []string{"- a\n" + limits("{type: Container, max: {cpu: 2}}") + bare}, want: "PROVEN"},
		"a claim that is too large":               {apps: []string{"- a\n" + limits("{type: PersistentVolumeClaim, max: {storage: 1Gi}}") + claim("2Gi")}, want: "FAILS", chain: []string{"asks for storage outside of what the LimitRange l allows"}},
		"a claim that is too small":               {apps: []string{"- a\n" + limits("{type: PersistentVolumeClaim, min: {storage: 4Gi}}") + claim("2Gi")}, want: "FAILS"},
		"a claim that fits":                       {apps: []string{"- a\n" + limits("{type: PersistentVolumeClaim, max: {storage: 2Gi}}") + claim("2Gi")}, want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = []string{team, "StorageClass.storage.k8s.io x", "binding x Immediate"}
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestCilium states what policies of Cilium take away: where the API server stands is not known, so nothing is certain.
func TestCilium(t *testing.T) {
	policy := func(kind, name, spec string) string {
		namespace := ", namespace: team"
		if kind == "CiliumClusterwideNetworkPolicy" {
			namespace = ""
		}
		return "{apiVersion: cilium.io/v2, kind: " + kind + ", metadata: {name: " + name + namespace + "}, spec: {" + spec + "}}\n---\n"
	}
	one := func(spec string) string { return policy("CiliumNetworkPolicy", "p", spec) }
	all := func(spec string) string { return policy("CiliumClusterwideNetworkPolicy", "p", spec) }
	hook := object("Service", "web", "-1", "spec: {selector: {app: web}}") + workload("web", "-1", "") +
		object("ValidatingWebhookConfiguration", "w", "-1", "webhooks: [{name: a.example.com, clientConfig: {caBundle: eA==, service: {namespace: team, name: web}}, rules: [{operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: [configmaps]}]}]") +
		object("ConfigMap", "last", "0", "")
	talks := operator("op", "0", "example.com", "widgets")
	in, out := "cilium-lets-in team/web", "cilium-lets-out Deployment team/op"
	tests := map[string]scenario{
		"a webhook that is shut off":                {apps: []string{"- a\n" + hook + one("endpointSelector: {}, ingress: [{fromEndpoints: [{}]}]")}, want: "UNKNOWN", axiom: in},
		"given":                                     {apps: []string{"- a\n" + hook + one("endpointSelector: {}, ingress: [{fromEndpoints: [{}]}]")}, given: []string{in}, want: "PROVEN"},
		"shut off by the cluster's":                 {apps: []string{"- a\n" + hook + all("endpointSelector: {matchLabels: {'k8s:io.kubernetes.pod.namespace': team}}, ingress: [{}]")}, want: "UNKNOWN", axiom: in},
		"the cluster's is about another namespace":  {apps: []string{"- a\n" + hook + all("endpointSelector: {matchLabels: {'k8s:io.kubernetes.pod.namespace': other}}, ingress: [{}]")}, want: "PROVEN"},
		"the API server is let in":                  {apps: []string{"- a\n" + hook + one("endpointSelector: {}, ingress: [{fromEntities: [kube-apiserver]}]")}, want: "PROVEN"},
		"another policy lets it in":                 {apps: []string{"- a\n" + hook + one("endpointSelector: {}, ingress: [{}]") + policy("CiliumNetworkPolicy", "q", "endpointSelector: {matchLabels: {app: web}}, ingress: [{fromEntities: [remote-node, host]}]")}, want: "PROVEN"},
		"a port without peers":                      {apps: []string{"- a\n" + hook + one("endpointSelector: {}, ingress: [{toPorts: [{ports: [{port: '443'}]}]}]")}, want: "PROVEN"},
		"about other pods":                          {apps: []string{"- a\n" + hook + one("endpointSelector: {matchLabels: {app: db}}, ingress: [{}]")}, want: "PROVEN"},
		"about the other direction":                 {apps: []string{"- a\n" + hook + one("endpointSelector: {}, egress: [{}]")}, want: "PROVEN"},
		"denies nothing by default":                 {apps: []string{"- a\n" + hook + one("endpointSelector: {}, enableDefaultDeny: {ingress: false}, ingress: [{}]")}, want: "PROVEN"},
		"a controller that is shut in":              {apps: []string{"- a\n" + talks + one("endpointSelector: {}, egress: [{toEndpoints: [{}]}]")}, want: "UNKNOWN", axiom: out},
		"a controller that is let out":              {apps: []string{"- a\n" + talks + one("endpointSelector: {}, egress: [{toEntities: [kube-apiserver]}, {toEndpoints: [{}]}]")}, want: "PROVEN"},
		"a controller that is let out to addresses": {apps: []string{"- a\n" + talks + one("endpointSelector: {}, egress: [{toCIDR: [10.0.0.1/32]}]")}, want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team, "kind CiliumNetworkPolicy.cilium.io", "kind CiliumClusterwideNetworkPolicy.cilium.io")
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestListedVersions states what a conversion webhook that does not answer takes from Argo CD's sight.
func TestListedVersions(t *testing.T) {
	crd := func(versions, conversion string) string {
		return object("CustomResourceDefinition", "widgets.example.com", "-1", "spec: {group: example.com, names: {kind: Widget, plural: widgets}, scope: Namespaced, versions: ["+versions+"], conversion: {"+conversion+"}}")
	}
	hook := "strategy: Webhook, webhook: {clientConfig: {caBundle: eA==, service: {namespace: team, name: nobody}}}"
	old, recent := "{name: v1, served: true, storage: true}", "{name: v2, served: true, storage: false}"
	widget := object("Widget", "w", "0", "")
	tests := map[string]scenario{
		"listed in another version than stored":   {apps: []string{"- a\n" + crd(old+", "+recent, hook) + widget}, want: "UNKNOWN", axiom: "endpoints team/nobody", chain: []string{"Widget.example.com team/w is listed by Argo CD in version v2, not in the stored v1, into which the webhook of widgets.example.com must turn it"}},
		"it answers":                              {apps: []string{"- a\n" + crd(old+", "+recent, hook) + widget}, given: []string{"endpoints team/nobody"}, want: "PROVEN"},
		"a parent waits for it":                   {apps: []string{"0 a\n" + crd(old+", "+recent, hook) + widget, "1 b\n" + object("ConfigMap", "b", "0", "")}, want: "UNKNOWN", each: []string{"b UNKNOWN"}},
		"the other version is not served":         {apps: []string{"- a\n" + crd(old+", {name: v2, served: false, storage: false}", hook) + widget}, want: "PROVEN"},
		"an older one, which nobody lists":        {apps: []string{"- a\n" + crd(old+", {name: v1beta1, served: true, storage: false}", hook) + widget}, want: "PROVEN"},
		"no webhook turns it":                     {apps: []string{"- a\n" + crd(old+", "+recent, "strategy: None") + widget}, want: "PROVEN"},
		"control: nothing is there to be listed":  {apps: []string{"- a\n" + crd(old+", "+recent, hook)}, want: "PROVEN"},
		"control: no other kind is kept from it":  {apps: []string{"- a\n" + crd(old+", "+recent, hook), "- b\n" + workload("web", "0", "")}, want: "PROVEN"},
		"two of a kind, on two clusters, one has": {apps: []string{"- a server=https://far\n" + crd(old+", "+recent, hook), "- b\n" + crd(old, "strategy: None") + widget}, given: []string{"cluster https://far"}, want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}
