package report

import (
	"reflect"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// unchangeable are the fields that the API server never lets change, by group and kind ("Job.batch"). A field above which only
// some may change is named with these in but. From the update validation of Kubernetes 1.36 (pkg/apis/*/validation).
var unchangeable = map[string][]fixedField{
	"Job.batch": {
		{path: "spec.template"},
		{path: "spec.selector"},
		{path: "spec.completionMode"},
		{path: "spec.podFailurePolicy"},
		{path: "spec.backoffLimitPerIndex"},
		{path: "spec.managedBy"},
		{path: "spec.successPolicy"},
	},
	"Deployment.apps": {{path: "spec.selector"}},
	"DaemonSet.apps":  {{path: "spec.selector"}},
	"ReplicaSet.apps": {{path: "spec.selector"}},
	"StatefulSet.apps": {{path: "spec", but: []string{
		"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
	}}},
	"Service":                               {{path: "spec.clusterIP", stated: true}},
	"PersistentVolumeClaim":                 {{path: "spec", but: []string{"resources", "volumeAttributesClassName"}}},
	"Secret":                                {{path: "type"}},
	"StorageClass.storage.k8s.io":           {{path: "provisioner"}, {path: "parameters"}, {path: "reclaimPolicy"}, {path: "volumeBindingMode"}},
	"RoleBinding.rbac.authorization.k8s.io": {{path: "roleRef"}},
	"ClusterRoleBinding.rbac.authorization.k8s.io":  {{path: "roleRef"}},
	"PriorityClass.scheduling.k8s.io":               {{path: "value"}, {path: "preemptionPolicy"}},
	"RuntimeClass.node.k8s.io":                      {{path: "handler"}},
	"IngressClass.networking.k8s.io":                {{path: "spec.controller"}},
	"CustomResourceDefinition.apiextensions.k8s.io": {{path: "spec.scope"}, {path: "spec.names.plural"}, {path: "spec.names.kind"}},
}

// fixedField is one field of a kind that cannot change.
type fixedField struct {
	path   string   // dotted
	but    []string // fields below it that may
	stated bool     // counts only where it is stated before and after: the API server fills it in
}

// fixed returns the fields that a change would have to change and the API server will not, sorted.
func fixed(before, after manifest.Object) []string {
	if before.IsZero() || after.IsZero() {
		return nil
	}
	var paths []string
	for _, f := range unchangeable[groupKind(after.ID())] {
		path := strings.Split(f.path, ".")
		old, now := before.Get(path...), after.Get(path...)
		if f.stated && (old == nil || now == nil) {
			continue
		}
		paths = append(paths, f.changed(old, now)...)
	}
	if sealed(before) {
		for _, field := range []string{"data", "stringData", "binaryData", "immutable"} {
			if !reflect.DeepEqual(before.Get(field), after.Get(field)) {
				paths = append(paths, field)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// changed returns the field, or those below it, that differ.
func (f fixedField) changed(old, now any) []string {
	if f.but == nil {
		if reflect.DeepEqual(old, now) {
			return nil
		}
		return []string{f.path}
	}
	was, _ := old.(map[string]any)
	is, _ := now.(map[string]any)
	var paths []string
	for _, fields := range []map[string]any{was, is} {
		for name := range fields {
			path := f.path + "." + name
			if !slices.Contains(f.but, name) && !reflect.DeepEqual(was[name], is[name]) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// sealed reports a ConfigMap or Secret that says of itself that it never changes.
func sealed(o manifest.Object) bool {
	id := o.ID()
	immutable, _ := o.Get("immutable").(bool)
	return immutable && id.Group == "" && (id.Kind == "ConfigMap" || id.Kind == "Secret")
}

// effect says what Argo CD does with a change of fixed fields, and whether the sync fails by it. It is "" for hooks: these are
// made anew at every sync.
func effect(after manifest.Object, paths []string) (text string, fails bool) {
	if argocd.IsHook(after) {
		return "", false
	}
	fields := strings.Join(paths, ", ")
	options := argocd.SyncOptions(after)
	if slices.Contains(options, "Force=true") && slices.Contains(options, "Replace=true") {
		return after.ID().String() + ": is deleted and made anew (Force and Replace), since it cannot change " + fields, false
	}
	return after.ID().String() + ": " + fields + " cannot change: the sync fails until the object is deleted by hand, has another name, " +
		"or has the sync options Force=true,Replace=true", true
}

// restarts says why the pods of a workload are replaced, or "".
func restarts(before, after manifest.Object) string {
	template := []string{"spec", "template"}
	if before.IsZero() || after.IsZero() || before.Get(template...) == nil || reflect.DeepEqual(before.Get(template...), after.Get(template...)) {
		return ""
	}
	switch groupKind(after.ID()) {
	case "Deployment.apps", "DaemonSet.apps", "StatefulSet.apps":
	default:
		return ""
	}
	old, now := references(before), references(after)
	if !slices.Equal(old, now) && slices.Equal(digests(old), digests(now)) {
		return after.ID().String() + ": its pods restart once, on images of the same digest by another name"
	}
	return after.ID().String() + ": its pods restart"
}

// digests are those of the references, or the whole reference where it has none.
func digests(refs []string) []string {
	out := make([]string, len(refs))
	for i, ref := range refs {
		out[i] = ref
		if _, digest, ok := strings.Cut(ref, "@"); ok {
			out[i] = digest
		}
	}
	slices.Sort(out)
	return out
}

func groupKind(id manifest.ID) string {
	if id.Group == "" {
		return id.Kind
	}
	return id.Kind + "." + id.Group
}
