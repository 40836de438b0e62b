package argoapi_test

import "testing"

// TestMadeNamespaces states that the namespace which a sync makes by itself is there for other Applications, too, once that sync has
// begun, and for nobody before (argo-cd#11625).
func TestMadeNamespaces(t *testing.T) {
	rules := "{apiVersion: v1, kind: ConfigMap, metadata: {name: rules, namespace: monitoring}}"
	made := func(wave, more string) string {
		return wave + " mon namespace=monitoring CreateNamespace=true" + more + "\n{apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: monitoring}}"
	}
	hook := "\n{apiVersion: v1, kind: ConfigMap, metadata: {name: own, annotations: {argocd.argoproj.io/hook: PreSync}}}"
	forbids := "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: tenant, namespace: argocd}, spec: {sourceRepos: ['*'], destinations: [{namespace: '*', server: '*'}]}}"
	runScenarios(t, map[string]scenario{
		"beside it":                   {apps: []string{made("-", ""), "- rules\n" + rules}, want: "RETRY", each: []string{"mon PROVEN", "rules RETRY"}},
		"an earlier wave":             {apps: []string{made("0", ""), "1 rules\n" + rules}, want: "PROVEN"},
		"an earlier wave without it":  {apps: []string{"0 mon namespace=monitoring\n" + rules, "1 rules\n" + rules}, want: "FAILS", chain: []string{"namespace monitoring comes from nobody"}},
		"an earlier wave, no health":  {apps: []string{made("0", ""), "1 rules\n" + rules}, noHealth: true, want: "RETRY"},
		"the same wave":               {apps: []string{made("0", ""), "0 rules\n" + rules}, want: "RETRY"},
		"a later wave":                {apps: []string{made("1", ""), "0 rules\n" + rules}, want: "DEADLOCK", chain: []string{"rules lives in a namespace", "Namespace monitoring is made (CreateNamespace=true) by the sync of Application mon, in wave 1 of root, which is not reached"}, cure: "move Application mon to wave -1 of root, before Application rules"},
		"by a parent":                 {apps: []string{"- top namespace=monitoring CreateNamespace=true\n" + childOf("rules"), "- rules\n" + rules}, want: "PROVEN"},
		"its project forbids it":      {apps: []string{made("-", " project=tenant"), "- rules\n" + rules}, projects: forbids, want: "FAILS", each: []string{"rules FAILS", "mon FAILS"}},
		"another namespace":           {apps: []string{made("-", ""), "- rules\n{apiVersion: v1, kind: ConfigMap, metadata: {name: rules, namespace: other}}"}, want: "FAILS"},
		"another cluster":             {apps: []string{made("-", " server=https://far"), "- rules\n" + rules}, want: "FAILS"},
		"nothing in it, never synced": {apps: []string{"- mon namespace=monitoring CreateNamespace=true\n", "- rules\n" + rules}, want: "FAILS"},
		"hooks alone, never synced":   {apps: []string{"- mon namespace=monitoring CreateNamespace=true" + hook, "- rules\n" + rules}, want: "FAILS"},
		"stated by another, too":      {apps: []string{made("0", ""), "1 ns\n{apiVersion: v1, kind: Namespace, metadata: {name: monitoring}}", "2 rules\n" + rules}, want: "PROVEN"},
		"not synced by anybody":       {apps: []string{made("0", " manual"), "0 rules\n" + rules}, want: "DEADLOCK"},
	})
}

// childOf is the object of an Application, as another one's source holds it.
func childOf(name string) string {
	return "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: " + name + ", namespace: argocd}, spec: {project: default, source: {repoURL: r, path: p}, destination: {name: in-cluster, namespace: team}}}"
}

