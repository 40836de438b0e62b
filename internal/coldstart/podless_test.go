package coldstart

import (
	"strings"
	"testing"
)

// operatorOf writes a workload with a role, and more of its spec.
func operatorOf(kind, spec string, rules ...string) string {
	return written("v1", "ServiceAccount", "op", "0", "") +
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: op}, rules: [" + strings.Join(rules, ", ") + "]}\n---\n" +
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: op}, roleRef: {kind: ClusterRole, name: op}, subjects: [{kind: ServiceAccount, name: op, namespace: default}]}\n---\n" +
		written("apps/v1", kind, "op", "0", "spec: {"+spec+"template: {metadata: {labels: {app: op}}, spec: {serviceAccountName: op, containers: [{name: c, image: i}]}}}")
}

// TestPodless states what workloads without pods do not do for others.
func TestPodless(t *testing.T) {
	const writes = "{apiGroups: [example.com], resources: [things/status], verbs: [update]}"
	thing := written("example.com/v1", "Thing", "t", "1", "")
	service := "{apiVersion: v1, kind: Service, metadata: {name: op, namespace: default}, spec: {selector: {app: op}}}\n---\n"
	hook := "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: h}, webhooks: [{name: h, clientConfig: {caBundle: eA==, service: {namespace: default, name: op}}, rules: [{apiGroups: [example.com], apiVersions: ['*'], operations: [CREATE], resources: [things]}]}]}\n---\n" + service
	vault := written("external-secrets.io/v1", "SecretStore", "s", "0", "spec: {provider: {vault: {server: 'http://op.default.svc:8200'}}}")
	scaler := written("keda.sh/v1alpha1", "ScaledObject", "op", "0", "spec: {scaleTargetRef: {name: op}}")
	const things, keda = anyController + "controller Thing.example.com", anyController + "controller Thing.example.com\ncontroller ScaledObject.keda.sh"
	on := func(label string) string {
		return strings.Replace(operatorOf("DaemonSet", "", writes), "serviceAccountName: op,", "serviceAccountName: op, nodeSelector: {"+label+"},", 1)
	}
	job := func(spec string) string {
		return written("batch/v1", "Job", "j", "0", "spec: {"+spec+"template: {spec: {containers: [{name: c, image: i}]}}}")
	}
	class := "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: p, volumeBindingMode: WaitForFirstConsumer}\n---\n"
	claim := class + written("v1", "PersistentVolumeClaim", "data", "0", "spec: {storageClassName: local}")
	mounts := func(api, kind, before, after string) string {
		return claim + written(api, kind, "web", "0", "spec: {"+before+"template: {spec: {volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}}"+after+"}")
	}
	runStarts(t, map[string]start{
		"an operator":                               {operatorOf("Deployment", "", writes) + thing, "", Proven, ""},
		"an operator without pods":                  {operatorOf("Deployment", "replicas: 0, ", writes) + thing, "", Unknown, "controller Thing.example.com comes from nobody, since Deployment.apps default/op makes no pods (replicas: 0)"},
		"the same of a StatefulSet":                 {operatorOf("StatefulSet", "replicas: 0, ", writes) + thing, "", Unknown, "makes no pods (replicas: 0)"},
		"a webhook without pods":                    {hook + operatorOf("Deployment", "replicas: 0, ") + thing, things, Unknown, "endpoints default/op comes from nobody, since Deployment.apps default/op makes no pods"},
		"a webhook with pods":                       {hook + operatorOf("Deployment", "") + thing, things, Proven, ""},
		"a Vault without pods":                      {vault + service + operatorOf("StatefulSet", "replicas: 0, "), things, Unknown, "endpoints default/op comes from nobody"},
		"a Vault with pods":                         {vault + service + operatorOf("StatefulSet", ""), things, Proven, ""},
		"pods that KEDA may start":                  {vault + service + operatorOf("Deployment", "replicas: 0, ") + scaler, keda, Proven, ""},
		"a DaemonSet on every node":                 {on("kubernetes.io/os: linux") + thing, "", Proven, ""},
		"a DaemonSet on no node":                    {on("disk: ssd") + thing, "", Unknown, "node disk=ssd comes from nobody"},
		"it says who":                               {on("disk: ssd") + thing, "", Unknown, "DaemonSet.apps default/op does that, whose pods only a node with a label takes"},
		"a DaemonSet on a node that there is":       {on("disk: ssd") + thing, "node disk=ssd", Proven, ""},
		"a DaemonSet on no node, which nobody asks": {on("disk: ssd"), "", Proven, ""},
		"a webhook of a DaemonSet on no node":       {hook + on("disk: ssd") + thing, things, Unknown, "node disk=ssd comes from nobody"},
		"a Job":                                     {job(""), "", Proven, ""},
		"a Job without pods":                        {job("parallelism: 0, "), "", Deadlock, "makes no pods (parallelism: 0) and never ends"},
		"a Job that asks for none":                  {job("parallelism: 0, completions: 0, "), "", Proven, ""},
		"a claim, and pods":                         {mounts("apps/v1", "Deployment", "", ""), "", Proven, ""},
		"a claim, and no pods":                      {mounts("apps/v1", "Deployment", "replicas: 0, ", ""), "", Deadlock, "consumer default/data comes from nobody, since Deployment.apps default/web makes no pods (replicas: 0)"},
		"a claim of a CronJob that sleeps":          {claim + written("batch/v1", "CronJob", "web", "0", "spec: {suspend: true, jobTemplate: {spec: {template: {spec: {volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}}}}}"), "", Deadlock, "since CronJob.batch default/web makes no pods (suspend: true)"},
	})
}

