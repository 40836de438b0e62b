package needs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// podSpecAt says where each kind that runs pods keeps their spec: Kubernetes' own, and those of controllers whose objects stand in a
// Deployment's place (docs of Argo Rollouts, OpenKruise and OpenShift).
var podSpecAt = map[[2]string][]string{
	{"", "Pod"}:                   {"spec"},
	{"", "ReplicationController"}: {"spec", "template", "spec"},
	{"apps", "Deployment"}:        {"spec", "template", "spec"},
	{"apps", "DaemonSet"}:         {"spec", "template", "spec"},
	{"apps", "StatefulSet"}:       {"spec", "template", "spec"},
	{"apps", "ReplicaSet"}:        {"spec", "template", "spec"},
	{"batch", "Job"}:              {"spec", "template", "spec"},
	{"batch", "CronJob"}:          {"spec", "jobTemplate", "spec", "template", "spec"},

	{"argoproj.io", "Rollout"}:                {"spec", "template", "spec"},
	{"apps.kruise.io", "CloneSet"}:            {"spec", "template", "spec"},
	{"apps.kruise.io", "DaemonSet"}:           {"spec", "template", "spec"},
	{"apps.kruise.io", "StatefulSet"}:         {"spec", "template", "spec"},
	{"apps.openshift.io", "DeploymentConfig"}: {"spec", "template", "spec"},
}

// PodSpec returns the spec of the pods that an object runs, for reading only, or nil.
func PodSpec(o manifest.Object) map[string]any {
	id := o.ID()
	path, ok := podSpecAt[[2]string{id.Group, id.Kind}]
	if !ok {
		return nil
	}
	return o.Map(path...)
}

// PodLabels returns the labels of the pods that a workload runs, for reading only; a CronJob's pods are behind no Service here.
func PodLabels(o manifest.Object) map[string]any {
	if o.ID().Kind == "Pod" {
		return o.Map("metadata", "labels")
	}
	return o.Map("spec", "template", "metadata", "labels")
}

// Selects reports whether labels hold all of a selector of plain labels, as a Service has one. An empty selector selects everything.
func Selects(selector, labels map[string]any) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// podFacts turns a question to a pod's spec into one to the object that runs the pod. CronJobs are left out: their health says
// nothing about their pods.
func podFacts(ask func(spec map[string]any, namespace string) []Fact) func(manifest.Object) []Fact {
	return func(o manifest.Object) []Fact {
		spec := PodSpec(o)
		if spec == nil || o.ID().Kind == "CronJob" {
			return nil
		}
		return ask(spec, o.ID().Namespace)
	}
}

// containers returns what runs in a pod: what it begins with, then the rest.
func containers(spec map[string]any) []any {
	return slices.Concat(list(spec, "initContainers"), list(spec, "containers"))
}

// accountName returns the ServiceAccount of a pod: by either field, else the one that admission writes into it (Kubernetes
// plugin/pkg/admission/serviceaccount; serviceAccount is the old name of serviceAccountName).
func accountName(spec map[string]any) string {
	return cmp.Or(str(spec, "serviceAccountName"), str(spec, "serviceAccount"), "default")
}

func serviceAccount(spec map[string]any, namespace string) []Fact {
	name := accountName(spec)
	if name == "default" { // every namespace has that one
		return nil
	}
	return []Fact{{Type: Exists, Kind: "ServiceAccount", Namespace: namespace, Name: name}}
}

func priorityClass(spec map[string]any, _ string) []Fact {
	name := str(spec, "priorityClassName")
	if name == "" || strings.HasPrefix(name, "system-") { // Kubernetes makes those itself
		return nil
	}
	return []Fact{{Type: Exists, Group: "scheduling.k8s.io", Kind: "PriorityClass", Name: name}}
}

func runtimeClass(spec map[string]any, _ string) []Fact {
	if name := str(spec, "runtimeClassName"); name != "" {
		return []Fact{{Type: Exists, Group: "node.k8s.io", Kind: "RuntimeClass", Name: name}}
	}
	return nil
}

func podClaims(spec map[string]any, namespace string) []Fact {
	var facts []Fact
	for _, volume := range list(spec, "volumes") {
		if name := text(value(volume, "persistentVolumeClaim", "claimName")); name != "" {
			facts = append(facts, Fact{Type: Exists, Kind: "PersistentVolumeClaim", Namespace: namespace, Name: name})
		}
	}
	return facts
}

func podSecrets(spec map[string]any, namespace string) []Fact {
	return podReferences(spec, podReference{"Secret", "secret", "secretName", "secretRef", "secretKeyRef"}, namespace)
}

func podConfigMaps(spec map[string]any, namespace string) []Fact {
	return podReferences(spec, podReference{"ConfigMap", "configMap", "name", "configMapRef", "configMapKeyRef"}, namespace)
}

// PodReferences returns the Secrets and ConfigMaps that a pod cannot start without.
func PodReferences(spec map[string]any, namespace string) []Fact {
	return append(podSecrets(spec, namespace), podConfigMaps(spec, namespace)...)
}

// podReference names the fields under which a pod refers to one kind.
type podReference struct{ kind, volume, volumeName, envFrom, env string }

// podReferences returns every reference of one kind that the pod cannot start without.
func podReferences(spec map[string]any, r podReference, namespace string) []Fact {
	var facts []Fact
	add := func(ref any, nameKey string) {
		fields, _ := ref.(map[string]any)
		if name := str(fields, nameKey); name != "" && fields["optional"] != true {
			facts = append(facts, Fact{Type: Exists, Kind: r.kind, Namespace: namespace, Name: name})
		}
	}
	for _, volume := range list(spec, "volumes") {
		add(value(volume, r.volume), r.volumeName)
		sources, _ := value(volume, "projected", "sources").([]any)
		for _, source := range sources {
			add(value(source, r.volume), "name")
		}
	}
	for _, container := range containers(spec) {
		for _, from := range list(container, "envFrom") {
			add(value(from, r.envFrom), "name")
		}
		for _, env := range list(container, "env") {
			add(value(env, "valueFrom", r.env), "name")
		}
	}
	return facts
}
