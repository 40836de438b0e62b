package needs

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// restricted is the table of what the restricted level of the Pod Security Standards asks for beyond the baseline level
// (https://kubernetes.io/docs/concepts/security/pod-security-standards/).
var restricted = []securityCheck{
	{name: "volume types", pod: volumeTypes},
	{name: "privilege escalation", container: func(c map[string]any) []string {
		if value(c, "securityContext", "allowPrivilegeEscalation") == false {
			return nil
		}
		return []string{"allowPrivilegeEscalation is not false"}
	}},
	{name: "running as non-root", pod: func(t map[string]any) []string {
		return everywhere(t, "runAsNonRoot is not true", func(holder any) bool { return value(holder, "securityContext", "runAsNonRoot") == true })
	}},
	{name: "running as non-root user", pod: func(t map[string]any) []string { return rootUser(value(t, "spec")) }, container: func(c map[string]any) []string { return rootUser(c) }},
	{name: "seccomp", pod: func(t map[string]any) []string {
		return everywhere(t, "seccompProfile is not RuntimeDefault or Localhost", func(holder any) bool {
			return slices.Contains([]string{"RuntimeDefault", "Localhost"}, text(value(holder, "securityContext", "seccompProfile", "type")))
		})
	}},
	{name: "capabilities", container: func(c map[string]any) []string {
		found := outside(value(c, "securityContext", "capabilities", "add"), []string{"NET_BIND_SERVICE"}, "capability ")
		if dropped, _ := value(c, "securityContext", "capabilities", "drop").([]any); !slices.Contains(dropped, any("ALL")) {
			found = append(found, "capabilities.drop has no ALL")
		}
		return found
	}},
}

// restrictedVolumes are the types of volumes that the restricted level allows.
var restrictedVolumes = []string{"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}

// BeyondRestricted returns what in the pods that an object runs the restricted level refuses besides what the baseline level does.
func BeyondRestricted(o manifest.Object) []string { return beyond(o, restricted) }

func volumeTypes(template map[string]any) []string {
	var found []string
	for _, volume := range list(child(template, "spec"), "volumes") {
		fields, _ := volume.(map[string]any)
		for key := range fields {
			if key != "name" && !slices.Contains(restrictedVolumes, key) {
				found = append(found, "volume "+key)
			}
		}
	}
	slices.Sort(found)
	return found
}

// everywhere reports a thing that neither the pod states nor every container by itself.
func everywhere(template map[string]any, missing string, stated func(holder any) bool) []string {
	spec := child(template, "spec")
	if stated(spec) {
		return nil
	}
	for _, kind := range []string{"initContainers", "containers"} {
		for _, c := range list(spec, kind) {
			if !stated(c) {
				return []string{missing}
			}
		}
	}
	return nil
}

func rootUser(holder any) []string {
	if value(holder, "securityContext", "runAsUser") == int64(0) {
		return []string{"runAsUser 0"}
	}
	return nil
}
