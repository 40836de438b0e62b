package coldstart

import (
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// Bootstraps reports whether an Application's objects must be applied before Argo CD can run: they hold Argo CD's own
// controller, or the DaemonSet that gives nodes their network.
func Bootstraps(objects []manifest.Object) bool {
	for _, o := range objects {
		if spec := needs.PodSpec(o); spec != nil && (runsArgo(spec) || o.ID().Kind == "DaemonSet" && bringsNetwork(spec)) {
			return true
		}
	}
	return false
}

func runsArgo(spec map[string]any) bool {
	for _, container := range listOf(spec, "containers") {
		for _, word := range append(textsOf(container, "command"), textsOf(container, "args")...) {
			if strings.HasSuffix(word, "argocd-application-controller") {
				return true
			}
		}
	}
	return false
}

// bringsNetwork reports whether pods write where the kubelet looks for network plugins.
func bringsNetwork(spec map[string]any) bool {
	for _, volume := range listOf(spec, "volumes") {
		path, _ := valueAt(volume, "hostPath", "path").(string)
		if strings.HasPrefix(path, "/etc/cni/") || strings.HasPrefix(path, "/opt/cni/") {
			return true
		}
	}
	return false
}
