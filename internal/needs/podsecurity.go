package needs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// securityCheck is one control of a level.
type securityCheck struct {
	name string
	// pod looks at a pod's template, container at each of its containers; they return what they refuse.
	pod       func(template map[string]any) []string
	container func(container map[string]any) []string
}

// baseline is the table of the baseline level of the Pod Security Standards as Kubernetes 1.34 has it
// (https://kubernetes.io/docs/concepts/security/pod-security-standards/).
var baseline = []securityCheck{
	{
		name: "host process",
		pod: func(t map[string]any) []string {
			return isTrue(value(t, "spec", "securityContext", "windowsOptions", "hostProcess"), "hostProcess")
		},
		container: func(c map[string]any) []string {
			return isTrue(value(c, "securityContext", "windowsOptions", "hostProcess"), "hostProcess")
		},
	},
	{
		name: "host namespaces",
		pod: func(t map[string]any) []string {
			return slices.Concat(isTrue(value(t, "spec", "hostNetwork"), "hostNetwork"),
				isTrue(value(t, "spec", "hostPID"), "hostPID"), isTrue(value(t, "spec", "hostIPC"), "hostIPC"))
		},
	},
	{
		name: "privileged",
		container: func(c map[string]any) []string {
			return isTrue(value(c, "securityContext", "privileged"), "privileged")
		},
	},
	{
		name: "capabilities",
		container: func(c map[string]any) []string {
			return outside(value(c, "securityContext", "capabilities", "add"), baselineCapabilities, "capability ")
		},
	},
	{name: "host path", pod: hostPaths},
	{name: "host ports", container: hostPorts},
	{name: "host probes", container: hostProbes},
	{name: "AppArmor", pod: appArmor, container: func(c map[string]any) []string { return profile(c, "appArmorProfile") }},
	{
		name:      "SELinux",
		pod:       func(t map[string]any) []string { return seLinux(child(t, "spec")) },
		container: seLinux,
	},
	{
		name: "/proc mount",
		container: func(c map[string]any) []string {
			return unless(text(value(c, "securityContext", "procMount")), []string{"", "Default"}, "procMount ")
		},
	},
	{
		name:      "seccomp",
		pod:       func(t map[string]any) []string { return profile(child(t, "spec"), "seccompProfile") },
		container: func(c map[string]any) []string { return profile(c, "seccompProfile") },
	},
	{name: "sysctls", pod: sysctls},
}

// baselineCapabilities may be added at the baseline level.
var baselineCapabilities = []string{
	"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID",
	"SETPCAP", "SETUID", "SYS_CHROOT",
}

// safeSysctls may be set at the baseline level.
var safeSysctls = []string{
	"kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_local_reserved_ports",
	"net.ipv4.ip_unprivileged_port_start", "net.ipv4.ping_group_range", "net.ipv4.tcp_fin_timeout",
	"net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_rmem",
	"net.ipv4.tcp_syncookies", "net.ipv4.tcp_wmem",
}

// BeyondBaseline returns what in the pods that an object runs the baseline level of Pod Security refuses, in the order of the
// standard, each once. Objects without pods, and pods within the level, give nothing.
func BeyondBaseline(o manifest.Object) []string { return beyond(o, baseline) }

func beyond(o manifest.Object, level []securityCheck) []string {
	template := podTemplate(o)
	if template == nil {
		return nil
	}
	spec := child(template, "spec")
	var found []string
	for _, check := range level {
		if check.pod != nil {
			found = append(found, check.pod(template)...)
		}
		for _, kind := range []string{"initContainers", "containers", "ephemeralContainers"} {
			for _, c := range list(spec, kind) {
				fields, _ := c.(map[string]any)
				if check.container == nil {
					continue
				}
				found = append(found, check.container(fields)...)
			}
		}
	}
	return once(found)
}

// podTemplate returns metadata and spec of the pods that an object runs, or nil.
func podTemplate(o manifest.Object) map[string]any {
	id := o.ID()
	path, ok := podSpecAt[[2]string{id.Group, id.Kind}]
	if !ok {
		return nil
	}
	if len(path) == 1 {
		return o.Fields()
	}
	return o.Map(path[:len(path)-1]...)
}

func isTrue(v any, name string) []string {
	if v == true {
		return []string{name}
	}
	return nil
}

// outside returns the strings of a list that are not allowed.
func outside(v any, allowed []string, label string) []string {
	items, _ := v.([]any)
	var found []string
	for _, item := range items {
		if !slices.Contains(allowed, text(item)) {
			found = append(found, label+text(item))
		}
	}
	return found
}

func unless(got string, allowed []string, label string) []string {
	if slices.Contains(allowed, got) {
		return nil
	}
	return []string{label + got}
}

func hostPaths(template map[string]any) []string {
	var found []string
	for _, volume := range list(child(template, "spec"), "volumes") {
		if value(volume, "hostPath") != nil {
			found = append(found, "hostPath "+text(value(volume, "hostPath", "path")))
		}
	}
	return found
}

func hostPorts(container map[string]any) []string {
	var found []string
	for _, port := range list(container, "ports") {
		if number := value(port, "hostPort"); number != nil && number != int64(0) {
			found = append(found, fmt.Sprint("hostPort ", number))
		}
	}
	return found
}

// hostProbes finds probes and hooks that name a host: they let the kubelet connect for the pod (refused from 1.34 on).
func hostProbes(container map[string]any) []string {
	var found []string
	for _, at := range [][]string{{"livenessProbe"}, {"readinessProbe"}, {"startupProbe"}, {"lifecycle", "postStart"}, {"lifecycle", "preStop"}} {
		for _, action := range []string{"httpGet", "tcpSocket"} {
			if host := text(value(value(container, at...), action, "host")); host != "" {
				found = append(found, at[len(at)-1]+" host "+host)
			}
		}
	}
	return found
}

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/"

func appArmor(template map[string]any) []string {
	found := profile(child(template, "spec"), "appArmorProfile")
	annotations, _ := value(template, "metadata", "annotations").(map[string]any)
	for key, v := range annotations {
		profile := text(v)
		if strings.HasPrefix(key, appArmorAnnotation) && profile != "" && profile != "runtime/default" && !strings.HasPrefix(profile, "localhost/") {
			found = append(found, "AppArmor "+profile)
		}
	}
	slices.Sort(found)
	return found
}

// profile finds an AppArmor or seccomp profile that confines nothing.
func profile(holder map[string]any, key string) []string {
	return unless(text(value(holder, "securityContext", key, "type")), []string{"", "RuntimeDefault", "Localhost"}, key+" ")
}

var seLinuxTypes = []string{"", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"}

func seLinux(holder map[string]any) []string {
	options, _ := value(holder, "securityContext", "seLinuxOptions").(map[string]any)
	found := unless(str(options, "type"), seLinuxTypes, "seLinux type ")
	for _, key := range []string{"user", "role"} {
		found = append(found, unless(str(options, key), []string{""}, "seLinux "+key+" ")...)
	}
	return found
}

func sysctls(template map[string]any) []string {
	entries, _ := value(template, "spec", "securityContext", "sysctls").([]any)
	var found []string
	for _, entry := range entries {
		found = append(found, unless(text(value(entry, "name")), safeSysctls, "sysctl ")...)
	}
	return found
}

// once drops repetitions and keeps the order.
func once(list []string) []string {
	var out []string
	for _, item := range list {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}
