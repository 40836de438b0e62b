package generators

import (
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
)

// metricsServer answers how much pods and nodes use, for autoscalers and `kubectl top`.
func metricsServer() component.Definition {
	return component.Definition{
		Name:      "metrics-server",
		Doc:       "Use of CPU and memory; checks the kubelets' certificates where a component approves them.",
		Repo:      "https://kubernetes-sigs.github.io/metrics-server/",
		Namespace: "kube-system",
		Build:     buildMetricsServer,
	}
}

// approvers are components that sign what kubelets ask for with rotate-server-certificates.
var approvers = []string{"kubelet-serving-cert-approver", "kubelet-csr-approver"}

// buildMetricsServer decides how metrics-server trusts kubelets. A kubelet signs its own certificate unless it rotates them,
// and then nothing serves until a component approves its request. So without such a component a check could never succeed:
// metrics-server would never be ready on an empty cluster, nor would anything that waits for its API. With one it is checked.
func buildMetricsServer(env *environment.Environment) (component.Parts, error) {
	parts := component.Parts{
		Needs:       []string{"cilium"},
		APIVersions: []string{"metrics.k8s.io/v1beta1", "metrics.k8s.io/v1beta1/NodeMetrics", "metrics.k8s.io/v1beta1/PodMetrics"},
	}
	for _, approver := range approvers {
		if has(env, approver) {
			parts.Needs = append(parts.Needs, approver)
			return parts, nil
		}
	}
	parts.Values = map[string]any{"args": list("--kubelet-insecure-tls")}
	return parts, nil
}
