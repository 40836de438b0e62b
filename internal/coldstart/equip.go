package coldstart

import (
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// podsThere is the fact that pods which bear labels have a node: "pods team app=db".
const podsThere needs.Type = "pods"

// resourceAbility begins the ability of nodes to give pods a resource that Kubernetes does not know: "ability resource nvidia.com/gpu".
const resourceAbility = "resource "

// equipment returns what the nodes must have before the pods of a workload run: drivers for volumes in their specs, other pods to stand
// beside, devices.
func (w *world) equipment(n *node) []need {
	spec := startedPods(n)
	if spec == nil {
		return nil
	}
	return slices.Concat(mounted(n, spec), w.company(n, spec), w.devices(n, spec))
}

// secretsDriver mounts what a SecretProviderClass names (secrets-store-csi-driver docs, Concepts).
const secretsDriver = "secrets-store.csi.k8s.io"

// mounted returns the drivers of volumes that stand in the spec of a pod: without its CSIDriver the kubelet takes such a volume for one
// that its driver does not serve (kubernetes pkg/volume/csi/csi_plugin.go, SupportsVolumeLifecycleMode).
func mounted(n *node, spec map[string]any) []need {
	var list []need
	for _, v := range listOf(spec, "volumes") {
		driver := textAt(v, "csi", "driver")
		if driver == "" {
			continue
		}
		list = append(list, wants(needs.Fact{Type: needs.Exists, Group: "storage.k8s.io", Kind: "CSIDriver", Name: driver}, "runs pods with a volume of a CSI driver"))
		if class := textAt(v, "csi", "volumeAttributes", "secretProviderClass"); driver == secretsDriver && class != "" {
			list = append(list, wants(needs.Fact{Type: needs.Exists, Group: "secrets-store.csi.x-k8s.io", Kind: "SecretProviderClass", Namespace: n.id.Namespace, Name: class}, "runs pods that mount a SecretProviderClass"))
		}
	}
	return list
}

// company returns the pods beside which those of a workload must stand (required podAffinity). The first pod that matches itself needs
// no other (kubernetes pkg/scheduler/framework/plugins/interpodaffinity, satisfyPodAffinity).
func (w *world) company(n *node, spec map[string]any) []need {
	var list []need
	for _, term := range listOf(spec, "affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution") {
		selector, _ := valueAt(term, "labelSelector").(map[string]any)
		own := len(textsOf(term, "namespaces")) == 0 || slices.Contains(textsOf(term, "namespaces"), n.id.Namespace)
		everywhere := valueAt(term, "namespaceSelector") != nil
		if selector == nil || (own || everywhere) && matchesSelector(selector, needs.PodLabels(n.task.Object)) {
			continue
		}
		namespaces := textsOf(term, "namespaces")
		if everywhere {
			namespaces = []string{"*"}
		} else if len(namespaces) == 0 {
			namespaces = []string{n.id.Namespace}
		}
		fact := n.here(needs.Fact{Type: podsThere, Name: strings.Join(namespaces, ",") + " " + selectorText(selector)})
		if _, known := w.provided[fact]; !known {
			w.provided[fact] = w.bearing(n, selector, namespaces, everywhere)
		}
		list = append(list, wants(fact, "runs pods that must stand beside others (podAffinity)"))
	}
	return list
}

// bearing returns the workloads whose pods a selector takes. Of other namespaces that are told by their labels all count.
func (w *world) bearing(n *node, selector map[string]any, namespaces []string, everywhere bool) []provision {
	var list []provision
	for _, other := range w.all {
		in := everywhere || slices.Contains(namespaces, other.id.Namespace)
		if other != n && in && other.app.on == n.app.on && needs.PodSpec(other.task.Object) != nil && podless(other.task.Object) == "" &&
			matchesSelector(selector, needs.PodLabels(other.task.Object)) {
			list = append(list, provision{node: other})
		}
	}
	return list
}

// selectorText writes a label selector in the words of kubectl.
func selectorText(selector map[string]any) string {
	var parts []string
	labels, _ := selector["matchLabels"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		value, _ := labels[key].(string)
		parts = append(parts, key+"="+value)
	}
	for _, expression := range listOf(selector, "matchExpressions") {
		key := textAt(expression, "key")
		operator := textAt(expression, "operator")
		part := key + " " + strings.ToLower(operator)
		if values := textsOf(expression, "values"); len(values) > 0 {
			part += " (" + strings.Join(values, ",") + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

// devices returns the resources of nodes for which the pods of a workload ask and which only a device plugin gives (Kubernetes docs, Device
// Plugins; Extended Resources).
func (w *world) devices(n *node, spec map[string]any) []need {
	asked := map[string]bool{}
	for _, c := range containers(spec) {
		for _, field := range []string{"limits", "requests"} {
			of, _ := valueAt(c, "resources", field).(map[string]any)
			for name := range of {
				if q := quantity(of[name]); strings.Contains(name, "/") && q != nil && !q.IsZero() {
					asked[name] = true
				}
			}
		}
	}
	var list []need
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		fact := n.here(needs.Fact{Type: needs.Ability, Name: resourceAbility + name})
		if _, known := w.provided[fact]; !known {
			w.provided[fact] = w.equips(n.app.on, name)
		}
		list = append(list, wants(fact, "runs pods that ask for "+name+" of a node"))
	}
	return list
}

// pluginFolder is where device plugins meet the kubelet (Kubernetes docs, Device Plugins, registration).
const pluginFolder = "/var/lib/kubelet/device-plugins"

// deviceKinds are the objects because of which an operator runs device plugins, by the domain of their resources (docs of the NVIDIA and AMD
// GPU operators, the Intel device plugins operator, KubeVirt).
var deviceKinds = map[string]string{
	"nvidia.com": "ClusterPolicy.nvidia.com", "amd.com": "DeviceConfig.amd.com", "gpu.intel.com": "GpuDevicePlugin.deviceplugin.intel.com",
	"devices.kubevirt.io": "KubeVirt.kubevirt.io",
}

// equips returns who gives nodes a resource: plugins that name its vendor, and objects for which an operator runs one.
func (w *world) equips(on, resource string) []provision {
	domain, _, _ := strings.Cut(resource, "/")
	var list []provision
	if kind, group, ok := strings.Cut(deviceKinds[domain], "."); ok {
		for _, n := range w.ofKind(on, group, kind) {
			list = append(list, provision{n, true})
		}
	}
	for _, n := range w.ofKind(on, "apps", "DaemonSet") {
		if plugsDevices(n.task.Object, resource) {
			list = append(list, provision{n, true})
		}
	}
	return list
}

// plugsDevices reports whether a DaemonSet registers a resource with the kubelet: it mounts the folder for that, and the resource, its
// domain, or the vendor's name stands in its name, images, arguments or variables.
func plugsDevices(o manifest.Object, resource string) bool {
	spec := needs.PodSpec(o)
	if !slices.ContainsFunc(listOf(spec, "volumes"), func(v any) bool {
		folder := textAt(v, "hostPath", "path")
		return strings.TrimRight(folder, "/") == pluginFolder
	}) {
		return false
	}
	domain, _, _ := strings.Cut(resource, "/")
	labels := strings.Split(domain, ".")
	vendor := labels[max(len(labels)-2, 0)]
	return strings.Contains(o.ID().Name, vendor) || slices.ContainsFunc(containers(spec), func(c any) bool {
		return anyText(c, func(text string) bool { return strings.Contains(text, vendor) })
	})
}
