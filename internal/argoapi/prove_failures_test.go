package argoapi_test

import (
	"strconv"
	"strings"
	"testing"
)

// TestFailures states the catalogue of real ordering failures, facts of Argo CD section 5: for each row that final objects can tell,
// the smallest input, its verdict and the object that blocks; where there is room for it, also the cure as a negative control.
// A name begins with the number of its row.
func TestFailures(t *testing.T) {
	all := map[string]scenario{}
	for _, part := range []map[string]scenario{addressFailures(), hookFailures(), webhookFailures(), kindFailures(), secretFailures(), treeFailures()} {
		for name, s := range part {
			if _, twice := all[name]; twice {
				t.Errorf("two scenarios are called %q", name)
			}
			all[name] = s
		}
	}
	covered := map[int]bool{}
	for name := range all {
		number, _, _ := strings.Cut(name, " ")
		row, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("%q begins with no row", name)
		}
		covered[row] = true
	}
	for row := range undecidable {
		if covered[row] {
			t.Errorf("row %d is both stated and called undecidable", row)
		}
		covered[row] = true
	}
	for row := 1; row <= 53; row++ {
		if !covered[row] {
			t.Errorf("row %d is neither stated nor called undecidable", row)
		}
	}
	runScenarios(t, all)
}

// undecidable says of the rows that final objects cannot tell why they cannot.
var undecidable = map[int]string{
	3:  "whether a cloud's load balancer takes two protocols is known to that cloud; that nobody gives addresses on bare metal is row 1",
	19: "a pod that is Ready and yet unreachable from the API server is a fault of the network below; what NetworkPolicies cut off is told (TestNetworkPolicies)",
	42: "it takes two commits: the second cures what the first waits for, and a proof looks at one",
	50: "which status an operator writes depends on its version, which an image's tag does not tell reliably",
	51: "faults of single patch releases; release lines are told apart, patches are not (argocd.Version)",
}

var nobodyElse = []string{team}

