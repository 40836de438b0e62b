package needs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

func object(t *testing.T, text string) manifest.Object {
	t.Helper()
	objects, _, err := manifest.Decode([]byte(text))
	if err != nil || len(objects) != 1 {
		t.Fatalf("%d objects, %v in\n%s", len(objects), err, text)
	}
	return objects[0]
}

// TestOf states for each object "rule: fact" of everything that it needs, but for webhooks, which TestAdmission looks at.
func TestOf(t *testing.T) {
	tests := map[string]struct {
		object string
		want   []string
	}{
		"built-in, cluster-scoped": {`{apiVersion: v1, kind: Namespace, metadata: {name: n1}}`, nil},
		"custom": {
			`{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: a}}`,
			[]string{"kind-served: kind Widget.example.com", "namespace-exists: namespace a"},
		},
		"a Helm test is never applied": {`{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, annotations: {helm.sh/hook: test}}}`, nil},
		"a pod with everything": {
			`apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: a}
spec:
  template:
    spec:
      serviceAccountName: sa
      priorityClassName: high
      volumes:
      - {name: v1, secret: {secretName: s1}}
      - {name: v2, secret: {secretName: s2, optional: true}}
      - {name: v3, configMap: {name: c1}}
      - {name: v4, persistentVolumeClaim: {claimName: p1}}
      - {name: v5, projected: {sources: [{secret: {name: s3}}, {configMap: {name: c2}}, {serviceAccountToken: {path: t}}]}}
      initContainers:
      - envFrom: [{secretRef: {name: s4}}, {configMapRef: {name: c3, optional: true}}]
      containers:
      - env:
        - {name: A, valueFrom: {secretKeyRef: {name: s1, key: k}}}
        - {name: B, valueFrom: {configMapKeyRef: {name: c4, key: k}}}
        - {name: C, value: plain}`,
			[]string{
				"namespace-exists: namespace a", "service-account: ServiceAccount a/sa",
				"pod-secret: Secret a/s1", "pod-secret: Secret a/s3", "pod-secret: Secret a/s4",
				"pod-config: ConfigMap a/c1", "pod-config: ConfigMap a/c2", "pod-config: ConfigMap a/c4",
				"pod-claim: PersistentVolumeClaim a/p1", "priority-class: PriorityClass.scheduling.k8s.io high",
			},
		},
		"what every namespace and cluster has": {
			`{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a}, spec: {serviceAccountName: default, priorityClassName: system-node-critical}}`,
			[]string{"namespace-exists: namespace a"},
		},
		"a CronJob's health says nothing about pods": {
			`{apiVersion: batch/v1, kind: CronJob, metadata: {name: c, namespace: a}, spec: {jobTemplate: {spec: {template: {spec: {serviceAccountName: s}}}}}}`,
			[]string{"namespace-exists: namespace a"},
		},
		"claim of a class": {
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: a}, spec: {storageClassName: fast}}`,
			[]string{"namespace-exists: namespace a", "storage-class: StorageClass.storage.k8s.io fast"},
		},
		"claim of the default class": {
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: a}, spec: {}}`,
			[]string{"namespace-exists: namespace a", "storage-class: ability default-storage-class"},
		},
		"claim of no class": {
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: a}, spec: {storageClassName: ""}}`,
			[]string{"namespace-exists: namespace a"},
		},
		"claim of a volume": {
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: a}, spec: {storageClassName: "", volumeName: v}}`,
			[]string{"namespace-exists: namespace a", "storage-class: PersistentVolume v"},
		},
		"claim template": {
			`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s, namespace: a}, spec: {template: {spec: {}}, volumeClaimTemplates: [{spec: {storageClassName: fast}}]}}`,
			[]string{"namespace-exists: namespace a", "storage-class: StorageClass.storage.k8s.io fast"},
		},
		"LoadBalancer Service": {
			`{apiVersion: v1, kind: Service, metadata: {name: s, namespace: a}, spec: {type: LoadBalancer}}`,
			[]string{"namespace-exists: namespace a", "load-balancer-address: ability load-balancer-address"},
		},
		"other Service": {`{apiVersion: v1, kind: Service, metadata: {name: s, namespace: a}, spec: {type: ClusterIP}}`, []string{"namespace-exists: namespace a"}},
		"Knative's Service is another kind": {
			`{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: s, namespace: a}, spec: {type: LoadBalancer}}`,
			[]string{"kind-served: kind Service.serving.knative.dev", "namespace-exists: namespace a"},
		},
		"Ingress": {
			`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, namespace: a}, spec: {ingressClassName: cilium}}`,
			[]string{"namespace-exists: namespace a", "ingress-class: IngressClass.networking.k8s.io cilium"},
		},
		"Certificate of a ClusterIssuer": {
			`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, namespace: a}, spec: {issuerRef: {kind: ClusterIssuer, name: acme}}}`,
			[]string{"kind-served: kind Certificate.cert-manager.io", "namespace-exists: namespace a", "issuer: ClusterIssuer.cert-manager.io acme"},
		},
		"Certificate of an Issuer, by default": {
			`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, namespace: a}, spec: {issuerRef: {name: ca}}}`,
			[]string{"kind-served: kind Certificate.cert-manager.io", "namespace-exists: namespace a", "issuer: Issuer.cert-manager.io a/ca"},
		},
		"ExternalSecret": {
			`{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: e, namespace: a}, spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}, data: [{sourceRef: {storeRef: {name: own}}}]}}`,
			[]string{
				"kind-served: kind ExternalSecret.external-secrets.io", "namespace-exists: namespace a",
				"secret-store: ClusterSecretStore.external-secrets.io vault", "secret-store: SecretStore.external-secrets.io a/own",
			},
		},
		"PushSecret": {
			`{apiVersion: external-secrets.io/v1alpha1, kind: PushSecret, metadata: {name: e, namespace: a}, spec: {secretStoreRefs: [{name: own}]}}`,
			[]string{"kind-served: kind PushSecret.external-secrets.io", "namespace-exists: namespace a", "secret-store: SecretStore.external-secrets.io a/own"},
		},
		"ClusterExternalSecret": {
			`{apiVersion: external-secrets.io/v1, kind: ClusterExternalSecret, metadata: {name: e}, spec: {externalSecretSpec: {secretStoreRef: {name: of-each-namespace}}}}`,
			[]string{"kind-served: kind ClusterExternalSecret.external-secrets.io"},
		},
		"Gateway": {
			`{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g, namespace: a}, spec: {gatewayClassName: cilium}}`,
			[]string{"kind-served: kind Gateway.gateway.networking.k8s.io", "namespace-exists: namespace a", "gateway-class: GatewayClass.gateway.networking.k8s.io cilium"},
		},
		"HTTPRoute": {
			`{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: r, namespace: a}, spec: {parentRefs: [{name: g, namespace: b}, {kind: Service, group: "", name: mesh}], rules: [{backendRefs: [{name: s}, {group: example.com, kind: Bucket, name: o}]}]}}`,
			[]string{
				"kind-served: kind HTTPRoute.gateway.networking.k8s.io", "namespace-exists: namespace a",
				"route-parent: Service a/mesh", "route-parent: Gateway.gateway.networking.k8s.io b/g",
				"route-backend: Service a/s", "route-backend: Bucket.example.com a/o",
			},
		},
		"APIService": {`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.m}, spec: {service: {name: m, namespace: a}}}`, []string{"api-service: Service a/m"}},
		"APIService that the API server answers itself": {`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.m}, spec: {}}`, nil},
		"wrong types everywhere": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: a}, spec: {template: {spec: {serviceAccountName: 3, volumes: {a: b}, containers: [x, 4, null, {env: 5, envFrom: [7]}]}}}}`,
			[]string{"namespace-exists: namespace a"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, need := range Of(object(t, tt.object)) {
				if need.Rule.Name != "webhook-answers" {
					got = append(got, need.Rule.Name+": "+need.Fact.String())
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProvided(t *testing.T) {
	tests := map[string]struct {
		object string
		want   []string
	}{
		"any":       {`{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: a}}`, []string{"Secret a/s"}},
		"Namespace": {`{apiVersion: v1, kind: Namespace, metadata: {name: team}}`, []string{"namespace team"}},
		"CRD": {
			`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: w}, spec: {group: example.com, names: {kind: Widget}}}`,
			[]string{"CustomResourceDefinition.apiextensions.k8s.io w", "kind Widget.example.com"},
		},
		"default class": {
			`{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: c, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}`,
			[]string{"ability default-storage-class", "StorageClass.storage.k8s.io c"},
		},
		"a default of another kind": {
			`{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, metadata: {name: c, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}`,
			[]string{"VolumeAttributesClass.storage.k8s.io c"},
		},
		"Cilium pool":                     {`{apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, metadata: {name: p}}`, []string{"ability load-balancer-address", "CiliumLoadBalancerIPPool.cilium.io p"}},
		"Cilium pool, disabled":           {`{apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, metadata: {name: p}, spec: {disabled: true}}`, []string{"CiliumLoadBalancerIPPool.cilium.io p"}},
		"MetalLB pool":                    {`{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p, namespace: m}}`, []string{"ability load-balancer-address", "IPAddressPool.metallb.io m/p"}},
		"MetalLB pool, only on request":   {`{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p, namespace: m}, spec: {autoAssign: false}}`, []string{"IPAddressPool.metallb.io m/p"}},
		"Certificate makes its Secret":    {`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, namespace: a}, spec: {secretName: tls}}`, []string{"Secret a/tls", "Certificate.cert-manager.io a/c"}},
		"ExternalSecret, named alike":     {`{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: e, namespace: a}}`, []string{"Secret a/e", "ExternalSecret.external-secrets.io a/e"}},
		"ExternalSecret, named":           {`{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: e, namespace: a}, spec: {target: {name: s}}}`, []string{"Secret a/s", "ExternalSecret.external-secrets.io a/e"}},
		"SealedSecret":                    {`{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: s, namespace: a}}`, []string{"Secret a/s", "SealedSecret.bitnami.com a/s"}},
		"a Helm test provides nothing":    {`{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {helm.sh/hook: test}}}`, nil},
		"an object without a name":        {`{apiVersion: v1, kind: Secret}`, nil},
		"generateName makes nothing sure": {`{apiVersion: batch/v1, kind: Job, metadata: {generateName: x-}}`, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, fact := range Provided(object(t, tt.object)) {
				got = append(got, fact.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDerived states what operators make of an object called x under names which others refer to, as their own docs have it.
func TestDerived(t *testing.T) {
	tests := map[string]string{
		"monitoring.coreos.com/v1, kind: Prometheus":                        "Service a/prometheus-operated",
		"monitoring.coreos.com/v1, kind: Alertmanager":                      "Service a/alertmanager-operated",
		"postgresql.cnpg.io/v1, kind: Cluster":                              "Secret a/x-app Secret a/x-ca Service a/x-r Service a/x-ro Service a/x-rw",
		"postgresql.cnpg.io/v1, kind: Cluster, enableSuperuserAccess":       "Secret a/x-app Secret a/x-ca Secret a/x-superuser Service a/x-r Service a/x-ro Service a/x-rw",
		"opentelemetry.io/v1beta1, kind: OpenTelemetryCollector":            "Service a/x-collector",
		"kafka.strimzi.io/v1, kind: Kafka":                                  "Secret a/x-cluster-ca-cert Service a/x-kafka-bootstrap",
		"rabbitmq.com/v1beta1, kind: RabbitmqCluster":                       "Secret a/x-default-user Service a/x",
		"elasticsearch.k8s.elastic.co/v1, kind: Elasticsearch":              "Secret a/x-es-elastic-user Secret a/x-es-http-certs-public Service a/x-es-http",
		"gateway.networking.k8s.io/v1, kind: Gateway":                       "Service a/cilium-gateway-x",
		"other.example.com/v1, kind: Prometheus":                            "",
		"monitoring.coreos.com/v1, kind: PrometheusRule":                    "",
		"templates.gatekeeper.sh/v1, kind: ConstraintTemplate":              "kind K.constraints.gatekeeper.sh",
		"apiextensions.crossplane.io/v1, kind: CompositeResourceDefinition": "kind C.g.example.com kind X.g.example.com",
		"kro.run/v1alpha1, kind: ResourceGraphDefinition":                   "kind S.kro.run",
	}
	const spec = "{group: g.example.com, names: {kind: X}, claimNames: {kind: C}, crd: {spec: {names: {kind: K}}}, schema: {kind: S}}"
	for name, want := range tests {
		api, asked := strings.CutSuffix(name, ", enableSuperuserAccess")
		var got []string
		for _, fact := range Provided(object(t, `{apiVersion: `+api+`, metadata: {name: x, namespace: a}, spec: `+spec+`}`).Set(asked, "spec", "enableSuperuserAccess")) {
			if fact.Type == Kind || fact.Kind == "Service" || fact.Kind == "Secret" {
				got = append(got, fact.String())
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %q, want %q", name, text, want)
		}
	}
}

// TestAdmission asks whether an object meets a webhook configuration.
func TestAdmission(t *testing.T) {
	hook := func(webhook string) string {
		return `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: v}, webhooks: [` + webhook + `]}`
	}
	pool := `{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p, namespace: m}}`
	tests := map[string]struct {
		webhook, object string
		want            bool
	}{
		"by plural":             {`{rules: [{operations: [CREATE], apiGroups: [metallb.io], resources: [ipaddresspools]}]}`, pool, true},
		"by group":              {`{rules: [{operations: ["*"], apiGroups: [metallb.io], resources: ["*/*"]}]}`, pool, true},
		"fails closed":          {`{failurePolicy: Fail, rules: [{operations: [CREATE], apiGroups: [metallb.io], resources: ["*"]}]}`, pool, true},
		"fails open":            {`{failurePolicy: Ignore, rules: [{operations: [CREATE], apiGroups: [metallb.io], resources: ["*"]}]}`, pool, false},
		"only updates":          {`{rules: [{operations: [UPDATE, DELETE], apiGroups: [metallb.io], resources: ["*"]}]}`, pool, false},
		"only the status":       {`{rules: [{operations: [CREATE], apiGroups: [metallb.io], resources: [ipaddresspools/status]}]}`, pool, false},
		"another group":         {`{rules: [{operations: [CREATE], apiGroups: [example.com], resources: ["*"]}]}`, pool, false},
		"another kind":          {`{rules: [{operations: [CREATE], apiGroups: [metallb.io], resources: [bgppeers]}]}`, pool, false},
		"all groups":            {`{rules: [{operations: [CREATE], apiGroups: ["*"], resources: ["*"]}]}`, pool, false},
		"labelled objects only": {`{objectSelector: {matchLabels: {a: b}}, rules: [{operations: [CREATE], apiGroups: [metallb.io], resources: ["*"]}]}`, pool, false},
		"plural in -ies":        {`{rules: [{operations: [CREATE], apiGroups: [cilium.io], resources: [ciliumnetworkpolicies]}]}`, `{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {name: p}}`, true},
		"plural in -ways":       {`{rules: [{operations: [CREATE], apiGroups: [gateway.networking.k8s.io], resources: [gateways]}]}`, `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: p}}`, true},
		"plural in -es":         {`{rules: [{operations: [CREATE], apiGroups: [networking.k8s.io], resources: [ingresses]}]}`, `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: p}}`, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			provided, got := Provided(object(t, hook(tt.webhook))), false
			for _, need := range Of(object(t, tt.object)) {
				for _, fact := range provided {
					got = got || (need.Rule.IfAny && need.Fact == fact)
				}
			}
			if got != tt.want {
				t.Errorf("must be admitted: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestRulesAreExplained holds that every rule says why and who says so, under a name of its own.
func TestRulesAreExplained(t *testing.T) {
	seen := map[string]bool{}
	check := func(name, source string) {
		if name == "" || seen[name] || source == "" || strings.ToLower(name) != name {
			t.Errorf("rule %q: needs a lower-case name of its own and a source", name)
		}
		seen[name] = true
	}
	for _, r := range Rules() {
		check(r.Name, r.Source)
		if r.Reason == "" || r.Stage == Declared {
			t.Errorf("rule %s: needs a reason and a stage", r.Name)
		}
	}
	for _, p := range Provisions() {
		check(p.Name, p.Source)
	}
}
