package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// retirement is a version of an API that no maintained Kubernetes serves.
type retirement struct {
	apiVersion string
	kinds      []string // all if empty: later kinds may have come under the same version
	since, now string   // the Kubernetes that dropped it, and what to write in its place
}

// retired is Kubernetes' deprecation guide, up to 1.32, but for kinds that are gone altogether.
var retired = []retirement{
	{"extensions/v1beta1", []string{"DaemonSet", "Deployment", "ReplicaSet"}, "1.16", "apps/v1"},
	{"extensions/v1beta1", []string{"NetworkPolicy"}, "1.16", "networking.k8s.io/v1"},
	{"extensions/v1beta1", []string{"Ingress"}, "1.22", "networking.k8s.io/v1"},
	{"apps/v1beta1", nil, "1.16", "apps/v1"},
	{"apps/v1beta2", nil, "1.16", "apps/v1"},
	{"admissionregistration.k8s.io/v1beta1", []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}, "1.22", "admissionregistration.k8s.io/v1"},
	{"apiextensions.k8s.io/v1beta1", nil, "1.22", "apiextensions.k8s.io/v1"},
	{"apiregistration.k8s.io/v1beta1", nil, "1.22", "apiregistration.k8s.io/v1"},
	{"certificates.k8s.io/v1beta1", []string{"CertificateSigningRequest"}, "1.22", "certificates.k8s.io/v1"},
	{"coordination.k8s.io/v1beta1", []string{"Lease"}, "1.22", "coordination.k8s.io/v1"},
	{"networking.k8s.io/v1beta1", []string{"Ingress", "IngressClass"}, "1.22", "networking.k8s.io/v1"},
	{"rbac.authorization.k8s.io/v1beta1", nil, "1.22", "rbac.authorization.k8s.io/v1"},
	{"scheduling.k8s.io/v1beta1", nil, "1.22", "scheduling.k8s.io/v1"},
	{"storage.k8s.io/v1beta1", []string{"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "CSIStorageCapacity"}, "1.27", "storage.k8s.io/v1"},
	{"batch/v1beta1", nil, "1.25", "batch/v1"},
	{"discovery.k8s.io/v1beta1", nil, "1.25", "discovery.k8s.io/v1"},
	{"events.k8s.io/v1beta1", nil, "1.25", "events.k8s.io/v1"},
	{"node.k8s.io/v1beta1", nil, "1.25", "node.k8s.io/v1"},
	{"policy/v1beta1", []string{"PodDisruptionBudget"}, "1.25", "policy/v1"},
	{"autoscaling/v2beta1", nil, "1.25", "autoscaling/v2"},
	{"autoscaling/v2beta2", nil, "1.26", "autoscaling/v2"},
	{"flowcontrol.apiserver.k8s.io/v1beta1", nil, "1.26", "flowcontrol.apiserver.k8s.io/v1"},
	{"flowcontrol.apiserver.k8s.io/v1beta2", nil, "1.29", "flowcontrol.apiserver.k8s.io/v1"},
	{"flowcontrol.apiserver.k8s.io/v1beta3", nil, "1.32", "flowcontrol.apiserver.k8s.io/v1"},
}

// unserved says why an object cannot be applied by any maintained Kubernetes: Argo CD finds no such version, and nothing of the
// Application is applied. Seen on Argo CD 3.2.11 with prometheus-adapter's chart, which asks Helm for the APIs of the cluster.
func unserved(o manifest.Object) string {
	for _, r := range retired {
		if o.String("apiVersion") != r.apiVersion || len(r.kinds) > 0 && !slices.Contains(r.kinds, o.ID().Kind) {
			continue
		}
		return "is of " + r.apiVersion + ", which Kubernetes has not served since " + r.since + ": write " + r.now
	}
	return ""
}