func addressFailures() map[string]scenario {
	last := object("ConfigMap", "last", "9", "")
	balancer := object("Service", "web", "0", "spec: {type: LoadBalancer}")
	progressing := map[string]any{"resource.customizations.health.Service": `return {status = "Progressing", message = "pending"}`}
	healthy := map[string]any{"resource.customizations.health.Service": `return {status = "Healthy", message = "as it is"}`}
	class := object("StorageClass", "local", "-1", "provisioner: example.com/p, volumeBindingMode: WaitForFirstConsumer")
	claim := func(wave string) string {
		return object("PersistentVolumeClaim", "data", wave, "spec: {storageClassName: local}")
	}
	mounts := func(wave string) string {
		return workload("db", wave, "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]")
	}
	one := func(objects string) []string { return []string{"- app\n" + objects} }
	return map[string]scenario{
		"1 the pool behind the barrier of the Service": {
			apps: []string{"0 cilium\n" + cilium("0"), "1 pools\n" + object("CiliumLoadBalancerIPPool", "default", "0", "")}, given: nobodyElse, want: "DEADLOCK",
			chain: []string{"Service team/cilium-ingress waits for an address", "CiliumLoadBalancerIPPool.cilium.io default is in Application pools, in wave 1 of root"}, cure: "move Application pools to wave 0",
		},
		"2 a pending LoadBalancer blocks later waves":    {apps: one(balancer + last), given: nobodyElse, want: "DEADLOCK", chain: []string{"Service team/web waits for an address", "load-balancer-address comes from nobody"}},
		"2 a script that says Progressing does not help": {apps: one(balancer + last), given: nobodyElse, settings: progressing, want: "DEADLOCK", chain: []string{"Service team/web waits for an address"}},
		"2 a script that says Healthy does":              {apps: one(balancer + last), given: nobodyElse, settings: healthy, want: "PROVEN"},
		"2 in the last wave the sync ends":               {apps: one(balancer), given: nobodyElse, want: "UNHEALTHY"},
		"4 the slice that Cilium's ingress needs is never applied": {
			apps: one(object("EndpointSlice", "cilium-ingress", "0", "addressType: IPv4") + last), given: nobodyElse, want: "PROVEN",
			notes: []string{"EndpointSlice.discovery.k8s.io team/cilium-ingress is never applied: Argo CD overlooks its kind"},
		},
		"4 2.14 applies it": {apps: one(object("EndpointSlice", "cilium-ingress", "0", "addressType: IPv4") + last), given: nobodyElse, version: "2.14", want: "PROVEN", silent: []string{"is never applied"}},
		"5 nobody publishes the address of an Ingress": {
			apps: one(operator("traefik", "-1", "networking.k8s.io", "ingresses") + object("IngressClass", "traefik", "-1", "spec: {controller: traefik.io/ingress-controller}") +
				object("Ingress", "web", "0", "spec: {ingressClassName: traefik}") + last), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"Ingress.networking.k8s.io team/web is served by a controller that publishes no address"},
		},
		"5 a script for Ingress": {
			apps: one(object("Ingress", "web", "0", "spec: {ingressClassName: traefik}") + last), given: nobodyElse, want: "PROVEN",
			settings: map[string]any{"resource.customizations.health.networking.k8s.io_Ingress": `return {status = "Healthy", message = "as it is"}`},
		},
		"6 a claim binds only for a pod of a later wave": {apps: one(class + claim("0") + mounts("1")), given: nobodyElse, want: "DEADLOCK", chain: []string{"PersistentVolumeClaim team/data is bound only once a pod mounts it", "Deployment.apps team/db is in wave 1"}, cure: "to wave 0"},
		"7 a claim as a Helm hook before the install": {
			apps: one(object("StorageClass", "local", "PreSync/-1", "provisioner: example.com/p, volumeBindingMode: WaitForFirstConsumer") + object("PersistentVolumeClaim", "data", "helm:pre-install", "spec: {storageClassName: local}") + mounts("0")), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"PersistentVolumeClaim team/data is bound only once a pod mounts it"},
		},
		"8 claim and Deployment, waves 3 and 4": {apps: one(class + claim("3") + mounts("4")), given: nobodyElse, want: "DEADLOCK", chain: []string{"PersistentVolumeClaim team/data"}, cure: "to wave 3"},
		"8 the same wave":                       {apps: one(class + claim("3") + mounts("3") + last), given: nobodyElse, want: "PROVEN"},
		"36 a metric that nobody serves does not make an autoscaler unhealthy": {
			apps: one(workload("web", "0", "") + object("HorizontalPodAutoscaler", "web", "0", "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, metrics: [{type: Resource, resource: {name: cpu}}]}") + last), given: nobodyElse, want: "PROVEN",
		},
		"36 an autoscaler whose target comes later": {
			apps: one(object("HorizontalPodAutoscaler", "web", "0", "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}") + workload("web", "1", "")), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"HorizontalPodAutoscaler.autoscaling team/web scales a workload", "Deployment.apps team/web is in wave 1"},
		},
		"45 a suspended Job":                                         {apps: one(object("Job", "j", "0", "spec: {suspend: true, template: {spec: {containers: []}}}") + last), given: nobodyElse, want: "DEADLOCK", chain: []string{"Job.batch team/j is suspended"}},
		"45 a paused Deployment":                                     {apps: one(object("Deployment", "d", "0", "spec: {paused: true, template: {spec: {containers: []}}}") + last), given: nobodyElse, want: "DEADLOCK", chain: []string{"Deployment.apps team/d is paused"}},
		"47 ignore-healthcheck opens no barrier":                     {apps: one(overlookedBalancer("0") + last), given: nobodyElse, want: "DEADLOCK", chain: []string{"Service team/web waits for an address"}},
		"47 it does take the object out of its Application's health": {apps: []string{"0 web\n" + overlookedBalancer("0"), "1 next\n" + last}, given: nobodyElse, want: "PROVEN"},
	}
}

func overlookedBalancer(wave string) string {
	return "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: team, annotations: {argocd.argoproj.io/ignore-healthcheck: 'true', argocd.argoproj.io/sync-wave: '" + wave + "'}}, spec: {type: LoadBalancer}}\n---\n"
}

