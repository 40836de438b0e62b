package judge

// What components of packed charts say beside their chart.
const (
	keptKinds       = "scopes: {ServiceMonitor.monitoring.coreos.com: Namespaced, Certificate.cert-manager.io: Namespaced, Issuer.cert-manager.io: Namespaced}"
	monitored       = "values: {prometheus: {monitor: {enabled: true}}}\n" + keptKinds
	withoutHooks    = "hooks: drop"
	certManagerOnly = "hooks: drop\nvalues: {crds: {enabled: true}}"
	collector       = "values: {mode: deployment, image: {repository: otel/opentelemetry-collector-k8s}}"
	existingSecret  = "values: {admin: {existingSecret: grafana-admin}}"
	withVolume      = "values: {admin: {existingSecret: grafana-admin}, persistence: {enabled: true}}"
	vaultDev        = "values: {server: {dev: {enabled: true}}}"
	stackAlone      = "values: {grafana: {enabled: false}}\nallowSecrets: [{namespace: kube-prometheus-stack, name: alertmanager-kube-prometheus-stack-alertmanager, reason: the default configuration holds no secret}]"
	lokiAlone       = `values:
  deploymentMode: SingleBinary
  loki:
    auth_enabled: false
    commonConfig: {replication_factor: 1}
    storage: {type: filesystem}
    schemaConfig: {configs: [{from: "2024-01-01", store: tsdb, object_store: filesystem, schema: v13, index: {prefix: i, period: 24h}}]}
  singleBinary: {replicas: 1}
  read: {replicas: 0}
  write: {replicas: 0}
  backend: {replicas: 0}
  chunksCache: {enabled: false}
  resultsCache: {enabled: false}`
)

// What the charts of ingress controllers say, beside what is asked of them below.
const (
	nginxOnNodes  = "hooks: drop\nvalues: {controller: {hostNetwork: true, publishService: {enabled: false}, service: {type: NodePort}, admissionWebhooks: {enabled: false}}}"
	traefikInside = "values: {service: {type: ClusterIP}}"
)

const (
	traefikIngress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: inside, namespace: default}
spec: {ingressClassName: traefik, rules: [{host: inside.example.internal, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}
`
	rolloutText = `apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web, namespace: argo-rollouts}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  strategy: {canary: {}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: registry.example.internal/a:1}]}
`
	scaledText = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: keda}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: registry.example.internal/a:1, resources: {requests: {cpu: 10m}}}]}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: web, namespace: keda}
spec: {scaleTargetRef: {name: web}, triggers: [{type: cron, metadata: {timezone: Etc/UTC, start: 0 6 * * *, end: 0 20 * * *, desiredReplicas: "2"}}]}
`
	templateText = `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: ownerlabel}
spec:
  crd: {spec: {names: {kind: OwnerLabel}}}
  targets: [{target: admission.k8s.gatekeeper.sh, rego: "package ownerlabel\nviolation[{\"msg\": \"no\"}] { false }"}]
`
	constraintText = `apiVersion: constraints.gatekeeper.sh/v1beta1
kind: OwnerLabel
metadata: {name: all, annotations: {argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}}
spec: {match: {kinds: [{apiGroups: [""], kinds: [Namespace]}]}}
`
)

// packedCases are scenarios from charts as they are published: gen renders them as it renders a component. In rounds 6 to 11 and 14
// nobody gives addresses; in round 6 there is a default StorageClass whose volumes are made. Charts of many definitions are spread:
// Argo CD reads all schemas again for each.
func packedCases() []chartCase {
	list := append(shipped(), stored()...)
	for _, cases := range [][]chartCase{packedFirst(), packedTogether(), packedLast(), packedWithoutScript(), packedAddresses()} {
		list = append(list, cases...)
	}
	return list
}

func wholePacked(chart, lines string, want Want) chartCase {
	return chartCase{name: "shipped-" + chart, round: 6, want: want, parts: []part{{name: "a", chart: chart, gen: lines}}}
}