// TestPlaces states where Argo CD looks for objects: cluster-scoped ones in no namespace, whatever they state; namespaced ones in that of
// the destination, where they state none (argo-cd controller/state.go, DeduplicateTargetObjects).
func TestPlaces(t *testing.T) {
	role := "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r, namespace: nope}}"
	gadgets := definition("0", "example.com", "Widget", "widgets", "Cluster")
	widget := func(namespace string) string {
		return "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w" + namespace + "}}"
	}
	config := "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}"
	runScenarios(t, map[string]scenario{
		"a ClusterRole in a namespace":            {apps: []string{"- a\n" + role}, want: "PROVEN"},
		"a Namespace in itself":                   {apps: []string{"- a\n{apiVersion: v1, kind: Namespace, metadata: {name: own, namespace: own}}"}, want: "PROVEN"},
		"a custom kind of cluster scope":          {apps: []string{"- a\n" + gadgets + widget(", namespace: nope")}, want: "PROVEN"},
		"a custom kind of namespaces":             {apps: []string{"- a\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced") + widget(", namespace: nope")}, want: "FAILS"},
		"a ConfigMap in a namespace":              {apps: []string{"- a\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: nope}}"}, want: "FAILS"},
		"no namespace anywhere":                   {apps: []string{"- a namespace=\n" + config}, want: "FAILS", chain: []string{"c must live in a namespace, and neither it nor the destination"}},
		"no namespace anywhere, custom kind":      {apps: []string{"- a namespace=\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced") + widget("")}, want: "FAILS"},
		"no namespace and none needed":            {apps: []string{"- a namespace=\n" + role}, want: "PROVEN"},
		"no namespace and none needed, by a CRD":  {apps: []string{"- a namespace=\n" + gadgets + widget("")}, want: "PROVEN"},
		"no namespace but one of the object":      {apps: []string{"- a namespace=\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}}"}, want: "PROVEN"},
		"no namespace, and no other is applied":   {apps: []string{"- a namespace=\n{apiVersion: v1, kind: Namespace, metadata: {name: made}}\n---\n" + config, "- b\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: made}}"}, want: "FAILS", each: []string{"b FAILS"}},
		"a namespaced object of the destination":  {apps: []string{"- a\n" + config}, given: []string{team}, want: "PROVEN"},
		"a ClusterRole that a workload's account": {apps: []string{"- a\n" + object("ServiceAccount", "op", "-1", "") + workload("op", "-1", "serviceAccountName: op") + definition("-2", "example.com", "Widget", "widgets", "Cluster") + "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: op, namespace: team, annotations: {argocd.argoproj.io/sync-wave: \"-1\"}}, rules: [{apiGroups: [example.com], resources: [widgets/status], verbs: [update]}]}\n---\n" + object("ClusterRoleBinding", "op", "-1", "roleRef: {kind: ClusterRole, name: op}, subjects: [{kind: ServiceAccount, name: op, namespace: team}]") + widget("")}, given: []string{team}, settings: gateWidgets, want: "PROVEN"},
	})
}

// gateWidgets makes Widgets ones that are waited for.
var gateWidgets = map[string]any{"resource.customizations.health.example.com_Widget": "hs = {}\nhs.status = 'Progressing'\nif obj.status ~= nil then hs.status = 'Healthy' end\nreturn hs"}

// TestRepeated states that of several objects with one identity in one Application the last counts.
func TestRepeated(t *testing.T) {
	reads := workload("web", "0", "volumes: [{name: v, configMap: {name: cfg}}]")
	config := func(wave string) string { return object("ConfigMap", "cfg", wave, "") }
	note := []string{"ConfigMap team/cfg stands more than once among the objects: the last one counts"}
	runScenarios(t, map[string]scenario{
		"the last is in a later wave":    {apps: []string{"- a\n" + config("-1") + config("5") + reads}, given: []string{team}, want: "DEADLOCK", chain: []string{"runs pods that read a ConfigMap", "is in wave 5"}, notes: note},
		"the last is in an earlier wave": {apps: []string{"- a\n" + config("5") + config("-1") + reads}, given: []string{team}, want: "PROVEN", notes: note},
		"the first states no namespace":  {apps: []string{"- a\n{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}}\n---\n" + config("5") + reads}, given: []string{team}, want: "DEADLOCK", notes: note},
		"the last is a hook":             {apps: []string{"- a\n" + config("-1") + config("PostSync/0") + reads}, given: []string{team}, want: "DEADLOCK", notes: note},
		"another kind":                   {apps: []string{"- a\n" + config("-1") + object("Secret", "cfg", "5", "") + reads}, given: []string{team}, want: "PROVEN", silent: []string{"more than once"}},
		"another Application":            {apps: []string{"- a\n" + config("-1") + reads, "- b\n" + config("5") + object("ConfigMap", "z", "6", "")}, given: []string{team}, want: "UNHEALTHY", silent: []string{"more than once"}},
	})
}

