package judge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// clusterDNS is what Talos brings by itself, and the emitted bootstrap waits for.
const clusterDNS = `apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns, namespace: kube-system}
spec:
  selector: {matchLabels: {k8s-app: kube-dns}}
  template:
    metadata: {labels: {k8s-app: kube-dns}}
    spec: {containers: [{name: coredns, image: registry.example.internal/coredns:1}]}
`

// Bootstrap runs the emitted bootstrap.sh of an environment's folder on the empty cluster, as a person would, and starts the
// real Argo CD once the workloads which the script has made to run it are there. It gives back what the script said. The
// script waits for every Application itself; each wait may last as long as limit says.
func (c *Cluster) Bootstrap(ctx context.Context, folder string, limit time.Duration) error {
	dns, err := kube.Decode([]byte(clusterDNS))
	if err != nil {
		return err
	}
	if err := c.Client.Apply(ctx, "gen-e2e", dns...); err != nil {
		return err
	}
	bin := filepath.Join(c.Stack.Dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return fmt.Errorf("making a folder for kubectl: %w", err)
	}
	if err := os.Symlink(c.Stack.Kubectl, filepath.Join(bin, "kubectl")); err != nil {
		return fmt.Errorf("making kubectl known: %w", err)
	}
	env := []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "KUBECONFIG=" + c.Stack.Kubeconfig, "HOME=" + c.Stack.Dir, "BOOTSTRAP_ENDPOINT=" + c.Stack.URL, "REPOSITORY_PUBLIC=yes",
		fmt.Sprintf("APPLICATION_TIMEOUT=%ds", int(limit.Seconds())), "WORKLOAD_TIMEOUT=600s", "CRD_TIMEOUT=300s", "JOB_TIMEOUT=600s", "ADDRESS_TIMEOUT=300s",
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	argo := make(chan error, 1)
	go func() { argo <- c.startWhenDeployed(ctx) }()
	script := make(chan error, 1)
	go func() {
		script <- c.Stack.Run(ctx, "bootstrap.sh", env, "/bin/sh", filepath.Join(folder, "bootstrap", "bootstrap.sh"))
	}()
	for {
		select {
		case err := <-script:
			return err
		case err := <-argo:
			if err != nil {
				return err
			}
			argo = nil
		}
	}
}

// startWhenDeployed starts Argo CD's processes when its controller and its repository server are deployed and ready: the pods
// are played, the processes are real.
func (c *Cluster) startWhenDeployed(ctx context.Context) error {
	for !c.ready(ctx, "StatefulSet", "argocd-application-controller") || !c.ready(ctx, "Deployment", "argocd-repo-server") {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
	env, err := c.argoParameters(ctx)
	if err != nil {
		return err
	}
	return c.StartArgo(ctx, env...)
}

func (c *Cluster) ready(ctx context.Context, kind, name string) bool {
	o, err := c.Client.Get(ctx, "apps/v1", kind, "argocd", name)
	if err != nil {
		return false
	}
	n, _, _ := unstructured.NestedInt64(o.Object, "status", "readyReplicas")
	return n > 0
}

// argoParameters passes on what the controller's StatefulSet takes from argocd-cmd-params-cm.
func (c *Cluster) argoParameters(ctx context.Context) ([]string, error) {
	o, err := c.Client.Get(ctx, "v1", "ConfigMap", "argocd", "argocd-cmd-params-cm")
	if err != nil {
		return nil, fmt.Errorf("reading Argo CD's parameters: %w", err)
	}
	env := []string{"ARGOCD_APPLICATION_CONTROLLER_PERSIST_RESOURCE_HEALTH=true"}
	if v := kube.Field(o, "data", "controller.sync.timeout.seconds"); v != "" {
		env = append(env, "ARGOCD_APPLICATION_CONTROLLER_SYNC_TIMEOUT="+v)
	}
	return env, nil
}
