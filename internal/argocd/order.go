package argocd

// kindOrder is the order of kinds within one phase and wave, as the engine has it (gitops-engine pkg/sync/sync_tasks.go,
// the same in Argo CD 2.14 and 3.5). It looks at the kind alone, so a custom resource of kind Service sorts as a Service.
var kindOrder = []string{
	"Namespace",           // everything namespaced lives in one
	"NetworkPolicy",       // before the pods that it is to hold
	"ResourceQuota",       // counts what is made after it
	"LimitRange",          // fills pods made after it
	"PodSecurityPolicy",   // gone since Kubernetes 1.25; the engine still knows it
	"PodDisruptionBudget", // before the pods that it protects
	"ServiceAccount",      // pods without theirs are refused
	"Secret",              // pods mount them
	"SecretList",
	"ConfigMap",             // pods mount them
	"StorageClass",          // claims name one
	"PersistentVolume",      // claims bind to one
	"PersistentVolumeClaim", // pods mount them
	"CustomResourceDefinition",
	"ClusterRole", // bindings name a role, and pods need both
	"ClusterRoleList",
	"ClusterRoleBinding",
	"ClusterRoleBindingList",
	"Role",
	"RoleList",
	"RoleBinding",
	"RoleBindingList",
	"Service", // before the pods, which read its address from their environment
	"DaemonSet",
	"Pod",
	"ReplicationController",
	"ReplicaSet",
	"Deployment",
	"HorizontalPodAutoscaler", // after the Deployment that it scales
	"StatefulSet",
	"Job",
	"CronJob",
	"IngressClass",
	"Ingress",    // after the Services behind it
	"APIService", // after the pods that answer for it
}

// KindOrder returns the place of a kind in the engine's order: lower ones are applied first. A kind that the table does not
// name (every custom resource, webhook configurations, PriorityClass …) is 0 and thus last.
func KindOrder(kind string) int {
	for i, k := range kindOrder {
		if k == kind {
			return i - len(kindOrder)
		}
	}
	return 0
}
