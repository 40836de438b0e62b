package stack

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// ArgoCRDs are the files of Argo CD's own three definitions, as its release ships them.
func ArgoCRDs(ctx context.Context, version string) ([]string, error) {
	dir, err := moduleDir(ctx)
	if err != nil {
		return nil, err
	}
	b := argoBinary(version)
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", strings.TrimSuffix(b.pkg, "/cmd"))
	cmd.Dir = filepath.Join(dir, "stack", b.module)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("finding Argo CD's definitions: %w", err)
	}
	return filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "manifests", "crds", "*-crd.yaml"))
}

// StartArgo starts Argo CD's repository server and application controller against the control plane. Its definitions,
// namespace and settings must be there, as on any cluster. env holds what a Deployment would take from argocd-cmd-params-cm.
// All listen on loopback, but for the controller's metrics: it has no flag for their address (controller/appcontroller.go).
func (s *Stack) StartArgo(ctx context.Context, env ...string) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	free, err := freePorts(3)
	if err != nil {
		return err
	}
	base, err := s.argoEnv()
	if err != nil {
		return err
	}
	repo, err := s.procs.start("argocd-repo-server", s.paths["argocd"], append(base, "ARGOCD_BINARY_NAME=argocd-repo-server"),
		"--port", strconv.Itoa(free[0]), "--metrics-port", strconv.Itoa(free[1]), "--redis", s.redis.Addr(), "--disable-tls",
		"--address", "127.0.0.1", "--metrics-address", "127.0.0.1")
	if err != nil {
		return err
	}
	if err := s.procs.await(ctx, repo, dials(free[0])); err != nil {
		return err
	}
	env = append(base, append([]string{"ARGOCD_BINARY_NAME=argocd-application-controller"}, env...)...)
	controller, err := s.procs.start("argocd-application-controller", s.paths["argocd"], env,
		"--redis", s.redis.Addr(), "--repo-server", "127.0.0.1:"+strconv.Itoa(free[0]), "--repo-server-plaintext",
		"--metrics-port", strconv.Itoa(free[2]), "--app-resync", "10", "--app-resync-jitter", "0", "--namespace", "argocd")
	if err != nil {
		return err
	}
	return s.procs.await(ctx, controller, answers(loopback("http", free[2])+"/healthz", ""))
}

// argoEnv points Argo CD at this cluster as if it ran inside, and every folder that it would mount at an empty one.
func (s *Stack) argoEnv() ([]string, error) {
	env := []string{
		"ARGOCD_FAKE_IN_CLUSTER=true", "KUBECONFIG=" + s.Kubeconfig, "ARGOCD_GPG_ENABLED=false",
		"HOSTNAME=argocd-application-controller-0", "TMPDIR=" + filepath.Join(s.Dir, "argo-tmp"), "HOME=" + s.Dir,
	}
	if err := os.MkdirAll(filepath.Join(s.Dir, "argo-tmp"), 0o700); err != nil {
		return nil, fmt.Errorf("making Argo CD's folder: %w", err)
	}
	for _, name := range []string{"ARGOCD_TLS_DATA_PATH", "ARGOCD_SSH_DATA_PATH", "ARGOCD_GNUPGHOME", "ARGOCD_GPG_DATA_PATH", "ARGOCD_PLUGINSOCKFILEPATH"} {
		dir := filepath.Join(s.Dir, "argo", strings.ToLower(name))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("making Argo CD's folder: %w", err)
		}
		env = append(env, name+"="+dir)
	}
	return env, nil
}

func dials(port int) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			return err
		}
		return conn.Close()
	}
}