// shipped are charts as one Application, with the values that they come with or the fewest that they ask for.
func shipped() []chartCase {
	var list []chartCase
	for _, chart := range []string{
		"argo-events", "argo-rollouts", "crossplane", "descheduler", "keda", "local-path-provisioner", "prometheus-adapter",
		"prometheus-blackbox-exporter", "prometheus-pushgateway", "reloader", "tempo", "prometheus-operator-admission-webhook",
	} {
		k := wholePacked(chart, asShipped, Want{Verdict: Proven})
		k.only3 = chart == "prometheus-operator-admission-webhook" // its hooks are Jobs that are deleted as they end
		list = append(list, k)
	}
	grafana := wholePacked("grafana", existingSecret, Want{Verdict: Unknown})
	grafana.round, grafana.axiom = 14, "Secret grafana/grafana-admin"
	prometheus := wholePacked("prometheus", asShipped, Want{Verdict: Unknown})
	prometheus.name, prometheus.round, prometheus.axiom = "shipped-claim", 14, storageClass
	return append(list, grafana, prometheus,
		wholePacked("external-dns", "values: {policy: sync}", Want{Verdict: Proven}),
		wholePacked("opentelemetry-collector", collector, Want{Verdict: Proven}),
		wholePacked("istiod", asShipped, Want{Verdict: Unhealthy, Blocked: "Deployment istiod"}),
		wholePacked("ingress-nginx", withoutHooks, Want{Verdict: Unhealthy}),
		wholePacked("gatekeeper", asShipped, Want{Verdict: Proven}).in(14),
		wholePacked("velero", asShipped, Want{Verdict: Fails, Blocked: "BackupStorageLocation default"}).in(14),
		wholePacked("prometheus-operator-crds", asShipped, Want{Verdict: Proven}).in(14),
		wholePacked("opentelemetry-operator", keptKinds, Want{Verdict: Fails}).in(14), // where nobody brings cert-manager's kinds
		wholePacked("longhorn", asShipped, Want{Verdict: Deadlock}).in(14),
		wholePacked("traefik", asShipped, Want{Verdict: Unhealthy, Blocked: "Service traefik"}).in(3),
		wholePacked("cert-manager", certManagerOnly, Want{Verdict: Proven}),
	)
}

func (k chartCase) in(round int) chartCase {
	k.round = round
	return k
}

// stored are charts that claim volumes, where there is a default StorageClass.
func stored() []chartCase {
	var list []chartCase
	for chart, lines := range map[string]string{
		"prometheus": asShipped, "redis": "values: {auth: {enabled: false}}", "loki": lokiAlone, "alertmanager": asShipped,
		"grafana": withVolume, "vault": vaultDev,
	} {
		list = append(list, chartCase{
			name: "stored-" + chart, round: 6, want: Want{Verdict: Proven}, facts: []string{storageClass, "Secret grafana/grafana-admin"},
			parts: []part{{name: "a", chart: chart, gen: lines}},
		})
	}
	// as Helm renders it, without what gen writes into claim templates
	return append(list, chartCase{
		name: "stored-spire", round: 6, want: Want{Verdict: Unhealthy, Blocked: "StatefulSet spire-server"}, facts: []string{storageClass},
		parts: []part{{name: "a", chart: "cilium", only: spire}},
	})
}

// packedFirst are operators and definitions before what needs them.
func packedFirst() []chartCase {
	return []chartCase{
		{name: "monitors-defined-first", round: 8, want: Want{Verdict: Proven}, parts: []part{
			{name: "kinds", wave: "0", chart: "prometheus-operator-crds", gen: asShipped}, {name: "state", wave: "1", chart: "kube-state-metrics", gen: monitored},
		}},
		{name: "opentelemetry-after-cert-manager", round: 8, want: Want{Verdict: Proven}, parts: []part{
			{name: "certs", wave: "0", chart: "cert-manager", gen: certManagerOnly}, {name: "operator", wave: "1", chart: "opentelemetry-operator", gen: keptKinds},
		}},
		{name: "keda-object-later", round: 8, want: Want{Verdict: Proven}, parts: []part{{name: "keda", wave: "0", chart: "keda", gen: asShipped}, {name: "web", wave: "1", more: scaledText}}},
		{name: "rollout-later", round: 8, want: Want{Verdict: Proven}, parts: []part{{name: "rollouts", wave: "0", chart: "argo-rollouts", gen: asShipped}, {name: "web", wave: "1", more: rolloutText}}},
		{name: "gatekeeper-constraint-later", round: 10, want: Want{Verdict: Retry}, races: true, parts: []part{
			{name: "gatekeeper", wave: "0", chart: "gatekeeper", gen: asShipped}, {name: "template", wave: "1", more: templateText}, {name: "constraint", wave: "2", more: constraintText},
		}},
		{name: "longhorn-without-hooks", round: 12, want: Want{Verdict: Proven}, parts: []part{{name: "a", chart: "longhorn", gen: withoutHooks}}},
		{name: "traefik-holds-the-rest", round: 9, want: Want{Verdict: Deadlock, Blocked: "Application traefik-holds-the-rest-traefik"}, parts: []part{
			{name: "traefik", wave: "0", chart: "traefik", gen: asShipped}, {name: "last", wave: "1", more: lastText},
		}},
	}
}

