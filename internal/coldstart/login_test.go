package coldstart

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// start is one Application and how it has to end. All of its custom kinds are served, all that is not Kubernetes' own is Progressing
// until it is well, and so are Kubernetes' workloads and claims.
type start struct {
	objects string
	given   string // facts, one a line
	want    Verdict
	text    string // of the chain
}

func (s start) check(t *testing.T) {
	t.Helper()
	list := append(objects(t, s.objects), withWave(9)(plain("v1", "ConfigMap", "default", "last", nil)))
	progressing := untilHealthy("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "PersistentVolumeClaim", "Job", "Pod")
	in := Input{
		Version: argocd.Version{Major: 3, Minor: 2}, Applications: []Application{{Object: child("a", 0), Objects: list}},
		Health: func(o manifest.Object) (*argocd.Health, error) {
			if id := o.ID(); !manifest.Builtin(id.Group, id.Kind) {
				return &argocd.Health{Status: argocd.Progressing}, nil
			}
			if o.String("spec", "type") == "LoadBalancer" || o.ID().Kind == "Ingress" {
				return &argocd.Health{Status: argocd.Progressing}, nil
			}
			return progressing(o)
		},
	}
	for _, o := range list {
		if id := o.ID(); !manifest.Builtin(id.Group, id.Kind) {
			in.Given = append(in.Given, Given{Fact: "kind " + dotted(id)})
		}
	}
	for _, fact := range strings.Split(s.given, "\n") {
		if fact != "" {
			in.Given = append(in.Given, Given{Fact: fact})
		}
	}
	if err := CheckGiven(in.Given); err != nil {
		t.Error(err)
	}
	o := Prove(in).Outcomes[0]
	var texts []string
	for _, l := range o.Chain {
		texts = append(texts, l.Object.String()+" "+l.Text)
	}
	if text := strings.Join(texts, "\n"); o.Verdict != s.want || !strings.Contains(text, s.text) {
		t.Errorf("%s\n%s\nwant %s %q", o.Verdict, text, s.want, s.text)
	}
}

func runStarts(t *testing.T, tests map[string]start) {
	t.Helper()
	for name, s := range tests {
		t.Run(name, s.check)
	}
}

// written writes an object of the namespace "default", or of none, in a wave.
func written(api, kind, name, wave, fields string) string {
	place := "namespace: default, "
	if strings.HasPrefix(kind, "Cluster") && kind != "Cluster" {
		place = ""
	}
	return "{apiVersion: " + api + ", kind: " + kind + ", metadata: {name: " + name + ", " + place + "annotations: {argocd.argoproj.io/sync-wave: '" + wave + "'}}, " + fields + "}\n---\n"
}

const anyController = "controller Rollout.argoproj.io\ncontroller Workflow.argoproj.io\ncontroller SecretStore.external-secrets.io\ncontroller ClusterSecretStore.external-secrets.io\n" +
	"controller ExternalSecret.external-secrets.io\ncontroller Issuer.cert-manager.io\ncontroller ClusterIssuer.cert-manager.io\ncontroller Certificate.cert-manager.io\ncontroller SealedSecret.bitnami.com\n" +
	"reachable vault.example.com\n"

// TestRollouts states that what stands in a Deployment's place is a workload with a controller.
func TestRollouts(t *testing.T) {
	const api = "argoproj.io/v1alpha1"
	pods := func(spec string) string {
		return "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]" + spec + "}}"
	}
	rollout := func(wave, more string) string { return written(api, "Rollout", "web", wave, "spec: {"+more+"}") }
	secret := func(wave string) string { return written("v1", "Secret", "s", wave, "stringData: {k: v}") }
	const reads = ", volumes: [{name: s, secret: {secretName: s}}]"
	controllerOf := func(wave, resources, verbs string) string {
		return written("v1", "ServiceAccount", "ro", wave, "") +
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: ro, annotations: {argocd.argoproj.io/sync-wave: '" + wave + "'}}, rules: [{apiGroups: [argoproj.io], resources: [" + resources + "], verbs: [" + verbs + "]}]}\n---\n" +
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: ro, annotations: {argocd.argoproj.io/sync-wave: '" + wave + "'}}, roleRef: {kind: ClusterRole, name: ro}, subjects: [{kind: ServiceAccount, name: ro, namespace: default}]}\n---\n" +
			written("apps/v1", "Deployment", "ro", wave, "spec: {template: {spec: {serviceAccountName: ro, containers: [{name: c, image: i}]}}}")
	}
	deployment := func(replicas string) string {
		return written("apps/v1", "Deployment", "lender", "0", "spec: {"+replicas+pods(reads)+"}")
	}
	const ref = "workloadRef: {apiVersion: apps/v1, kind: Deployment, name: lender}"
	class := "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: p, volumeBindingMode: WaitForFirstConsumer}\n---\n"
	claim := class + written("v1", "PersistentVolumeClaim", "data", "0", "spec: {storageClassName: local}")
	hook := "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: h}, webhooks: [{name: h, clientConfig: {caBundle: eA==, service: {namespace: default, name: web}}, rules: [{apiGroups: [example.com], apiVersions: ['*'], operations: [CREATE], resources: [things]}]}]}\n---\n" +
		"{apiVersion: v1, kind: Service, metadata: {name: web, namespace: default}, spec: {selector: {app: web}}}\n---\n" + written("example.com/v1", "Thing", "t", "1", "")
	things := anyController + "controller Thing.example.com"
	runStarts(t, map[string]start{
		"a Rollout, and nobody reconciles it":        {rollout("0", pods("")), "", Unknown, "controller Rollout.argoproj.io comes from nobody"},
		"its controller is given":                    {rollout("0", pods("")), anyController, Proven, ""},
		"its controller is there":                    {controllerOf("0", "rollouts/status", "update") + rollout("0", pods("")), "", Proven, ""},
		"its controller comes later":                 {controllerOf("1", "rollouts/status", "update") + rollout("0", pods("")), "", Deadlock, "Deployment.apps default/ro is in wave 1"},
		"a Workflow, and nobody reconciles it":       {written(api, "Workflow", "w", "0", "spec: {}"), "", Unknown, "controller Workflow.argoproj.io comes from nobody"},
		"a Workflow whose controller is there":       {controllerOf("0", "workflows, workflows/finalizers", "update") + written(api, "Workflow", "w", "0", "spec: {}"), "", Proven, ""},
		"the server of Workflows is no controller":   {controllerOf("0", "workflows", "update") + written(api, "Workflow", "w", "0", "spec: {}"), "", Unknown, "controller Workflow.argoproj.io comes from nobody"},
		"a Workflow that is suspended":               {written(api, "Workflow", "w", "0", "spec: {suspend: true}"), anyController, Deadlock, "is suspended"},
		"an Application needs none":                  {written(api, "AppProject", "p", "0", "spec: {}"), "", Proven, ""},
		"a Rollout that is paused":                   {rollout("0", "paused: true, "+pods("")), anyController, Deadlock, "is paused"},
		"one whose pods read a Secret of later":      {rollout("0", pods(reads)) + secret("1"), anyController, Deadlock, "Secret default/s is in wave 1"},
		"one whose pods read a Secret":               {rollout("0", pods(reads)) + secret("0"), anyController, Proven, ""},
		"without pods":                               {rollout("0", "replicas: 0, "+pods(reads)) + secret("1"), anyController, Proven, ""},
		"one that mounts a claim":                    {claim + rollout("0", pods(", volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]")), anyController, Proven, ""},
		"one that mounts it later":                   {claim + rollout("1", pods(", volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]")), anyController, Deadlock, "is bound only once a pod mounts it"},
		"one that answers for a webhook":             {hook + rollout("0", pods("")), things, Proven, ""},
		"a webhook behind pods that nobody starts":   {hook + rollout("0", pods("")), "controller Thing.example.com", Unknown, "controller Rollout.argoproj.io comes from nobody"},
		"the pods of a Deployment":                   {rollout("0", ref) + deployment("replicas: 0, ") + secret("0"), anyController, Proven, ""},
		"the pods of a Deployment, which are held":   {rollout("0", ref) + deployment("replicas: 0, ") + secret("1"), anyController, Deadlock, "Rollout.argoproj.io default/web runs pods that read a Secret"},
		"the pods of a Deployment that is not there": {rollout("0", ref), anyController, Deadlock, "Deployment.apps default/lender comes from nobody"},
		"a CloneSet of OpenKruise":                   {written("apps.kruise.io/v1alpha1", "CloneSet", "web", "0", "spec: {"+pods(reads)+"}") + secret("1"), "controller CloneSet.apps.kruise.io", Deadlock, "Secret default/s is in wave 1"},
	})
}

