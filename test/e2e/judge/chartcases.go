package judge

import (
	"strings"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

const crdKind = "CustomResourceDefinition"

func definitions(o *kube.Object) bool { return o.GetKind() == crdKind }
func theRest(o *kube.Object) bool     { return o.GetKind() != crdKind }

// plainCilium leaves out what needs a volume (spire) or other clusters (clustermesh).
func plainCilium(o *kube.Object) bool {
	return o.GetNamespace() != "cilium-spire" && o.GetName() != "cilium-spire" && !strings.HasPrefix(o.GetName(), "clustermesh")
}

// spire is what cilium's chart brings for mutual authentication.
func spire(o *kube.Object) bool {
	return o.GetNamespace() == "cilium-spire" || o.GetName() == "cilium-spire" || strings.HasPrefix(o.GetName(), "spire-")
}

// without leaves objects of some kinds out.
func without(kinds ...string) func(*kube.Object) bool {
	return func(o *kube.Object) bool {
		for _, k := range kinds {
			if o.GetKind() == k {
				return false
			}
		}
		return true
	}
}

const (
	issuerText = `apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: own, namespace: cert-manager}
spec: {selfSigned: {}}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: own, namespace: cert-manager}
spec: {secretName: own, dnsNames: [a.example.internal], issuerRef: {name: own, kind: Issuer}}
`
	storeText = `apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: vault, namespace: external-secrets-ns}
spec: {provider: {vault: {server: "https://vault.example.internal", path: secret, auth: {kubernetes: {mountPath: kubernetes, role: a}}}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: one, namespace: external-secrets-ns}
spec: {refreshInterval: 1h, secretStoreRef: {kind: SecretStore, name: vault}, target: {name: one}, data: [{secretKey: a, remoteRef: {key: a}}]}
`
	sealedText = `apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: one, namespace: sealed-secrets-ns}
spec: {encryptedData: {a: AgBy}}
`
	ciliumPool = `apiVersion: cilium.io/v2
kind: CiliumLoadBalancerIPPool
metadata: {name: pool, annotations: {argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}}
spec: {blocks: [{cidr: 192.0.2.96/28}]}
`
	balancerText = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {type: LoadBalancer, ports: [{port: 80}]}
`
	lastText = `apiVersion: v1
kind: ConfigMap
metadata: {name: $NAME-last, namespace: default}
data: {key: value}
`
	ingressText = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: default}
spec: {ingressClassName: nginx, rules: [{host: web.example.internal, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}
`
	scalerText = `apiVersion: apps/v1
kind: Deployment
metadata: {name: scaled, namespace: default}
spec:
  selector: {matchLabels: {app: scaled}}
  template:
    metadata: {labels: {app: scaled}}
    spec: {containers: [{name: a, image: registry.example.internal/a:1, resources: {requests: {cpu: 10m}}}]}
`
	monitorText = `apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: own, namespace: kube-state-metrics-ns}
spec: {selector: {matchLabels: {app: a}}, endpoints: [{port: http}]}
`
)

func metallbPoolAt(namespace string) string {
	return "apiVersion: metallb.io/v1beta1\nkind: IPAddressPool\nmetadata: {name: pool, namespace: " + namespace + "}\nspec: {addresses: [\"192.0.2.64/28\"]}\n"
}

// chartCases are the scenarios from public charts. In rounds 1 and 3 nobody gives addresses, in 2, 4 and 5 somebody does.
func chartCases() []chartCase {
	var list []chartCase
	for _, chart := range []string{
		"argo-workflows", "external-secrets", "kube-state-metrics", "metallb", "metrics-server",
		"prometheus-node-exporter", "sealed-secrets",
	} {
		list = append(list, chartCase{name: "whole-" + chart, round: 1, want: Want{Verdict: Proven}, parts: []part{{name: "a", chart: chart}}})
	}
	list = append(list,
		chartCase{name: "whole-istiod", round: 1, want: Want{Verdict: Unhealthy, Blocked: "ValidatingWebhookConfiguration istio-validator-istio-system"}, parts: []part{{name: "a", chart: "istiod"}}},
		chartCase{name: "whole-cert-manager", round: 1, want: Want{Verdict: Fails, Blocked: "ServiceMonitor cert-manager"}, parts: []part{{name: "a", chart: "cert-manager"}}},
		chartCase{name: "whole-strimzi", round: 1, want: Want{Verdict: Unhealthy, Blocked: crdKind + " kafkas.kafka.strimzi.io"}, parts: []part{{name: "a", chart: "strimzi-kafka-operator"}}},
		// what gen makes of the same chart
		chartCase{name: "generated-strimzi", round: 2, want: Want{Verdict: Proven}, parts: []part{{name: "a", chart: "strimzi-kafka-operator", gen: asShipped}}},
		chartCase{name: "whole-knative-serving", round: 1, want: Want{Verdict: Fails, Blocked: "Job "}, parts: []part{{name: "a", chart: "knative-serving"}}},
		chartCase{name: "whole-cilium", round: 1, want: Want{Verdict: Unhealthy, Blocked: "StatefulSet spire-server"}, parts: []part{{name: "a", chart: "cilium"}}},
		chartCase{name: "whole-ingress-nginx", round: 1, want: Want{Verdict: Deadlock, Blocked: "Service ingress-nginx-controller"}, only3: true, parts: []part{{name: "a", chart: "ingress-nginx"}}},
	)
	list = append(list, customResources()...)
	list = append(list, addresses()...)
	return append(list, packedCases()...)
}

// customResources are charts of operators and objects of their kinds, in every order.
func customResources() []chartCase {
	certManager := part{name: "a", wave: "0", chart: "cert-manager", only: without("ServiceMonitor")}
	secrets := part{name: "a", wave: "0", chart: "external-secrets"}
	sealed := part{name: "a", wave: "0", chart: "sealed-secrets"}
	vault := []string{"reachable vault.example.internal"}
	return []chartCase{
		{name: "cert-manager-issuer-later", round: 2, want: Want{Verdict: Proven}, parts: []part{certManager, {name: "b", wave: "1", more: issuerText}}},
		{name: "cert-manager-issuer-earlier", round: 3, want: Want{Verdict: Deadlock}, parts: []part{
			{name: "b", wave: "-1", more: "apiVersion: v1\nkind: Namespace\nmetadata: {name: cert-manager}\n---\n" + issuerText}, certManager,
		}},
		{name: "cert-manager-issuer-same", round: 4, want: Want{Verdict: Retry}, races: true, parts: []part{{name: "a", chart: "cert-manager", only: without("ServiceMonitor"), more: issuerText}}},
		{name: "external-secrets-store-later", round: 2, want: Want{Verdict: Proven}, facts: vault, parts: []part{secrets, {name: "b", wave: "1", more: storeText}}},
		{name: "external-secrets-store-earlier", round: 3, want: Want{Verdict: Deadlock}, facts: vault, parts: []part{
			{name: "b", wave: "-1", more: "apiVersion: v1\nkind: Namespace\nmetadata: {name: external-secrets-ns}\n---\n" + storeText}, secrets,
		}},
		{name: "external-secrets-store-same", round: 4, want: Want{Verdict: Retry}, races: true, facts: vault, parts: []part{{name: "a", chart: "external-secrets", more: storeText}}},
		{name: "sealed-secrets-definitions-first", round: 2, want: Want{Verdict: Proven}, parts: []part{
			{name: "crds", wave: "0", chart: "sealed-secrets", only: definitions}, {name: "rest", wave: "1", chart: "sealed-secrets", only: theRest, more: sealedText},
		}},
		{name: "sealed-secrets-definitions-last", round: 3, want: Want{Verdict: Deadlock, Blocked: "SealedSecret one"}, parts: []part{
			{name: "rest", wave: "0", chart: "sealed-secrets", only: theRest, more: sealedText}, {name: "crds", wave: "1", chart: "sealed-secrets", only: definitions},
		}},
		{name: "sealed-secrets-object-later", round: 4, want: Want{Verdict: Proven}, parts: []part{sealed, {name: "b", wave: "1", more: sealedText}}},
		{name: "sealed-secrets-object-same", round: 5, want: Want{Verdict: Proven}, parts: []part{{name: "a", chart: "sealed-secrets", more: sealedText}}},
		{name: "monitor-without-its-kind", round: 2, want: Want{Verdict: Fails, Blocked: "ServiceMonitor own"}, parts: []part{{name: "a", chart: "kube-state-metrics", more: monitorText}}},
		{name: "metrics-server-first", round: 2, want: Want{Verdict: Proven}, parts: []part{{name: "a", wave: "0", chart: "metrics-server"}, {name: "b", wave: "1", more: scalerText}}},
	}
}

// addresses are charts that give addresses, and those that wait for one.
func addresses() []chartCase {
	metallb := part{name: "metallb", wave: "0", chart: "metallb"}
	nginx := part{name: "nginx", wave: "2", chart: "ingress-nginx"}
	cilium := part{name: "cilium", wave: "0", chart: "cilium", only: plainCilium}
	return []chartCase{
		{name: "metallb-pool-later", round: 2, want: Want{Verdict: Proven}, parts: []part{
			metallb, {name: "pool", wave: "1", more: metallbPoolAt("metallb-ns")}, {name: "web", wave: "2", more: balancerText}, {name: "last", wave: "3", more: lastText},
		}},
		{name: "metallb-service-first", round: 3, want: Want{Verdict: Deadlock, Blocked: "Application metallb-service-first-web"}, parts: []part{
			metallb, {name: "web", wave: "1", more: balancerText}, {name: "pool", wave: "2", more: metallbPoolAt("metallb-ns")},
		}},
		{name: "cilium-pool-later", round: 3, want: Want{Verdict: Deadlock}, bootstrap: []string{"cilium"}, parts: []part{cilium, {name: "pool", wave: "1", more: ciliumPool}}},
		{name: "cilium-pool-beside", round: 4, want: Want{Verdict: Proven}, bootstrap: []string{"cilium"}, parts: []part{cilium, {name: "pool", wave: "0", more: ciliumPool}, {name: "last", wave: "1", more: lastText}}},
		{name: "nginx-no-address", round: 3, want: Want{Verdict: Deadlock, Blocked: "Service ingress-nginx-controller"}, only3: true, parts: []part{
			{name: "nginx", wave: "0", chart: "ingress-nginx"}, {name: "web", wave: "1", more: ingressText},
		}},
		{name: "nginx-behind-metallb", round: 5, want: Want{Verdict: Proven}, only3: true, parts: []part{
			metallb, {name: "pool", wave: "1", more: metallbPoolAt("metallb-ns")}, nginx, {name: "web", wave: "3", more: ingressText}, {name: "last", wave: "4", more: lastText},
		}},
	}
}