// TestHooksAlone states that an Application of hooks alone is Synced and Healthy from the start, and that its hooks never run. Seen on
// Argo CD 3.2.11.
func TestHooksAlone(t *testing.T) {
	job := object("Job", "j", "PreSync/0", "spec: {template: {spec: {serviceAccountName: nobody, containers: []}}}")
	config := object("ConfigMap", "cfg", "PreSync/0", "")
	account := object("ServiceAccount", "acc", "PreSync/0", "")
	reads := workload("web", "0", "serviceAccountName: acc")
	last := object("ConfigMap", "last", "0", "")
	note := []string{"its hooks never run"}
	runScenarios(t, map[string]scenario{
		"one that would hang":              {apps: []string{"0 a\n" + job, "1 b\n" + last}, given: []string{team}, want: "PROVEN", notes: note},
		"control: not hooks alone":         {apps: []string{"0 a\n" + job + last, "1 b\n" + last}, given: []string{team}, want: "DEADLOCK", silent: note},
		"one that would provide":           {apps: []string{"0 a\n" + account, "1 b\n" + reads}, given: []string{team}, want: "UNHEALTHY", each: []string{"a PROVEN", "b UNHEALTHY", "root UNHEALTHY"}, chain: []string{"ServiceAccount team/acc comes from nobody, since Application a is nothing but hooks, which never run"}},
		"control: it provides with others": {apps: []string{"0 a\n" + account + last, "1 b\n" + reads}, given: []string{team}, want: "PROVEN"},
		"one that a person syncs":          {apps: []string{"- a manual\n" + job}, given: []string{team}, want: "DEADLOCK", silent: note},
		"a Skip beside a hook":             {apps: []string{"- a\n" + config + object("ConfigMap", "s", "Skip/0", "")}, given: []string{team}, want: "PROVEN", notes: note},
	})
}

// TestNetworks states which DaemonSets give nodes their network, and so must run before Argo CD, and which do not.
func TestNetworks(t *testing.T) {
	daemon := func(image, more string) string {
		return object("DaemonSet", "cni", "0", "spec: {template: {spec: {"+more+"containers: [{name: c, image: "+image+", envFrom: [{configMapRef: {name: cfg}}]}], volumes: [{name: b, hostPath: {path: /opt/cni/bin}}]}}}")
	}
	fleet := func(daemon string) []string {
		return []string{"0 base\n" + object("Namespace", "team", "0", "") + object("ConfigMap", "cfg", "0", ""), "1 net\n" + daemon}
	}
	runScenarios(t, map[string]scenario{
		"Istio's":                            {apps: fleet(daemon("istio/install-cni", "")), want: "PROVEN"},
		"Multus, in the node's network":      {apps: fleet(daemon("ghcr.io/k8snetworkplumbingwg/multus-cni:v4", "hostNetwork: true, ")), want: "PROVEN"},
		"Whereabouts":                        {apps: fleet(daemon("ghcr.io/k8snetworkplumbingwg/whereabouts", "hostNetwork: true, ")), want: "PROVEN"},
		"in a network that is there already": {apps: fleet(daemon("example.com/plugin", "")), want: "PROVEN"},
		"a network of its own":               {apps: fleet(daemon("quay.io/cilium/cilium", "hostNetwork: true, ")), want: "DEADLOCK", chain: []string{"must run before Argo CD syncs anything"}},
		"nodes have one already":             {apps: fleet(daemon("example.com/plugin", "hostNetwork: true, ")), network: true, want: "PROVEN"},
	})
}
