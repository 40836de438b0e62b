package needs

import (
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

const (
	certManager = "cert-manager.io"
	secretStore = "external-secrets.io"
	gatewayAPI  = "gateway.networking.k8s.io"
	networking  = "networking.k8s.io"
)

// rules is the table of what objects require. Order matters only to the reader: what is applied first, then health.
var rules = []Rule{
	{
		Name: "kind-served", Stage: Apply, Reason: "is of a kind that a CustomResourceDefinition brings",
		Source: "Kubernetes API; Argo CD looks every kind up before it applies anything (gitops-engine pkg/sync/sync_context.go)",
		Facts:  kindServed,
	},
	{
		Name: "namespace-exists", Stage: Apply, Reason: "lives in a namespace",
		Source: "Kubernetes NamespaceLifecycle admission",
		Facts:  namespaceExists,
	},
	{
		Name: "webhook-answers", Stage: Apply, IfAny: true, Reason: "must be admitted by a webhook that fails closed",
		Source: "Kubernetes docs, dynamic admission control; cert-manager#1873, metallb#1597, external-secrets#956",
		Facts:  admitted,
	},
	{
		Name: "service-account", Stage: Health, Reason: "runs pods under a ServiceAccount",
		Source: "Kubernetes ServiceAccount admission refuses such pods; argo-cd#7536, longhorn#8707",
		Facts:  podFacts(serviceAccount),
	},
	{
		Name: "pod-secret", Stage: Health, Reason: "runs pods that read a Secret",
		Source: "kubelet: a pod does not start without what it mounts",
		Facts:  podFacts(podSecrets),
	},
	{
		Name: "pod-config", Stage: Health, Reason: "runs pods that read a ConfigMap",
		Source: "kubelet: a pod does not start without what it mounts",
		Facts:  podFacts(podConfigMaps),
	},
	{
		Name: "pod-claim", Stage: Health, Reason: "runs pods that mount a claim",
		Source: "Kubernetes scheduler, volume binding",
		Facts:  podFacts(podClaims),
	},
	{
		Name: "priority-class", Stage: Health, Reason: "runs pods of a PriorityClass",
		Source: "Kubernetes Priority admission refuses such pods",
		Facts:  podFacts(priorityClass),
	},
	{
		Name: "runtime-class", Stage: Health, Reason: "runs pods of a RuntimeClass",
		Source: "Kubernetes RuntimeClass admission refuses such pods",
		Facts:  podFacts(runtimeClass),
	},
	{
		Name: "storage-class", Stage: Health, Reason: "claims storage of a class",
		Source: "Kubernetes persistent volumes",
		Facts:  storageClass,
	},
	{
		Name: "load-balancer-address", Stage: Health, Reason: "waits for an address",
		Source: "gitops-engine pkg/health/health_service.go: Progressing without an address; cilium#27000, argo-cd#15030",
		Facts:  loadBalancer,
	},
	{
		Name: "ingress-class", Stage: Health, Reason: "is served by an IngressClass",
		Source: "gitops-engine pkg/health/health_ingress.go: Progressing until its controller writes an address; argo-cd#14607",
		Facts:  ingressClass,
	},
	{
		Name: "issuer", Stage: Health, Reason: "is issued by an issuer",
		Source: "cert-manager docs, Certificate; Argo CD resource_customizations/cert-manager.io/Certificate",
		Facts:  issuer,
	},
	{
		Name: "secret-store", Stage: Health, Reason: "reads from a store",
		Source: "external-secrets docs, ExternalSecret; external-secrets#2035",
		Facts:  store,
	},
	{
		Name: "gateway-class", Stage: Health, Reason: "is served by a GatewayClass",
		Source: "Gateway API; Argo CD resource_customizations/gateway.networking.k8s.io/Gateway (3.1)",
		Facts:  gatewayClass,
	},
	{
		Name: "route-parent", Stage: Health, Reason: "hangs on a Gateway",
		Source: "Gateway API; Argo CD resource_customizations/gateway.networking.k8s.io/HTTPRoute (3.1)",
		Facts:  routeParents,
	},
	{
		Name: "route-backend", Stage: Health, Reason: "leads to a Service",
		Source: "Gateway API, ResolvedRefs; Degraded without its backend",
		Facts:  routeBackends,
	},
	{
		Name: "scale-target", Stage: Health, Reason: "scales a workload",
		Source: "gitops-engine pkg/health/health_hpa.go: Degraded with FailedGetScale where it is not there; KEDA docs, ScaledObject: Ready is False",
		Facts:  scaleTarget,
	},
	{
		Name: "api-service", Stage: Health, Reason: "is answered by a Service",
		Source: "gitops-engine pkg/health/health_apiservice.go",
		Facts:  apiService,
	},
}

func kindServed(o manifest.Object) []Fact {
	id := o.ID()
	if manifest.Builtin(id.Group, id.Kind) {
		return nil
	}
	return []Fact{{Type: Kind, Group: id.Group, Kind: id.Kind}}
}

func namespaceExists(o manifest.Object) []Fact {
	if ns := o.ID().Namespace; ns != "" {
		return []Fact{{Type: Namespace, Name: ns}}
	}
	return nil
}

// admitted names the webhooks that may have to admit the object: those of its own plural and those of the whole group. Webhooks
// for every group are left out: they fence off namespaces by selectors, and take ability away from all components alike.
func admitted(o manifest.Object) []Fact {
	id := o.ID()
	if id.Kind == "" {
		return nil
	}
	return []Fact{
		{Type: Admission, Group: id.Group, Kind: Plural(id.Kind)},
		{Type: Admission, Group: id.Group, Kind: "*"},
	}
}

// Plural returns the lower-case plural under which the API server most likely serves a kind.
func Plural(kind string) string {
	name := strings.ToLower(kind)
	switch {
	case name == "endpoints":
		return name
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"), strings.HasSuffix(name, "sh"):
		return name + "es"
	case strings.HasSuffix(name, "y") && !strings.HasSuffix(name, "ay") && !strings.HasSuffix(name, "ey") && !strings.HasSuffix(name, "oy"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}
