package judge

import (
	"context"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

// InstallArgo brings Argo CD's definitions, namespace and settings, as a plain installation does, and starts it. settings
// go into argocd-cm.
func (c *Cluster) InstallArgo(ctx context.Context, settings map[string]any, env ...string) error {
	if err := c.Client.Apply(ctx, "gen-e2e", object("v1", "Namespace", "", "argocd", nil)); err != nil {
		return err
	}
	crds, err := stack.ArgoCRDs(ctx, c.Argo)
	if err != nil {
		return err
	}
	if err := c.ApplyFiles(ctx, crds...); err != nil {
		return err
	}
	if err := c.Client.Apply(ctx, "gen-e2e", object("v1", "ConfigMap", "argocd", "argocd-cm", map[string]any{"data": settings}),
		object("v1", "ConfigMap", "argocd", "argocd-cmd-params-cm", nil)); err != nil {
		return err
	}
	return c.StartArgo(ctx, env...)
}

// StartArgo adds what the Deployment's own start would make (the key of the server, the default project) and starts Argo CD.
func (c *Cluster) StartArgo(ctx context.Context, env ...string) error {
	secret := object("v1", "Secret", "argocd", "argocd-secret", map[string]any{"data": map[string]any{"server.secretkey": "cGxheWVkLXBsYXllZC1wbGF5ZWQ="}})
	project := object("argoproj.io/v1alpha1", "AppProject", "argocd", "default", map[string]any{"spec": map[string]any{
		"sourceRepos": []any{"*"}, "destinations": []any{map[string]any{"namespace": "*", "server": "*"}},
		"clusterResourceWhitelist": []any{map[string]any{"group": "*", "kind": "*"}},
	}})
	if err := c.applyPatiently(ctx, secret, project); err != nil {
		return err
	}
	return c.Stack.StartArgo(ctx, env...)
}

// applyPatiently waits for a definition that was applied a moment ago.
func (c *Cluster) applyPatiently(ctx context.Context, objects ...*kube.Object) error {
	for n := 0; ; n++ {
		err := c.Client.Apply(ctx, "gen-e2e", objects...)
		if err == nil || n == 60 {
			return err
		}
		c.Client.Forget()
		select {
		case <-ctx.Done():
			return err
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func object(apiVersion, kind, namespace, name string, fields map[string]any) *kube.Object {
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	if name == "argocd-cm" || name == "argocd-secret" || name == "argocd-cmd-params-cm" {
		metadata["labels"] = map[string]any{"app.kubernetes.io/part-of": "argocd"}
	}
	content := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	for k, v := range fields {
		content[k] = v
	}
	return &kube.Object{Object: content}
}
