package argoapi_test

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// TestVersions states that a kind must be served in the version that an object states: by its CRD, or by Kubernetes.
func TestVersions(t *testing.T) {
	crd := func(versions string) string {
		return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [" + versions + "]}}\n---\n"
	}
	widget := func(version, more string) string {
		return "{apiVersion: example.com/" + version + ", kind: Widget, metadata: {name: w, namespace: team" + more + "}}"
	}
	skip := ", annotations: {argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}"
	one, two := "{name: v1, served: true, storage: true}", "{name: v1, served: true, storage: true}, {name: v2, served: true}"
	plain := func(api, kind string) []string {
		return []string{"- a\n{apiVersion: " + api + ", kind: " + kind + ", metadata: {name: x, namespace: team}, spec: {}}"}
	}
	tests := map[string]scenario{
		"the version that is served":           {apps: []string{"- a\n" + crd(one) + widget("v1", "")}, want: "PROVEN"},
		"one of two":                           {apps: []string{"- a\n" + crd(two) + widget("v2", "")}, want: "PROVEN"},
		"another version":                      {apps: []string{"- a\n" + crd(one) + widget("v2", "")}, want: "FAILS", chain: []string{"w is of version v2, which its CustomResourceDefinition does not serve: it serves v1"}},
		"another version, of another sync":     {apps: []string{"0 crds\n" + crd(one), "1 a\n" + widget("v2", "") + "\n---\n" + object("ConfigMap", "c", "-1", "")}, want: "FAILS"},
		"another version, without a dry run":   {apps: []string{"0 crds\n" + crd(one), "1 a\n" + widget("v2", skip)}, want: "FAILS"},
		"a version that is not served":         {apps: []string{"- a\n" + crd("{name: v1, served: false, storage: true}") + widget("v1", "")}, want: "FAILS"},
		"a version that is no longer served":   {apps: []string{"- a\n" + crd("{name: v1beta1, served: false}, "+one) + widget("v1beta1", "")}, want: "FAILS"},
		"a CRD that is elsewhere":              {apps: []string{"- a\n" + widget("v7", "")}, given: []string{"kind Widget.example.com"}, want: "PROVEN"},
		"Kubernetes' own":                      {apps: plain("networking.k8s.io/v1", "NetworkPolicy"), want: "PROVEN"},
		"Kubernetes' own, not served":          {apps: plain("apps/v9", "Deployment"), want: "FAILS", chain: []string{"is of apps/v9, which Kubernetes does not serve: it serves Deployment as v1"}},
		"Kubernetes' own, beta of another":     {apps: plain("networking.k8s.io/v1beta1", "NetworkPolicy"), want: "FAILS"},
		"Kubernetes' own, no longer served":    {apps: plain("batch/v1beta1", "CronJob"), want: "FAILS", chain: []string{"has not served since 1.25"}},
		"Kubernetes' own, in its two versions": {apps: []string{"- a\n{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: x, namespace: team}, spec: {}}"}, want: "PROVEN"},
		"no version":                           {apps: []string{"- a\n{kind: ConfigMap, metadata: {name: x, namespace: team}}"}, want: "FAILS", chain: []string{"states no apiVersion"}},
		"nothing else of it is applied":        {apps: []string{"0 crds\n" + crd(one), "0 a\n" + widget("v2", "") + "\n---\n" + object("ServiceAccount", "s", "0", ""), "0 b\n" + workload("web", "0", "serviceAccountName: s")}, want: "FAILS", each: []string{"a FAILS", "b UNHEALTHY"}},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestUnfit states which objects no API server takes, whatever else there is.
func TestUnfit(t *testing.T) {
	named := func(name string) []string {
		return []string{"- a\n{apiVersion: v1, kind: ConfigMap, metadata: {" + name + "namespace: team}}"}
	}
	pod := func(container string) []string {
		return []string{"- a\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: team}, spec: {template: {spec: {containers: [{name: c, image: i, " + container + "}]}}}}"}
	}
	tests := map[string]scenario{
		"a name":                      {apps: named("name: a.b-c, "), want: "PROVEN"},
		"no name":                     {apps: named(""), want: "FAILS", chain: []string{"has no name"}},
		"a number for a name":         {apps: named("name: 123, "), want: "FAILS", chain: []string{"has a name that is no string: 123"}},
		"a number in quotes":          {apps: named("name: \"123\", "), want: "PROVEN"},
		"false for a name":            {apps: named("name: n, "), want: "FAILS"},
		"a name with capitals":        {apps: named("name: Foo_Bar, "), want: "FAILS", chain: []string{"has a name that the API server refuses"}},
		"a name with a nul":           {apps: named("name: \"a\\0b\", "), want: "FAILS"},
		"a Service with dots":         {apps: []string{"- a\n{apiVersion: v1, kind: Service, metadata: {name: a.b, namespace: team}}"}, want: "FAILS"},
		"a role with colons":          {apps: []string{"- a\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'system:x'}}"}, want: "PROVEN"},
		"a hook that is named later":  {apps: []string{"- a\n{apiVersion: batch/v1, kind: Job, metadata: {generateName: x-, namespace: team, annotations: {argocd.argoproj.io/hook: PostSync}}, spec: {template: {spec: {containers: []}}}}\n---\n" + object("ConfigMap", "c", "0", "")}, want: "PROVEN"},
		"replicas in words":           {apps: []string{"- a\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: team}, spec: {replicas: \"two\", template: {spec: {containers: []}}}}"}, want: "FAILS", chain: []string{"spec.replicas is two, and must be a whole number"}},
		"replicas":                    {apps: []string{"- a\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: team}, spec: {replicas: 2, template: {spec: {containers: []}}}}"}, want: "PROVEN"},
		"a variable without quotes":   {apps: pod("env: [{name: DEBUG, value: true}]"), want: "FAILS", chain: []string{"the variable DEBUG of container c is true, and must be a string"}},
		"a variable in quotes":        {apps: pod("env: [{name: DEBUG, value: 'true'}, {name: E}]"), want: "PROVEN"},
		"a port in quotes":            {apps: pod("ports: [{containerPort: '80'}]"), want: "FAILS"},
		"an argument without quotes":  {apps: pod("args: [-v, 2]"), want: "FAILS"},
		"data without quotes":         {apps: []string{"- a\n" + object("ConfigMap", "c", "0", "data: {port: 80}")}, want: "FAILS"},
		"data in quotes, and nothing": {apps: []string{"- a\n" + object("ConfigMap", "c", "0", "data: {port: '80', none: null}")}, want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}

// TestPools states which pools of addresses give a Service one (Cilium docs, LB IPAM; MetalLB docs, usage and advanced pools).
func TestPools(t *testing.T) {
	cilium := func(pool, meta, service string) []string {
		return []string{"- app\n" + operator("op", "-2", "cilium.io", "ciliumloadbalancerippools") + definition("-3", "cilium.io", "CiliumLoadBalancerIPPool", "ciliumloadbalancerippools", "Cluster") +
			object("CiliumLoadBalancerIPPool", "p", "-1", "spec: {"+pool+"}") + balancer(meta, service) + object("ConfigMap", "last", "9", "")}
	}
	metal := func(pool, meta, service string) []string {
		return []string{"- app\n" + operator("op", "-2", "metallb.io", "ipaddresspools") + definition("-3", "metallb.io", "IPAddressPool", "ipaddresspools", "Namespaced") +
			object("IPAddressPool", "p", "-1", "spec: {"+pool+"}") + balancer(meta, service) + object("ConfigMap", "last", "9", "")}
	}
	ten, six := "blocks: [{cidr: 10.0.0.0/24}]", "blocks: [{cidr: 'fd00::/64'}]"
	one := "addresses: [10.0.0.1-10.0.0.9]"
	wants := func(annotation, value string) string { return "annotations: {" + annotation + ": " + value + "}" }
	tests := map[string]scenario{
		"Cilium":                              {apps: cilium(ten, "", ""), want: "PROVEN"},
		"Cilium, a selector that fits":        {apps: cilium(ten+", serviceSelector: {matchLabels: {color: blue}}", "labels: {color: blue}", ""), want: "PROVEN"},
		"Cilium, a selector that does not":    {apps: cilium(ten+", serviceSelector: {matchLabels: {color: blue}}", "", ""), want: "DEADLOCK", chain: []string{"Service team/web waits for an address, and no pool fits (p: its serviceSelector is for others)"}},
		"Cilium, a namespace that fits":       {apps: cilium(ten+", serviceSelector: {matchLabels: {io.kubernetes.service.namespace: team}}", "", ""), want: "PROVEN"},
		"Cilium, a namespace that does not":   {apps: cilium(ten+", serviceSelector: {matchExpressions: [{key: io.kubernetes.service.namespace, operator: In, values: [other]}]}", "", ""), want: "DEADLOCK"},
		"Cilium, an address of it":            {apps: cilium(ten, wants("lbipam.cilium.io/ips", "10.0.0.7"), ""), want: "PROVEN"},
		"Cilium, an address outside":          {apps: cilium(ten, wants("lbipam.cilium.io/ips", "192.168.9.9"), ""), want: "DEADLOCK", chain: []string{"192.168.9.9, for which the Service asks, is outside of it"}},
		"Cilium, the field, outside":          {apps: cilium(ten, "", "loadBalancerIP: 192.168.9.9"), want: "DEADLOCK"},
		"Cilium, a range from start to stop":  {apps: cilium("blocks: [{start: 10.0.0.5, stop: 10.0.0.9}]", wants("io.cilium/lb-ipam-ips", "10.0.0.7"), ""), want: "PROVEN"},
		"Cilium, the other family":            {apps: cilium(six, "", "ipFamilies: [IPv4], ipFamilyPolicy: SingleStack"), want: "DEADLOCK", chain: []string{"has no address of the family IPv4"}},
		"Cilium, one of two families":         {apps: cilium(six, "", "ipFamilies: [IPv4, IPv6], ipFamilyPolicy: PreferDualStack"), want: "PROVEN"},
		"Cilium, a class of its own":          {apps: cilium(ten, "", "loadBalancerClass: io.cilium/l2-announcer"), want: "PROVEN"},
		"Cilium, another's class":             {apps: cilium(ten, "", "loadBalancerClass: tailscale"), want: "DEADLOCK"},
		"Cilium, disabled":                    {apps: cilium(ten+", disabled: true", "", ""), want: "DEADLOCK"},
		"MetalLB":                             {apps: metal(one, "", ""), want: "PROVEN"},
		"MetalLB, an address outside":         {apps: metal(one, wants("metallb.universe.tf/loadBalancerIPs", "192.168.1.1"), ""), want: "DEADLOCK"},
		"MetalLB, an address of it":           {apps: metal(one, wants("metallb.io/loadBalancerIPs", "10.0.0.3"), ""), want: "PROVEN"},
		"MetalLB, on request alone":           {apps: metal(one+", autoAssign: false", "", ""), want: "DEADLOCK"},
		"MetalLB, on request, by address":     {apps: metal(one+", autoAssign: false", wants("metallb.io/loadBalancerIPs", "10.0.0.3"), ""), want: "PROVEN"},
		"MetalLB, on request, by name":        {apps: metal(one+", autoAssign: false", wants("metallb.io/address-pool", "p"), ""), want: "PROVEN"},
		"MetalLB, another's name":             {apps: metal(one, wants("metallb.io/address-pool", "q"), ""), want: "DEADLOCK"},
		"MetalLB, other namespaces":           {apps: metal(one+", serviceAllocation: {namespaces: [other]}", "", ""), want: "DEADLOCK"},
		"MetalLB, these namespaces":           {apps: metal(one+", serviceAllocation: {namespaces: [other, team]}", "", ""), want: "PROVEN"},
		"MetalLB, other Services":             {apps: metal(one+", serviceAllocation: {serviceSelectors: [{matchLabels: {a: b}}]}", "", ""), want: "DEADLOCK"},
		"MetalLB, another's class":            {apps: metal(one, "", "loadBalancerClass: tailscale"), want: "DEADLOCK"},
		"no pool, and it is stated":           {apps: []string{"- app\n" + balancer("", "") + object("ConfigMap", "last", "9", "")}, given: []string{"ability load-balancer-address"}, want: "PROVEN"},
		"no pool, a class, the rest stated":   {apps: []string{"- app\n" + balancer("", "loadBalancerClass: tailscale") + object("ConfigMap", "last", "9", "")}, given: []string{"ability load-balancer-address"}, want: "UNKNOWN", axiom: "ability load-balancer-address of class tailscale"},
		"a class that is stated":              {apps: []string{"- app\n" + balancer("", "loadBalancerClass: tailscale") + object("ConfigMap", "last", "9", "")}, given: []string{"ability load-balancer-address of class tailscale"}, want: "PROVEN"},
		"a pool that does not fit, and cloud": {apps: cilium(ten, wants("lbipam.cilium.io/ips", "192.168.9.9"), ""), given: []string{"ability load-balancer-address"}, want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}

// balancer is a Service of type LoadBalancer.
func balancer(meta, spec string) string {
	return "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: team" + more(meta) + "}, spec: {type: LoadBalancer" + more(spec) + "}}\n---\n"
}

// handedOn is the health script for Applications of Argo CD's docs: it hands on the health that an Application has.
const handedOn = "hs = {}\nhs.status = 'Progressing'\nif obj.status ~= nil and obj.status.health ~= nil and obj.status.health.status ~= nil then hs.status = obj.status.health.status end\nreturn hs"

// TestItself states when an Application that applies itself passes its own step: its health script is asked about one that is OutOfSync,
// and Missing while a later object is whose health the engine knows (argo-cd controller/health.go).
func TestItself(t *testing.T) {
	self := func(wave string) string {
		return "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: boot, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: \"" + wave + "\"}}, spec: {project: default, source: {repoURL: r, path: p}, destination: {name: in-cluster, namespace: team}, syncPolicy: {automated: {}}}}\n---\n"
	}
	config, pods := object("ConfigMap", "c", "1", ""), workload("d", "1", "")
	docs := map[string]any{argocd.ApplicationHealthKey: handedOn}
	tests := map[string]scenario{
		"a script that asks for Synced":            {apps: []string{"- boot\n" + self("0") + config}, want: "DEADLOCK", chain: []string{"boot is the Application that applies it, which is OutOfSync and Healthy until its later waves are applied"}},
		"in the last wave":                         {apps: []string{"- boot\n" + self("2") + config}, want: "PROVEN"},
		"one wave":                                 {apps: []string{"- boot\n" + self("1") + config}, want: "PROVEN"},
		"no script":                                {apps: []string{"- boot\n" + self("0") + config}, noHealth: true, want: "PROVEN"},
		"health handed on, nothing counts":         {apps: []string{"- boot\n" + self("0") + config}, settings: docs, want: "PROVEN"},
		"health handed on, a later workload":       {apps: []string{"- boot\n" + self("0") + pods}, settings: docs, want: "DEADLOCK", chain: []string{"OutOfSync and Missing"}},
		"health handed on, and 3.4":                {apps: []string{"- boot\n" + self("0") + pods}, settings: docs, version: "3.4", want: "PROVEN"},
		"health handed on, the workload is before": {apps: []string{"- boot\n" + workload("d", "-1", "") + self("0") + config}, settings: docs, want: "PROVEN"},
	}
	for name, s := range tests {
		s.given = append(s.given, team)
		tests[name] = s
	}
	runScenarios(t, tests)
}
