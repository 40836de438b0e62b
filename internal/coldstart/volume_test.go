package coldstart

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// untilHealthy stands in for Argo CD's checks: the kinds begin as Progressing, all else has none.
func untilHealthy(kinds ...string) func(manifest.Object) (*argocd.Health, error) {
	return func(o manifest.Object) (*argocd.Health, error) {
		for _, kind := range kinds {
			if o.ID().Kind == kind {
				return &argocd.Health{Status: argocd.Progressing}, nil
			}
		}
		return nil, nil
	}
}

// ending proves one Application of objects, with a step behind them.
func ending(t *testing.T, documents string) Outcome {
	t.Helper()
	list := append(objects(t, documents), withWave(9)(plain("v1", "ConfigMap", "default", "last", nil)))
	in := Input{
		Version: argocd.Version{Major: 3, Minor: 2}, Health: untilHealthy("Deployment", "StatefulSet", "PersistentVolumeClaim", "HorizontalPodAutoscaler"),
		Applications: []Application{{Object: child("a", 0), Objects: list}},
	}
	return Prove(in).Outcomes[0]
}

// TestWhatIsMissing states what a workload or a claim lacks that nobody brings, each beside one that has it.
func TestWhatIsMissing(t *testing.T) {
	class := "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, volumeBindingMode: WaitForFirstConsumer}\n---\n"
	claim := class + "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-s-0, namespace: default}, spec: {storageClassName: local}}\n---\n"
	pods := "{spec: {containers: [], volumes: [{name: d, persistentVolumeClaim: {claimName: data-s-0}}]}}"
	mounts := func(replicas string) string {
		return claim + "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: default}, spec: {replicas: " + replicas + ", template: " + pods + "}}"
	}
	cron := func(suspend string) string {
		return claim + "{apiVersion: batch/v1, kind: CronJob, metadata: {name: c, namespace: default}, spec: {suspend: " + suspend + ", jobTemplate: {spec: {template: " + pods + "}}}}"
	}
	set := func(name, more string) string {
		return claim + "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: " + name + ", namespace: default}, spec: {" + more + "template: {spec: {containers: []}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: local}}]}}"
	}
	isolated := "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: default}, spec: {template: {spec: {runtimeClassName: gvisor, containers: []}}}}"
	hook := func(scope string) string {
		return "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: h}, webhooks: [{name: h.example.com, failurePolicy: Fail, clientConfig: {caBundle: Zm9v, service: {name: h, namespace: default}}, rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE], resources: ['*'], scope: " + scope + "}]}]}\n---\n" +
			"{apiVersion: v1, kind: Service, metadata: {name: h, namespace: default, annotations: {argocd.argoproj.io/sync-wave: '-1'}}, spec: {selector: {app: h}}}\n---\n"
	}
	answering := "{apiVersion: apps/v1, kind: Deployment, metadata: {name: h, namespace: default, annotations: {argocd.argoproj.io/sync-wave: '2'}}, spec: {template: {metadata: {labels: {app: h}}, spec: {containers: []}}}}"
	cluster := "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r, annotations: {argocd.argoproj.io/sync-wave: '1'}}}\n---\n"
	scaler := "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: s, namespace: default}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}}"
	target := "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: default, annotations: {argocd.argoproj.io/sync-wave: '1'}}, spec: {template: {spec: {containers: []}}}}"
	large := func(options string) string {
		return "{apiVersion: v1, kind: ConfigMap, metadata: {name: big, namespace: default, annotations: {argocd.argoproj.io/sync-options: '" + options + "'}}, data: {text: " + strings.Repeat("x", 262144) + "}}"
	}
	for name, tt := range map[string]struct {
		objects string
		want    Verdict
		text    string // of the first link
	}{
		"a claim that a pod mounts":                          {mounts("1"), Proven, ""},
		"one that no pod mounts, of none that are asked for": {mounts("0"), Deadlock, "once a pod mounts it"},
		"one that a CronJob mounts":                          {cron("false"), Proven, ""},
		"one that a suspended CronJob would mount":           {cron("true"), Deadlock, "once a pod mounts it"},
		"one that a StatefulSet adopts":                      {set("s", ""), Proven, ""},
		"one of another set":                                 {set("t", ""), Deadlock, "once a pod mounts it"},
		"one past its pods":                                  {set("s", "ordinals: {start: 1}, "), Deadlock, "once a pod mounts it"},
		"a RuntimeClass that nobody brings":                  {isolated, Deadlock, "runs pods of a RuntimeClass"},
		"a RuntimeClass that is there":                       {isolated + "\n---\n{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: gvisor}, handler: runsc}", Proven, ""},
		"a webhook for what lives in no namespace":           {hook("Cluster") + answering, Proven, ""},
		"it takes what lives in none":                        {hook("Cluster") + cluster + answering, Deadlock, "must be admitted"},
		"a webhook for what lives in one":                    {hook("Namespaced") + answering, Deadlock, "must be admitted"},
		"an autoscaler of what nobody brings":                {scaler, Fails, "scales a workload"},
		"an autoscaler of what comes later":                  {scaler + target, Deadlock, "scales a workload"},
		"an autoscaler of what is there":                     {scaler + strings.ReplaceAll(target, "'1'", "'-1'"), Proven, ""},
		"an object that no annotation holds":                 {large(""), Fails, "is larger than a client-side apply can store"},
		"applied on the server":                              {large("ServerSideApply=true"), Proven, ""},
		"replaced":                                           {large("Replace=true"), Proven, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := ending(t, tt.objects)
			if o.Verdict != tt.want || len(o.Chain) > 0 && !strings.Contains(o.Chain[0].Text, tt.text) {
				t.Errorf("%s %v, want %s", o.Verdict, o.Chain, tt.want)
			}
		})
	}
}