// TestNeverApplied states that an object which no sync applies is there to be named.
func TestNeverApplied(t *testing.T) {
	reads := written("apps/v1", "Deployment", "web", "0", "spec: {template: {spec: {containers: [{name: c, image: i, envFrom: [{secretRef: {name: s}}]}]}}}")
	secret := func(annotation string) string {
		return "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default, annotations: {" + annotation + "}}, stringData: {k: v}}\n---\n"
	}
	external := "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: s, namespace: default, annotations: {helm.sh/hook: test}}, spec: {}}\n---\n"
	const never = "Secret default/s comes from nobody, since Secret default/s of Application a is never applied ("
	runStarts(t, map[string]start{
		"nobody makes it":                 {reads, "", Unknown, "Secret default/s comes from nobody"},
		"an ordinary object":              {reads + secret(""), "", Proven, ""},
		"a hook":                          {reads + secret("argocd.argoproj.io/hook: PreSync"), "", Proven, ""},
		"a hook that there is not":        {reads + secret("argocd.argoproj.io/hook: pre-sync"), "", Deadlock, never + "argocd.argoproj.io/hook: pre-sync)"},
		"a hook that is left out":         {reads + secret("argocd.argoproj.io/hook: Skip"), "", Deadlock, never + "argocd.argoproj.io/hook: Skip)"},
		"a test of Helm":                  {reads + secret("helm.sh/hook: test"), "", Deadlock, never + "helm.sh/hook: test)"},
		"a hook of a failure":             {reads + secret("argocd.argoproj.io/hook: SyncFail"), "", Deadlock, never},
		"a hook of the end":               {reads + secret("helm.sh/hook: pre-delete"), "", Deadlock, never},
		"one of them is given":            {reads + secret("helm.sh/hook: test"), "Secret default/s", Proven, ""},
		"what would make it is never":     {reads + external, "", Deadlock, "Secret default/s comes from nobody, since ExternalSecret.external-secrets.io default/s of Application a is never applied (helm.sh/hook: test)"},
		"another one, and somebody's own": {reads + external + secret(""), "", Proven, ""},
	})
}

