package argoapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argoapi"
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// platform is what the Applications of a fleet need: kinds, their operators, a store, an issuer, a class, a webhook.
const platform = `
{apiVersion: v1, kind: Namespace, metadata: {name: platform}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: externalsecrets.external-secrets.io}, spec: {group: external-secrets.io, scope: Namespaced, names: {kind: ExternalSecret, plural: externalsecrets}}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: clustersecretstores.external-secrets.io}, spec: {group: external-secrets.io, scope: Cluster, names: {kind: ClusterSecretStore, plural: clustersecretstores}}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: certificates.cert-manager.io}, spec: {group: cert-manager.io, scope: Namespaced, names: {kind: Certificate, plural: certificates}}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: clusterissuers.cert-manager.io}, spec: {group: cert-manager.io, scope: Cluster, names: {kind: ClusterIssuer, plural: clusterissuers}}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: servicemonitors.monitoring.coreos.com}, spec: {group: monitoring.coreos.com, scope: Namespaced, names: {kind: ServiceMonitor, plural: servicemonitors}}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: op}, rules: [{apiGroups: [external-secrets.io, cert-manager.io], resources: [externalsecrets/status, clustersecretstores/status, certificates/status, clusterissuers/status], verbs: [update]}, {apiGroups: [networking.k8s.io], resources: [ingresses/status], verbs: [update]}]}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: op, namespace: platform}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: op}, roleRef: {kind: ClusterRole, name: op}, subjects: [{kind: ServiceAccount, name: op, namespace: platform}]}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: op, namespace: platform}, spec: {template: {metadata: {labels: {app: op}}, spec: {serviceAccountName: op, containers: [{name: c, image: i, args: [--publish-status-address=10.0.0.1]}]}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: op, namespace: platform}, spec: {selector: {app: op}}}
---
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx}, spec: {controller: k8s.io/ingress-nginx}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: example.com/p, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: guard}, webhooks: [{name: g, failurePolicy: Fail, clientConfig: {caBundle: eA==, service: {namespace: platform, name: op}}, rules: [{apiGroups: [external-secrets.io, cert-manager.io], apiVersions: ['*'], resources: [externalsecrets, certificates], operations: [CREATE]}]}]}
`

const platformConfig = `
{apiVersion: external-secrets.io/v1, kind: ClusterSecretStore, metadata: {name: vault}, spec: {provider: {}}}
---
{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: ca}, spec: {selfSigned: {}}}
`

// unit is ten objects of one workload.
const unit = `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: NAME, namespace: NS}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME, namespace: NS}, data: {a: b}}
---
{apiVersion: v1, kind: Service, metadata: {name: NAME, namespace: NS}, spec: {selector: {app: NAME}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: NAME, namespace: NS}, spec: {replicas: 2, template: {metadata: {labels: {app: NAME}}, spec: {serviceAccountName: NAME, containers: [{name: c, image: i, envFrom: [{configMapRef: {name: NAME}}, {secretRef: {name: NAME}}]}], volumes: [{name: v, persistentVolumeClaim: {claimName: NAME}}, {name: t, secret: {secretName: NAME-tls}}]}}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: NAME, namespace: NS}, spec: {storageClassName: local}}
---
{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: NAME, namespace: NS}, spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}}}
---
{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: NAME, namespace: NS}, spec: {secretName: NAME-tls, issuerRef: {kind: ClusterIssuer, name: ca}}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: NAME, namespace: NS}, spec: {ingressClassName: nginx, rules: [{host: NAME.NS.example.com}]}}
---
{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: NAME, namespace: NS}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: NAME, namespace: NS}}
`

// largeFleet is a platform and n Applications of a hundred objects each, in ten waves under one root.
func largeFleet(b testing.TB, n int, version argocd.Version) coldstart.Input {
	b.Helper()
	judge, err := argoapi.NewJudge(version, emitted(version))
	if err != nil {
		b.Fatal(err)
	}
	in := coldstart.Input{Version: version, Health: judge.Health}
	root := coldstart.Application{Object: application(b, "root", 0)}
	add := func(name string, wave int, documents string) {
		app := coldstart.Application{Object: application(b, name, wave), Objects: decoded(b, documents)}
		in.Applications, root.Objects = append(in.Applications, app), append(root.Objects, app.Object)
	}
	add("platform", -2, platform)
	add("platform-config", -1, platformConfig)
	for i := range n {
		name := fmt.Sprintf("app-%04d", i)
		var documents strings.Builder
		fmt.Fprintf(&documents, "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}\n", name)
		for j := range 10 {
			documents.WriteString("---" + strings.NewReplacer("NAME", fmt.Sprintf("w-%d", j), "NS", name).Replace(unit))
		}
		add(name, i%10, documents.String())
	}
	in.Applications = append(in.Applications, root)
	return in
}

func application(b testing.TB, name string, wave int) manifest.Object {
	return decoded(b, fmt.Sprintf("{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: %s, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: %q}},"+
		" spec: {project: default, source: {repoURL: r, path: p}, destination: {name: in-cluster, namespace: %s}, syncPolicy: {automated: {}, retry: {limit: -1}}}}", name, fmt.Sprint(wave), name))[0]
}

func decoded(b testing.TB, documents string) []manifest.Object {
	b.Helper()
	var out []manifest.Object
	for document := range strings.SplitSeq(documents, "---\n") {
		objects, _, err := manifest.Decode([]byte(document))
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, objects...)
	}
	return out
}

// BenchmarkProve proves 100 Applications with 10 000 objects of twenty kinds, with the health checks and scripts of Argo CD 3.2.
func BenchmarkProve(b *testing.B) { benchmarkFleet(b, 100) }

// BenchmarkProveLarge proves 1000 Applications with 100 000 objects.
func BenchmarkProveLarge(b *testing.B) { benchmarkFleet(b, 1000) }

func benchmarkFleet(b *testing.B, n int) {
	b.Helper()
	in := largeFleet(b, n, argocd.Version{Major: 3, Minor: 2})
	b.ReportAllocs()
	for b.Loop() {
		if proof := coldstart.Prove(in); !proof.Verdict.Good() {
			b.Fatal(proof.Verdict, proof.Outcomes[0])
		}
	}
}

// TestLargeFleet keeps the benchmark's fleet one that starts.
func TestLargeFleet(t *testing.T) {
	proof := coldstart.Prove(largeFleet(t, 10, argocd.Version{Major: 3, Minor: 2}))
	for _, o := range proof.Outcomes {
		if !o.Verdict.Good() {
			t.Errorf("%s: %s %v %s", o.Application, o.Verdict, o.Chain, o.Axiom)
		}
	}
}