// TestLogins states what stores and issuers log in with, each beside one that has it.
func TestLogins(t *testing.T) {
	const eso, cert = "external-secrets.io/v1", "cert-manager.io/v1"
	store := func(provider string) string {
		return written(eso, "SecretStore", "s", "0", "spec: {provider: {"+provider+"}}")
	}
	cluster := func(provider string) string {
		return written(eso, "ClusterSecretStore", "s", "0", "spec: {provider: {"+provider+"}}")
	}
	issuer := func(kind, spec string) string { return written(cert, kind, "i", "0", "spec: {"+spec+"}") }
	account := func(wave string) string { return written("v1", "ServiceAccount", "who", wave, "") }
	secret := func(wave, namespace string) string {
		return strings.Replace(written("v1", "Secret", "who", wave, "stringData: {k: v, l: v}"), "namespace: default", "namespace: "+namespace, 1)
	}
	const lacksAccount, lacksSecret = "ServiceAccount default/who is in wave 1", "Secret default/who is in wave 1"
	const vault = "vault: {server: 'https://vault.example.com', auth: {"
	tests := map[string]start{}
	for name, provider := range map[string]string{
		"vault, kubernetes":     vault + "kubernetes: {role: r, serviceAccountRef: {name: who}}}}",
		"vault, jwt":            vault + "jwt: {role: r, kubernetesServiceAccountToken: {serviceAccountRef: {name: who}}}}}",
		"vault, iam":            vault + "iam: {jwt: {serviceAccountRef: {name: who}}}}}",
		"aws, jwt":              "aws: {service: SecretsManager, auth: {jwt: {serviceAccountRef: {name: who}}}}",
		"gcp, workloadIdentity": "gcpsm: {auth: {workloadIdentity: {serviceAccountRef: {name: who}}}}",
		"azure":                 "azurekv: {authType: WorkloadIdentity, serviceAccountRef: {name: who}}",
		"kubernetes":            "kubernetes: {auth: {serviceAccount: {name: who}}}",
		"a provider to come":    "other: [{login: {theirServiceAccountRef: {name: who}}}]",
	} {
		tests[name+", later"] = start{store(provider) + account("1"), anyController, Deadlock, lacksAccount}
		tests[name+", in time"] = start{store(provider) + account("0"), anyController, Proven, ""}
		tests[name+", nobody's"] = start{store(provider), anyController, Deadlock, "ServiceAccount default/who comes from nobody"}
	}
	for name, provider := range map[string]string{
		"vault, token":         vault + "tokenSecretRef: {name: who, key: k}}}",
		"vault, approle":       vault + "appRole: {path: p, roleId: r, secretRef: {name: who, key: k}}}}",
		"vault, approle by id": vault + "appRole: {path: p, roleRef: {name: who, key: k}}}}",
		"vault, CA":            "vault: {server: 'https://vault.example.com', caProvider: {type: Secret, name: who, key: k}}",
		"aws":                  "aws: {auth: {secretRef: {accessKeyIDSecretRef: {name: who, key: k}, secretAccessKeySecretRef: {name: who, key: l}}}}",
		"azure, by secret":     "azurekv: {authSecretRef: {clientId: {name: who, key: k}, clientSecret: {name: who, key: l}}}",
		"kubernetes, token":    "kubernetes: {auth: {token: {bearerToken: {name: who, key: k}}}}",
		"kubernetes, config":   "kubernetes: {authRef: {name: who, key: k}}",
		"webhook":              "webhook: {secrets: [{name: x, secretRef: {name: who, key: k}}]}",
	} {
		tests[name+", later"] = start{store(provider) + secret("1", "default"), anyController, Deadlock, lacksSecret}
		tests[name+", in time"] = start{store(provider) + secret("0", "default"), anyController, Proven, ""}
		tests[name+", another key"] = start{store(provider) + written("v1", "Secret", "who", "0", "stringData: {other: v, l: v}"), anyController, Deadlock, "key k of Secret default/who comes from nobody"}
	}
	external := written(eso, "ExternalSecret", "e", "0", "spec: {secretStoreRef: {kind: ClusterSecretStore, name: s}, data: [{secretKey: x}]}")
	const there, beside = "tokenSecretRef: {name: who, key: k, namespace: kube-public}}}", "tokenSecretRef: {name: who, key: k}}}"
	for name, s := range map[string]start{
		"a store of the cluster, its namespace":      {cluster(vault+there) + secret("0", "kube-public"), anyController, Proven, ""},
		"a store of the cluster, another namespace":  {cluster(vault+there) + secret("0", "default"), anyController, Unknown, "Secret kube-public/who comes from nobody"},
		"a store of the cluster that looks beside":   {cluster(vault + beside), anyController, Proven, ""},
		"an ExternalSecret that it looks beside":     {cluster(vault+beside) + external + secret("1", "default"), anyController, Deadlock, lacksSecret},
		"an ExternalSecret with that Secret":         {cluster(vault+beside) + external + secret("0", "default"), anyController, Proven, ""},
		"an issuer, vault, account":                  {issuer("Issuer", vault+"kubernetes: {serviceAccountRef: {name: who}}}}") + account("1"), anyController, Deadlock, lacksAccount},
		"an issuer, vault, account, in time":         {issuer("Issuer", vault+"kubernetes: {serviceAccountRef: {name: who}}}}") + account("0"), anyController, Proven, ""},
		"an issuer, vault, approle":                  {issuer("Issuer", vault+"appRole: {secretRef: {name: who, key: k}}}}") + secret("1", "default"), anyController, Deadlock, lacksSecret},
		"an issuer, vault, certificate":              {issuer("Issuer", vault+"clientCertificate: {secretName: who}}}") + secret("1", "default"), anyController, Deadlock, lacksSecret},
		"an issuer, Venafi":                          {issuer("Issuer", "venafi: {tpp: {credentialsRef: {name: who}}}") + secret("1", "default"), anyController, Deadlock, lacksSecret},
		"an issuer, EAB":                             {issuer("Issuer", "acme: {server: 'https://vault.example.com', externalAccountBinding: {keyID: x, keySecretRef: {name: who, key: k}}}") + secret("1", "default"), anyController, Deadlock, lacksSecret},
		"an issuer, the key of an account":           {issuer("Issuer", "acme: {server: 'https://vault.example.com', privateKeySecretRef: {name: who}}"), anyController, Proven, ""},
		"an issuer of the cluster":                   {issuer("ClusterIssuer", vault+"appRole: {secretRef: {name: who, key: k}}}}") + secret("0", "default"), anyController + "namespace cert-manager", Unknown, "Secret cert-manager/who comes from nobody"},
		"an issuer of the cluster, its namespace":    {issuer("ClusterIssuer", vault+"appRole: {secretRef: {name: who, key: k}}}}") + secret("0", "cert-manager"), anyController + "namespace cert-manager", Proven, ""},
		"a CA of a Secret without its key":           {issuer("Issuer", "ca: {secretName: who}") + secret("0", "default"), anyController, Deadlock, "key tls.crt of Secret default/who comes from nobody"},
		"solvers of an issuer whose kind none says":  {issuer("Issuer", "acme: {solvers: [{dns01: {cloudflare: {apiTokenSecretRef: {name: who, key: k}}}}]}") + written(cert, "Certificate", "c", "0", "spec: {secretName: tls, issuerRef: {name: i}}") + secret("1", "default"), anyController, Deadlock, lacksSecret},
		"solvers by the account of a ServiceAccount": {issuer("Issuer", "acme: {solvers: [{dns01: {route53: {auth: {kubernetes: {serviceAccountRef: {name: who}}}}}}]}") + written(cert, "Certificate", "c", "0", "spec: {secretName: tls, issuerRef: {name: i}}") + account("1"), anyController, Deadlock, lacksAccount},
	} {
		tests[name] = s
	}
	runStarts(t, tests)
}
