package needs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBeyondBaseline(t *testing.T) {
	tests := map[string]struct {
		meta, spec string // of the pod
		want       []string
	}{
		"nothing asked for": {spec: `{containers: [{name: c}]}`},
		"all that baseline allows": {
			meta: `{annotations: {container.apparmor.security.beta.kubernetes.io/c: localhost/x, container.apparmor.security.beta.kubernetes.io/d: runtime/default}}`,
			spec: `{hostNetwork: false, securityContext: {seccompProfile: {type: RuntimeDefault}, appArmorProfile: {type: Localhost}, seLinuxOptions: {type: container_t}, sysctls: [{name: net.ipv4.tcp_syncookies}]},
  volumes: [{name: v, emptyDir: {}}],
  containers: [{name: c, ports: [{containerPort: 80, hostPort: 0}], livenessProbe: {httpGet: {port: 80}}, securityContext: {privileged: false, procMount: Default, capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}}}]}`,
		},
		"host namespaces": {spec: `{hostNetwork: true, hostPID: true, hostIPC: true}`, want: []string{"hostNetwork", "hostPID", "hostIPC"}},
		"hostPath":        {spec: `{volumes: [{name: v, hostPath: {path: /proc}}]}`, want: []string{"hostPath /proc"}},
		"containers of all sorts, each reason once": {
			spec: `{initContainers: [{securityContext: {privileged: true}}], containers: [{securityContext: {privileged: true}}], ephemeralContainers: [{securityContext: {capabilities: {add: [ALL]}}}]}`,
			want: []string{"privileged", "capability ALL"},
		},
		"host port":       {spec: `{containers: [{ports: [{hostPort: 9100}]}]}`, want: []string{"hostPort 9100"}},
		"host of a probe": {spec: `{containers: [{readinessProbe: {tcpSocket: {host: 10.0.0.1}}, lifecycle: {preStop: {httpGet: {host: x}}}}]}`, want: []string{"readinessProbe host 10.0.0.1", "preStop host x"}},
		"Windows host process": {
			spec: `{securityContext: {windowsOptions: {hostProcess: true}}, containers: [{securityContext: {windowsOptions: {hostProcess: true}}}]}`,
			want: []string{"hostProcess"},
		},
		"AppArmor": {
			meta: `{annotations: {container.apparmor.security.beta.kubernetes.io/c: unconfined}}`, spec: `{containers: [{securityContext: {appArmorProfile: {type: Unconfined}}}]}`,
			want: []string{"AppArmor unconfined", "appArmorProfile Unconfined"},
		},
		"SELinux": {
			spec: `{securityContext: {seLinuxOptions: {type: spc_t, user: u}}, containers: [{securityContext: {seLinuxOptions: {role: r}}}]}`,
			want: []string{"seLinux type spc_t", "seLinux user u", "seLinux role r"},
		},
		"procMount": {spec: `{containers: [{securityContext: {procMount: Unmasked}}]}`, want: []string{"procMount Unmasked"}},
		"seccomp":   {spec: `{securityContext: {seccompProfile: {type: Unconfined}}}`, want: []string{"seccompProfile Unconfined"}},
		"sysctls":   {spec: `{securityContext: {sysctls: [{name: net.core.somaxconn}]}}`, want: []string{"sysctl net.core.somaxconn"}},
	}
	for name, tt := range tests {
		for _, kind := range []string{
			"{apiVersion: v1, kind: Pod, metadata: META, spec: SPEC}",
			"{apiVersion: apps/v1, kind: DaemonSet, spec: {template: {metadata: META, spec: SPEC}}}",
			"{apiVersion: batch/v1, kind: CronJob, spec: {jobTemplate: {spec: {template: {metadata: META, spec: SPEC}}}}}",
		} {
			t.Run(name, func(t *testing.T) {
				meta := or(tt.meta, "{}")
				got := BeyondBaseline(object(t, strings.NewReplacer("META", meta, "SPEC", tt.spec).Replace(kind)))
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
	if got := BeyondBaseline(object(t, `{apiVersion: v1, kind: Service, spec: {hostNetwork: true}}`)); got != nil {
		t.Errorf("a Service runs no pods: got %v", got)
	}
}

// TestWithinBaseline states, value by value, what the baseline level allows (Kubernetes docs, Pod Security Standards).
func TestWithinBaseline(t *testing.T) {
	allowed := map[string][]string{
		"securityContext: {seLinuxOptions: {type: %s}}": {"container_t", "container_init_t", "container_kvm_t", "container_engine_t"},
		"securityContext: {sysctls: [{name: %s}]}": {
			"kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range",
			"net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes",
			"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
		},
		"containers: [{securityContext: {capabilities: {add: [%s]}}}]": {
			"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
		},
	}
	for spec, values := range allowed {
		for _, value := range append(values, "OTHER") {
			got := BeyondBaseline(object(t, `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {`+fmt.Sprintf(spec, value)+`}}`))
			if (len(got) > 0) != (value == "OTHER") {
				t.Errorf("%s: %v", fmt.Sprintf(spec, value), got)
			}
		}
	}
}

// TestWithinRestricted states what the restricted level asks for beyond the baseline, each beside pods that do it (Pod Security Standards).
func TestWithinRestricted(t *testing.T) {
	const pod, safe = "securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}", "allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}"
	one := func(context string) string {
		return pod + ", containers: [{name: c, securityContext: {" + context + "}}]"
	}
	of := func(pod string) string {
		return "securityContext: {" + pod + "}, containers: [{name: c, securityContext: {" + safe + "}}]"
	}
	for name, tt := range map[string]struct{ spec, want string }{
		"within it":                           {one(safe), ""},
		"one capability may be added":         {one("allowPrivilegeEscalation: false, capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}"), ""},
		"another may not":                     {one("allowPrivilegeEscalation: false, capabilities: {drop: [ALL], add: [CHOWN]}"), "capability CHOWN"},
		"some are dropped":                    {one("allowPrivilegeEscalation: false, capabilities: {drop: [NET_RAW]}"), "capabilities.drop has no ALL"},
		"none is dropped":                     {one("allowPrivilegeEscalation: false"), "capabilities.drop has no ALL"},
		"nothing is said of escalation":       {one("capabilities: {drop: [ALL]}"), "allowPrivilegeEscalation is not false"},
		"escalation is allowed":               {one("allowPrivilegeEscalation: true, capabilities: {drop: [ALL]}"), "allowPrivilegeEscalation is not false"},
		"a container that begins":             {one(safe) + ", initContainers: [{name: i}]", "allowPrivilegeEscalation is not false, capabilities.drop has no ALL"},
		"root, of the container":              {one(safe + ", runAsUser: 0"), "runAsUser 0"},
		"another user":                        {one(safe + ", runAsUser: 1000"), ""},
		"root, of the pod":                    {of("runAsNonRoot: true, runAsUser: 0, seccompProfile: {type: RuntimeDefault}"), "runAsUser 0"},
		"nothing is said of root":             {of("seccompProfile: {type: RuntimeDefault}"), "runAsNonRoot is not true"},
		"a profile of one's own":              {of("runAsNonRoot: true, seccompProfile: {type: Localhost}"), ""},
		"no profile":                          {of("runAsNonRoot: true, seccompProfile: {type: Unconfined}"), "seccompProfile is not RuntimeDefault or Localhost"},
		"the container says what the pod not": {"containers: [{securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}, " + safe + "}}]", ""},
		"one of two containers does":          {"containers: [{securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}, " + safe + "}}, {securityContext: {seccompProfile: {type: RuntimeDefault}, " + safe + "}}]", "runAsNonRoot is not true"},
		"volumes that are allowed":            {one(safe) + ", volumes: [{name: v, emptyDir: {}}, {name: w, secret: {}}]", ""},
		"volumes that are not":                {one(safe) + ", volumes: [{name: v, nfs: {}}, {name: w, iscsi: {}}]", "volume iscsi, volume nfs"},
	} {
		got := BeyondRestricted(object(t, "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {"+tt.spec+"}}"))
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}
}
