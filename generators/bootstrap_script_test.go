package generators

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
)

// fakeKubectl records its arguments, answers what the script asks for, and fails of what $FAIL names.
const fakeKubectl = `#!/bin/sh
printf '%s\n' "$*" >>"$CALLS"
if [ -n "${FAIL:-}" ]; then
  case "$*" in *"$FAIL"*) echo "error: timed out waiting for the condition" >&2; exit 1 ;; esac
fi
case "$*" in
'config current-context') echo lab ;;
'config view'*) echo "${SERVER:-https://10.0.0.1:6443}" ;;
*repo-creds*) echo "${CREDENTIAL-https://git.example.internal}" ;;
*secret-type=cluster*) echo "${CLUSTER-lab}" ;;
*operationState.phase}) printf '%s' "${PHASE-}" ;;
*ignore-not-found*) printf '%s' "${JOB-job.batch/j}" ;;
esac
`

// runScript runs an environment's script under sh with the fake kubectl.
func runScript(t *testing.T, in component.Finished, env []string, args ...string) (calls, output string, code int) {
	t.Helper()
	files, err := buildBootstrap(in)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("kubectl", fakeKubectl)
	script := write("bootstrap.sh", string(files[0].Data))
	if out, err := exec.CommandContext(t.Context(), "sh", "-n", script).CombinedOutput(); err != nil {
		t.Fatalf("sh -n: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{script}, args...)...)
	cmd.Env = append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "CALLS=" + filepath.Join(dir, "calls")}, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(recorded), string(out), cmd.ProcessState.ExitCode()
}

// dryRun returns the commands that the script lists.
func dryRun(t *testing.T, in component.Finished) []string {
	t.Helper()
	calls, out, code := runScript(t, in, nil, "-n")
	if calls != "" || code != 0 {
		t.Fatalf("-n called kubectl or ended with %d:\n%s%s", code, calls, out)
	}
	var lines []string
	for line := range strings.Lines(out) {
		if command, ok := strings.CutPrefix(line, "   kubectl "); ok {
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	return lines
}

const (
	oneJob   = `{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: argocd}, spec: {ttlSecondsAfterFinished: 60, template: {spec: {containers: [{name: c, image: x}]}}}}`
	testPod  = `{apiVersion: v1, kind: Pod, metadata: {name: try, namespace: argocd, annotations: {helm.sh/hook: test}}}`
	onDelete = `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: slow, namespace: argocd}, spec: {selector: {matchLabels: {a: b}}, updateStrategy: {type: OnDelete}, template: {spec: {containers: []}}}}`
)

func fleet(t *testing.T) component.Finished {
	t.Helper()
	return small(t, "cluster", map[string][]string{"net": {network}, "net-config net": {widget}, "argo net-config": {controller, oneJob, testPod, onDelete}})
}

func TestBootstrapScriptCalls(t *testing.T) {
	calls, out, code := runScript(t, fleet(t), nil)
	if code != 0 {
		t.Fatalf("ended with %d\n%s", code, out)
	}
	const apply = "--context lab apply --server-side --force-conflicts --field-manager=argocd-controller -f ../components/"
	want := []string{
		"config current-context",
		"config view --minify --context lab -o jsonpath={.clusters[0].cluster.server}",
		apply + "net",
		"--context lab -n kube-system rollout status daemonset/net --timeout=300s",
		"--context lab wait node --all --for=condition=Ready --timeout=300s",
		"--context lab wait crd/widgets.example.com --for=create --timeout=180s",
		"--context lab wait crd/widgets.example.com --for=condition=Established --timeout=180s",
		apply + "net-config",
		"--context lab -n kube-system wait pods -l k8s-app=kube-dns --for=condition=Ready --timeout=300s",
		apply + "argo/statefulset_argocd-application-controller.yaml -f ../components/argo/job_j.yaml -f ../components/argo/daemonset_slow.yaml",
		"--context lab -n argocd wait pods -l a=b --for=condition=Ready --timeout=300s",
		"--context lab -n argocd wait job/j --for=condition=Complete --timeout=300s",
		"--context lab -n argocd rollout status statefulset/argocd-application-controller --timeout=300s",
	}
	got := strings.Split(strings.TrimSpace(calls), "\n")
	if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	again, _, _ := runScript(t, fleet(t), nil)
	if again != calls {
		t.Error("the second run did something else")
	}
}

func TestBootstrapScriptFailures(t *testing.T) {
	tests := map[string]struct {
		env  []string
		code int
		says []string
		last string // no later call than this
	}{
		"another cluster":         {[]string{"SERVER=https://10.9.9.9:6443"}, 3, []string{"leads to https://10.9.9.9:6443", "nothing was touched"}, "config view"},
		"no context":              {[]string{"FAIL=config current-context"}, 3, []string{"no current context"}, "config current"},
		"another address, stated": {[]string{"SERVER=https://10.9.9.9:6443/", "BOOTSTRAP_ENDPOINT=https://10.9.9.9:6443"}, 0, []string{"Done."}, ""},
		"apply refused":           {[]string{"FAIL=apply"}, 1, []string{"step 2 (Component net): applying ../components/net"}, "components/net"},
		"a workload times out": {
			[]string{"FAIL=rollout status daemonset/net"},
			1,
			[]string{"daemonset/net in kube-system is not ready after 300s", "get events", "describe pods", "node must reach quay.example.internal", "Secret kube-system/key is not there"},
			"get events",
		},
		"a limit of one's own":    {[]string{"FAIL=rollout status", "WORKLOAD_TIMEOUT=7s"}, 1, []string{"not ready after 7s"}, "get events"},
		"a CRD that nobody makes": {[]string{"FAIL=--for=create"}, 1, []string{"nobody made crd/widgets.example.com within 180s", "operator"}, "get crd"},
		"a Job fails":             {[]string{"FAIL=wait job/j"}, 1, []string{"job/j in argocd is not complete"}, "get events"},
		"a Job was removed":       {[]string{"FAIL=wait job/j", "JOB="}, 0, []string{"job/j has ended and was removed 60 s later"}, ""},
		"a Job cannot be asked":   {[]string{"FAIL=job/j"}, 1, []string{"asking for job/j"}, "ignore-not-found"},
		"no credential": {
			[]string{"CREDENTIAL=https://elsewhere.example.internal"},
			4,
			[]string{"no credential for https://git.example.internal/fleet.git", "create secret generic lab-repository", "password"},
			"repo-creds",
		},
		"a public repository": {[]string{"CREDENTIAL=", "REPOSITORY_PUBLIC=yes"}, 0, []string{"says that none is needed"}, ""},
		"an Application hangs": {
			[]string{"FAIL=applications.argoproj.io/net --for=jsonpath={.status.health.status}=Healthy", "PHASE=Running"},
			1,
			[]string{`patch applications.argoproj.io net --type merge -p '{"status":{"operationState":{"phase":"Terminating"}}}'`, "DaemonSet.apps kube-system/net"},
			"operationState.phase",
		},
		"an Application ended": {
			[]string{"FAIL=applications.argoproj.io/net --for=jsonpath={.status.health.status}=Healthy", "PHASE=Failed"},
			1,
			[]string{`patch applications.argoproj.io net --type merge -p '{"metadata":{"annotations":{"argocd.argoproj.io/refresh":"normal"}},"status":{"operationState":null}}'`},
			"operationState.phase",
		},
		"what ended cannot be begun anew": {[]string{"FAIL=patch applications", "PHASE=Error"}, 1, []string{"beginning the operation of root anew"}, "patch"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			calls, out, code := runScript(t, fleet(t), tt.env)
			if code != tt.code {
				t.Errorf("ended with %d, want %d\n%s", code, tt.code, out)
			}
			for _, want := range tt.says {
				if !strings.Contains(out, want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
			lines := strings.Split(strings.TrimSpace(calls), "\n")
			if !strings.Contains(lines[len(lines)-1], tt.last) {
				t.Errorf("its last call was %s; want %s", lines[len(lines)-1], tt.last)
			}
		})
	}
}

// What ended without success is begun anew, before it is waited for; what runs, and what succeeded, is left alone.
func TestBootstrapScriptResumes(t *testing.T) {
	for phase, want := range map[string][]string{"": nil, "Running": nil, "Succeeded": nil, "Failed": {"root", "argo", "net", "net-config", "root"}, "Error": {"root", "argo", "net", "net-config", "root"}} {
		calls, out, code := runScript(t, fleet(t), []string{"PHASE=" + phase})
		if code != 0 {
			t.Fatalf("%s: ended with %d\n%s", phase, code, out)
		}
		var got []string
		for line := range strings.Lines(calls) {
			if _, rest, ok := strings.Cut(line, "patch applications.argoproj.io/"); ok {
				got = append(got, strings.Fields(rest)[0])
				if !strings.HasSuffix(strings.TrimSpace(rest), `-p {"metadata":{"annotations":{"argocd.argoproj.io/refresh":"normal"}},"status":{"operationState":null}}`) {
					t.Errorf("%s: %s", phase, rest)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: begun anew (-want +got)\n%s", phase, diff)
		}
	}
}

// The three waits for an Application share one limit; one that the script cannot read stays whole.
func TestBootstrapScriptSharesTheLimit(t *testing.T) {
	const left = `. ./functions; for l in 1200s 20m 2h 90s 1h30m 08s s '' 15; do printf '%s ' "$(left "$l" $(($(date +%s) - 100)))"; done; left 1200s "$(date +%s)"`
	functions := bootstrapFunctions[strings.Index(bootstrapFunctions, "\nleft() {"):strings.Index(bootstrapFunctions, "\n# application waits")]
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "functions"), []byte(functions), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", left)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Split(string(out), " ")
	for i, want := range []string{"1100s 1099s 1098s 1097s", "1100s 1099s 1098s 1097s", "7100s 7099s 7098s 7097s", "1s", "1h30m", "08s", "s", "", "15", "1200s"} {
		if !slices.Contains(strings.Split(want, " "), got[i]) {
			t.Errorf("%d: %q, want one of %q", i, got[i], want)
		}
	}
}

func TestBootstrapScriptOfHub(t *testing.T) {
	in := small(t, "hub", map[string][]string{"net": {network}})
	in.HealthFragment = "bootstrap/argocd-cm.yaml"
	tests := map[string]struct {
		env  []string
		code int
	}{
		"which hub is not said":    {nil, 3},
		"the cluster is no hub":    {[]string{"BOOTSTRAP_ENDPOINT=https://10.0.0.1:6443"}, 3},
		"the hub":                  {[]string{"BOOTSTRAP_ENDPOINT=https://hub:6443", "SERVER=https://hub:6443"}, 0},
		"an unregistered cluster":  {[]string{"BOOTSTRAP_ENDPOINT=https://hub:6443", "SERVER=https://hub:6443", "CLUSTER=la"}, 1},
		"no Argo CD in that place": {[]string{"BOOTSTRAP_ENDPOINT=https://hub:6443", "SERVER=https://hub:6443", "FAIL=crd/applications"}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			calls, out, code := runScript(t, in, tt.env)
			settled := strings.Contains(calls, "--field-manager=gen -f argocd-cm.yaml")
			if code != tt.code || settled != (code == 0) || strings.Contains(calls, "components/net") {
				t.Errorf("ended with %d, want %d\n%s%s", code, tt.code, calls, out)
			}
		})
	}
}

// Without the fact the script asks which cluster is meant, and touches nothing.
func TestBootstrapScriptWithoutEndpoint(t *testing.T) {
	in := fleet(t)
	in.Environment.Facts.ControlPlane = nil
	if calls, out, code := runScript(t, in, nil); code != 3 || calls != "" || !strings.Contains(out, "set BOOTSTRAP_ENDPOINT") {
		t.Errorf("ended with %d\n%s%s", code, calls, out)
	}
}

func TestBootstrapScriptUsage(t *testing.T) {
	for _, args := range [][]string{{"-x"}, {"more"}} {
		if calls, out, code := runScript(t, fleet(t), nil, args...); code != 2 || calls != "" || !strings.Contains(out, "usage:") {
			t.Errorf("%v: ended with %d\n%s%s", args, code, calls, out)
		}
	}
}

func TestShellcheck(t *testing.T) {
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	for _, env := range []string{"lab", "prod"} {
		if out, err := exec.CommandContext(t.Context(), "shellcheck", "-s", "sh", filepath.Join("..", "output", env, "bootstrap", "bootstrap.sh")).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