// packedTogether are operators and definitions in the same step as what needs them.
func packedTogether() []chartCase {
	return []chartCase{
		{name: "monitors-defined-beside", round: 9, want: Want{Verdict: Retry}, races: true, parts: []part{
			{name: "kinds", wave: "0", chart: "prometheus-operator-crds", gen: asShipped}, {name: "state", wave: "0", chart: "kube-state-metrics", gen: monitored},
		}},
		{name: "opentelemetry-beside-cert-manager", round: 9, want: Want{Verdict: Retry}, races: true, parts: []part{
			{name: "certs", wave: "0", chart: "cert-manager", gen: certManagerOnly}, {name: "operator", wave: "0", chart: "opentelemetry-operator", gen: keptKinds},
		}},
		{name: "keda-object-same", round: 9, want: Want{Verdict: Proven}, parts: []part{{name: "a", chart: "keda", gen: asShipped, more: scaledText}}},
		{name: "rollout-same", round: 9, want: Want{Verdict: Proven}, parts: []part{{name: "a", chart: "argo-rollouts", gen: asShipped, more: rolloutText}}},
	}
}

// packedLast are operators and definitions behind what needs them, and a parent that waits.
func packedLast() []chartCase {
	return []chartCase{
		{name: "monitors-defined-last", round: 10, want: Want{Verdict: Deadlock}, parts: []part{
			{name: "state", wave: "0", chart: "kube-state-metrics", gen: monitored}, {name: "kinds", wave: "1", chart: "prometheus-operator-crds", gen: asShipped},
		}},
		{name: "opentelemetry-before-cert-manager", round: 10, want: Want{Verdict: Deadlock}, parts: []part{
			{name: "operator", wave: "0", chart: "opentelemetry-operator", gen: keptKinds}, {name: "certs", wave: "1", chart: "cert-manager", gen: certManagerOnly},
		}},
		{name: "keda-object-earlier", round: 10, want: Want{Verdict: Deadlock, Blocked: "ScaledObject web"}, parts: []part{
			{name: "web", wave: "-1", more: scaledText}, {name: "keda", wave: "0", chart: "keda", gen: asShipped},
		}},
		{name: "rollout-earlier", round: 10, want: Want{Verdict: Deadlock, Blocked: "Rollout web"}, parts: []part{
			{name: "web", wave: "-1", more: rolloutText}, {name: "rollouts", wave: "0", chart: "argo-rollouts", gen: asShipped},
		}},
	}
}

// packedWithoutScript are wrong orders where Argo CD has no health script for Applications: nothing waits, so that they heal.
func packedWithoutScript() []chartCase {
	list := packedLast()
	for i := range list {
		list[i].name, list[i].round, list[i].health, list[i].races = list[i].name+"-no-script", 11, "none", true
		list[i].want = Want{Verdict: Retry}
	}
	return list
}

// packedAddresses are charts that wait for an address, and MetalLB.
func packedAddresses() []chartCase {
	metallb := part{name: "metallb", wave: "0", chart: "metallb", gen: asShipped}
	pool := part{name: "pool", wave: "1", more: metallbPoolAt("metallb")}
	return []chartCase{
		{name: "traefik-behind-metallb", round: 12, want: Want{Verdict: Proven}, parts: []part{metallb, pool, {name: "traefik", wave: "2", chart: "traefik", gen: asShipped}, {name: "last", wave: "3", more: lastText}}},
		wholePacked("kube-prometheus-stack", stackAlone, Want{Verdict: Proven}).in(5),
		{name: "nginx-on-nodes", round: 13, want: Want{Verdict: Proven}, parts: []part{{name: "nginx", wave: "0", chart: "ingress-nginx", gen: nginxOnNodes}, {name: "web", wave: "1", more: ingressText}, {name: "last", wave: "2", more: lastText}}},
		{name: "traefik-inside", round: 13, want: Want{Verdict: Deadlock, Blocked: "Application traefik-inside-web"}, parts: []part{
			{name: "traefik", wave: "0", chart: "traefik", gen: traefikInside}, {name: "web", wave: "1", more: traefikIngress}, {name: "last", wave: "2", more: lastText},
		}},
	}
}
