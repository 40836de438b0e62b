package judge

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

const podsText = `apiVersion: apps/v1
kind: Deployment
metadata: {name: waits, namespace: default}
spec:
  selector: {matchLabels: {app: waits}}
  template:
    metadata: {labels: {app: waits}}
    spec:
      containers: [{name: a, image: a:1, env: [{name: A, valueFrom: {secretKeyRef: {name: late, key: word}}}]}]
      volumes: [{name: v, configMap: {name: absent, optional: true}}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: fails, namespace: default}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {played.example.internal/exits: "1"}}
    spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: ends, namespace: default}
spec:
  template:
    spec: {restartPolicy: OnFailure, containers: [{name: a, image: a:1}]}
`

// TestPlayedKubelet shows that pods wait for what they read, and that Jobs end as their containers do.
func TestPlayedKubelet(t *testing.T) {
	ctx := interrupted(t)
	c := open(t, ctx, stack.Argo3)
	objects, err := kube.Decode([]byte(podsText))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Client.Apply(ctx, "gen-e2e", objects...); err != nil {
		t.Fatal(err)
	}
	c.awaitField(t, ctx, "batch/v1", "Job", "ends", "succeeded")
	c.awaitField(t, ctx, "batch/v1", "Job", "fails", "failed")
	if n := c.field(ctx, "apps/v1", "Deployment", "waits", "readyReplicas"); n != 0 {
		t.Errorf("%d pods run without the Secret that they read", n)
	}
	secret := object("v1", "Secret", "default", "late", map[string]any{"data": map[string]any{"other": "eA=="}})
	if err := c.Client.Apply(ctx, "gen-e2e", secret); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second)
	if n := c.field(ctx, "apps/v1", "Deployment", "waits", "readyReplicas"); n != 0 {
		t.Errorf("%d pods run without the key that they read", n)
	}
	if err := c.Client.Merge(ctx, secret, map[string]any{"data": map[string]any{"word": "eA=="}}); err != nil {
		t.Fatal(err)
	}
	c.awaitField(t, ctx, "apps/v1", "Deployment", "waits", "readyReplicas")
}

func (c *Cluster) field(ctx context.Context, apiVersion, kind, name, field string) int64 {
	o, err := c.Client.Get(ctx, apiVersion, kind, "default", name)
	if err != nil {
		return -1
	}
	n, _, _ := unstructured.NestedInt64(o.Object, "status", field)
	return n
}

func (c *Cluster) awaitField(t *testing.T, ctx context.Context, apiVersion, kind, name, field string) {
	t.Helper()
	for range 60 {
		if c.field(ctx, apiVersion, kind, name, field) > 0 {
			return
		}
		time.Sleep(time.Second)
	}
	t.Fatalf("%s %s: no %s", kind, name, field)
}