// TestMadeByOperators states what an operator among the objects may make under names that nobody states: the folder cannot tell.
func TestMadeByOperators(t *testing.T) {
	thing := written("example.com/v1", "Thing", "t", "0", "spec: {storage: {claim: data}}")
	writes := "{apiGroups: [example.com], resources: [things/status], verbs: [update]}"
	create := func(group, resource string) string {
		return "{apiGroups: ['" + group + "'], resources: [" + resource + "], verbs: [create]}"
	}
	web := func(pod string) string {
		return written("apps/v1", "Deployment", "web", "1", "spec: {template: {spec: {"+pod+"}}}")
	}
	account, runtime := web("serviceAccountName: runner"), web("runtimeClassName: nvidia")
	class := "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: p, volumeBindingMode: WaitForFirstConsumer}\n---\n"
	claim := class + written("v1", "PersistentVolumeClaim", "data", "0", "spec: {storageClassName: local}")
	other := strings.Replace(claim, "name: data", "name: other", 1)
	runStarts(t, map[string]start{
		"an account of nobody":                       {account, "", Deadlock, "ServiceAccount default/runner comes from nobody"},
		"an operator that makes accounts":            {account + thing + operatorOf("Deployment", "", writes, create("", "serviceaccounts")), "", Unknown, "ServiceAccount default/runner comes from nobody"},
		"it is given":                                {account + thing + operatorOf("Deployment", "", writes, create("", "serviceaccounts")), "ServiceAccount default/runner", Proven, ""},
		"one without pods":                           {account + operatorOf("Deployment", "replicas: 0, ", writes, create("", "serviceaccounts")) + thing, "controller Thing.example.com", Deadlock, "ServiceAccount default/runner comes from nobody"},
		"a controller of whose names all are known":  {account + written("cert-manager.io/v1", "Issuer", "i", "0", "spec: {selfSigned: {}}") + operatorOf("Deployment", "", "{apiGroups: [cert-manager.io], resources: [issuers/status], verbs: [update]}", create("", "serviceaccounts")), "", Deadlock, "ServiceAccount default/runner comes from nobody"},
		"one that only reads them":                   {account + thing + operatorOf("Deployment", "", writes, "{apiGroups: [''], resources: [serviceaccounts], verbs: [get, list]}"), "", Deadlock, "ServiceAccount default/runner comes from nobody"},
		"one that has nothing to do":                 {account + operatorOf("Deployment", "", writes, create("", "serviceaccounts")), "", Deadlock, "ServiceAccount default/runner comes from nobody"},
		"one that may do everything":                 {account + thing + operatorOf("Deployment", "", writes, "{apiGroups: ['*'], resources: ['*'], verbs: ['*']}"), "", Deadlock, "ServiceAccount default/runner comes from nobody"},
		"a RuntimeClass of nobody":                   {runtime, "", Deadlock, "RuntimeClass.node.k8s.io nvidia comes from nobody"},
		"an operator that makes RuntimeClasses":      {runtime + thing + operatorOf("Deployment", "", writes, create("node.k8s.io", "runtimeclasses")), "", Unknown, "RuntimeClass.node.k8s.io nvidia comes from nobody"},
		"a claim that a resource names":              {claim + thing + operatorOf("Deployment", "", writes, create("apps", "statefulsets")), "", Unknown, "consumer default/data comes from nobody"},
		"the same, and its pods are given":           {claim + thing + operatorOf("Deployment", "", writes, create("apps", "statefulsets")), "consumer default/data", Proven, ""},
		"a claim that it does not name":              {other + thing + operatorOf("Deployment", "", writes, create("apps", "statefulsets")), "", Deadlock, "consumer default/other comes from nobody"},
		"its operator makes no pods":                 {claim + thing + operatorOf("Deployment", "", writes), "", Deadlock, "consumer default/data comes from nobody"},
		"its controller is elsewhere":                {claim + thing, "controller Thing.example.com", Unknown, "consumer default/data comes from nobody"},
		"an autoscaler of KEDA for nobody":           {written("keda.sh/v1alpha1", "ScaledObject", "s", "0", "spec: {scaleTargetRef: {name: web}}"), "controller ScaledObject.keda.sh", Deadlock, "Deployment.apps default/web comes from nobody"},
		"an autoscaler of KEDA for one":              {written("keda.sh/v1alpha1", "ScaledObject", "s", "1", "spec: {scaleTargetRef: {name: web}}") + web("containers: []"), "controller ScaledObject.keda.sh", Proven, ""},
		"an autoscaler of KEDA for a set":            {written("keda.sh/v1alpha1", "ScaledObject", "s", "1", "spec: {scaleTargetRef: {kind: StatefulSet, name: web}}") + web("containers: []"), "controller ScaledObject.keda.sh", Deadlock, "StatefulSet.apps default/web comes from nobody"},
		"a superuser of CloudNativePG that is asked": {written("postgresql.cnpg.io/v1", "Cluster", "pg", "0", "spec: {enableSuperuserAccess: true}") + web("containers: [{name: c, image: i, envFrom: [{secretRef: {name: pg-superuser}}]}]"), "controller Cluster.postgresql.cnpg.io", Proven, ""},
		"a superuser of CloudNativePG that is not":   {written("postgresql.cnpg.io/v1", "Cluster", "pg", "0", "spec: {instances: 1}") + web("containers: [{name: c, image: i, envFrom: [{secretRef: {name: pg-superuser}}]}]"), "controller Cluster.postgresql.cnpg.io", Unknown, "Secret default/pg-superuser comes from nobody"},
	})
}