func hookFailures() map[string]scenario {
	one := func(objects string) []string { return []string{"- app\n" + objects} }
	job := func(name, at, pod, more string) string {
		return object("Job", name, at, "spec: {"+more+"template: {spec: {containers: [{name: c, image: i}]"+more2(pod)+"}}}")
	}
	class := object("StorageClass", "local", "-2", "provisioner: example.com/p, volumeBindingMode: Immediate")
	claim := func(wave string) string {
		return object("PersistentVolumeClaim", "data", wave, "spec: {storageClassName: local}")
	}
	mount := "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"
	last := object("ConfigMap", "last", "9", "")
	external := externalSecrets("PreSync/-5")
	makes := func(at, name, secret string) string {
		return object("ServiceAccount", name, at, "") + object("Role", name, at, "rules: [{apiGroups: [''], resources: [secrets], resourceNames: ["+secret+"], verbs: [get, update]}]") +
			object("RoleBinding", name, at, "roleRef: {kind: Role, name: "+name+"}, subjects: [{kind: ServiceAccount, name: "+name+", namespace: team}]")
	}
	return map[string]scenario{
		"9 a hook of wave -1 mounts the claim of wave 0": {apps: one(class + job("j", "Sync/-1", mount, "") + claim("0") + last), given: nobodyElse, want: "DEADLOCK", chain: []string{"Job.batch team/j runs pods that mount a claim", "PersistentVolumeClaim team/data is in wave 0"}},
		"9 the hook in wave 0":                           {apps: one(class + job("j", "Sync/0", mount, "") + claim("0") + last), given: nobodyElse, want: "PROVEN"},
		"10 a hook runs under an account of the main phase": {
			apps: one(job("j", "PreSync/0", "serviceAccountName: sa", "") + object("ServiceAccount", "sa", "0", "")), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"Job.batch team/j runs pods under a ServiceAccount", "ServiceAccount team/sa is in wave 0"}, cure: "make ServiceAccount team/sa a PreSync hook",
		},
		"10 the account is a hook too": {apps: one(job("j", "PreSync/0", "serviceAccountName: sa", "") + object("ServiceAccount", "sa", "PreSync/-1", "") + last), given: nobodyElse, want: "PROVEN"},
		"11 a migration reads a Secret that the main phase asks for": {
			apps: one(externalSecrets("-5") + job("migrate", "PreSync/0", "volumes: [{name: v, secret: {secretName: db}}]", "") + object("ExternalSecret", "db", "0", "spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}}")), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"Job.batch team/migrate runs pods that read a Secret", "ExternalSecret.external-secrets.io team/db is in wave 0"},
		},
		"11 the ExternalSecret is a hook before it": {
			apps: one(external + object("ExternalSecret", "db", "PreSync/-1", "spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}}") + job("migrate", "PreSync/0", "volumes: [{name: v, secret: {secretName: db}}]", "") + last), given: nobodyElse, want: "PROVEN",
		},
		"12 a hook in a namespace of the main phase":     {apps: one(object("Namespace", "team", "-100", "") + job("j", "PreSync/0", "", "") + last), want: "PROVEN"},
		"12 a hook in the namespace that the sync makes": {apps: []string{"- app CreateNamespace=true\n" + job("j", "PreSync/0", "", "") + last}, want: "PROVEN"},
		"12 the same on 2.14":                            {apps: []string{"- app CreateNamespace=true\n" + job("j", "PreSync/0", "", "") + last}, version: "2.14", want: "PROVEN"},
		"12 a hook in another namespace":                 {apps: []string{"- app CreateNamespace=true\n{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: other, annotations: {argocd.argoproj.io/hook: PreSync}}, spec: {template: {spec: {containers: []}}}}\n---\n" + last}, want: "FAILS", chain: []string{"Job.batch other/j lives in a namespace", "namespace other comes from nobody"}},
		"13 objects beside the destination":              {apps: []string{"- app CreateNamespace=true\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: other}}"}, want: "FAILS", chain: []string{"ConfigMap other/c lives in a namespace", "namespace other comes from nobody"}},
		"14 namespaces that an operator makes of its own accord": {
			apps: one(object("Role", "x", "0", "") + object("ServiceAccount", "op", "0", "") + workload("op", "0", "serviceAccountName: op") +
				object("ClusterRole", "op", "0", "rules: [{apiGroups: [''], resources: [namespaces], verbs: [create]}]") + object("ClusterRoleBinding", "op", "0", "roleRef: {kind: ClusterRole, name: op}, subjects: [{kind: ServiceAccount, name: op, namespace: team}]") +
				"{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: made, annotations: {argocd.argoproj.io/sync-wave: '-1'}}}"), given: nobodyElse, want: "UNKNOWN", axiom: "namespace made",
		},
		"15 a Deployment is ready only after a Job of the last phase": {
			apps: one(makes("0", "certs", "tls") + job("certs", "helm:post-install", "serviceAccountName: certs", "") + workload("dex", "0", "volumes: [{name: v, secret: {secretName: tls}}]")), given: nobodyElse, want: "DEADLOCK",
			chain: []string{"Deployment.apps team/dex runs pods that read a Secret", "Job.batch team/certs is in PostSync wave 0"},
		},
		"15 the Job in the main phase": {
			apps: one(makes("-1", "certs", "tls") + job("certs", "Sync/-1", "serviceAccountName: certs", "") + workload("dex", "0", "volumes: [{name: v, secret: {secretName: tls}}]")), given: nobodyElse, want: "PROVEN",
		},
		"46 a hook that is deleted as it ends, on 2.14": {apps: one(job("j", "PreSync/0", "", "ttlSecondsAfterFinished: 0, ") + last), given: nobodyElse, version: "2.14", want: "DEADLOCK", chain: []string{"Job.batch team/j is deleted as it ends"}},
		"46 from 3.0 on a finalizer keeps it":           {apps: one(job("j", "PreSync/0", "", "ttlSecondsAfterFinished: 0, ") + last), given: nobodyElse, want: "PROVEN"},
		"53 the Job that makes the Secret of Argo CD's redis": {
			apps: []string{"- argo-cd\n" + object("Namespace", "team", "0", "") + makes("helm:pre-install", "redis-init", "argocd-redis") + job("redis-init", "helm:pre-install", "serviceAccountName: redis-init", "") +
				object("StatefulSet", "argocd-application-controller", "0", "spec: {template: {spec: {containers: [{name: c, image: i, args: [argocd-application-controller], env: [{name: P, valueFrom: {secretKeyRef: {name: argocd-redis, key: auth}}}]}]}}}")}, want: "PROVEN",
		},
	}
}

// externalSecrets is the operator, its kinds and a store that needs no login.
func externalSecrets(wave string) string {
	return object("ClusterRole", "eso", wave, "rules: [{apiGroups: [external-secrets.io], resources: [clustersecretstores/status, externalsecrets/status], verbs: [update]}]") +
		object("ServiceAccount", "eso", wave, "") + workload("eso", wave, "serviceAccountName: eso") +
		object("ClusterRoleBinding", "eso", wave, "roleRef: {kind: ClusterRole, name: eso}, subjects: [{kind: ServiceAccount, name: eso, namespace: team}]") +
		definition(wave, "external-secrets.io", "ExternalSecret", "externalsecrets", "Namespaced") + definition(wave, "external-secrets.io", "ClusterSecretStore", "clustersecretstores", "Cluster") +
		object("ClusterSecretStore", "vault", after(wave), "spec: {provider: {fake: {}}}")
}

// after is the wave behind one of this file's: "PreSync/-5" is followed by "PreSync/-4".
func after(wave string) string {
	phase, number, hook := strings.Cut(wave, "/")
	if !hook {
		number = phase
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return wave
	}
	if hook {
		return phase + "/" + strconv.Itoa(n+1)
	}
	return strconv.Itoa(n + 1)
}
