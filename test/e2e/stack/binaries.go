// Package stack runs a real control plane and a real Argo CD on loopback, without containers, and leaves nothing behind.
package stack

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Versions that the judge runs. The Kubernetes version must be one whose staging modules were all published.
const (
	KubernetesVersion = "1.36.3"
	Argo3             = "3.2.11"
	Argo2             = "2.14.21"
	kwokVersion       = "0.7.0"
	etcdVersion       = "3.6.8"
)

// binary is one program of the stack: where its wrapper module stands, which package it is, and how it learns its version.
type binary struct {
	name, version, module, pkg, ldflags string
}

const kubernetesVersionPackage = "k8s.io/component-base/version"

func kubernetesBinary(name string) binary {
	flags := fmt.Sprintf("-X %[1]s.gitVersion=v%[2]s -X %[1]s.gitMajor=1 -X %[1]s.gitMinor=36", kubernetesVersionPackage, KubernetesVersion)
	return binary{name, KubernetesVersion, "kubernetes", "k8s.io/kubernetes/cmd/" + name, flags}
}

// argoBinary is the one program that plays every component of Argo CD, by the name in ARGOCD_BINARY_NAME.
func argoBinary(version string) binary {
	line := strings.Join(strings.Split(version, ".")[:2], ".")
	root := "github.com/argoproj/argo-cd/v" + version[:1]
	return binary{"argocd", version, "argocd-" + line, root + "/cmd", "-X " + root + "/common.version=" + version}
}

func binaries(argo string) []binary {
	list := []binary{
		{"etcd", etcdVersion, "kubernetes", "go.etcd.io/etcd/server/v3", ""},
		{"kwok", kwokVersion, "kwok", "sigs.k8s.io/kwok/cmd/kwok", ""},
		argoBinary(argo),
	}
	for _, name := range []string{"kubectl", "kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		list = append(list, kubernetesBinary(name))
	}
	return list
}

// CacheDir is where built binaries stay: $GEN_E2E_CACHE, or gen-e2e in the user's cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv("GEN_E2E_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder (set GEN_E2E_CACHE): %w", err)
	}
	return filepath.Join(base, "gen-e2e"), nil
}

// Binaries gives the path of each program by name, and builds those that the cache lacks: minutes each, the first time.
func Binaries(ctx context.Context, argo string, log func(string, ...any)) (map[string]string, error) {
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for _, b := range binaries(argo) {
		path := filepath.Join(cache, b.name+"-"+b.version)
		if err := b.ensure(ctx, path, log); err != nil {
			return nil, err
		}
		paths[b.name] = path
	}
	return paths, nil
}

// Warm reports whether every program is built, so that a stack starts within half a minute.
func Warm(argo string) bool {
	cache, err := CacheDir()
	if err != nil {
		return false
	}
	for _, b := range binaries(argo) {
		if _, err := os.Stat(filepath.Join(cache, b.name+"-"+b.version)); err != nil {
			return false
		}
	}
	return true
}

// ensure builds under a lock of the file system, so that two runs at once build a program once, and renames at the end,
// so that a build cut short leaves no half program.
func (b binary) ensure(ctx context.Context, path string, log func(string, ...any)) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the cache folder: %w", err)
	}
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	log("building %s %s", b.name, b.version)
	return b.build(ctx, path)
}

func (b binary) build(ctx context.Context, path string) error {
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	part := path + ".part"
	cmd := exec.CommandContext(ctx, "go", "build", "-o", part, "-ldflags", strings.TrimSpace("-s -w "+b.ldflags), b.pkg)
	cmd.Dir = filepath.Join(dir, "stack", b.module)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s %s in %s: %w\n%s", b.name, b.version, cmd.Dir, err, lastLines(out, 20))
	}
	return os.Rename(part, path)
}

// moduleDir is the folder of this module, in which the wrapper modules stand.
func moduleDir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("asking go for the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

func lockFile(path string) (func(), error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the lock: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("taking the lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

func lastLines(b []byte, n int) string {
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
