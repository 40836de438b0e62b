package judge

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

// The repository which the sample's Applications name.
const sampleAddress = "https://git.example.internal/platform/fleet.git"

const repositoryRoot = "../../.."

// interrupted is a context that ends with the test or with ^C, so that clean-up runs.
func interrupted(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the stack")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	t.Cleanup(stop)
	return ctx
}

func open(t *testing.T, ctx context.Context, argo string) *Cluster {
	t.Helper()
	c, err := Open(ctx, argo, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.Stack.Logs())
		}
		c.Close()
	})
	return c
}

// TestSamples brings both environments of output/ up from an empty cluster: every Application ends Synced and Healthy, and
// then nothing moves any more. GEN_E2E_QUIET says for how long that is watched.
func TestSamples(t *testing.T) {
	for _, env := range []string{"lab", "prod"} {
		t.Run(env, func(t *testing.T) {
			ctx := interrupted(t)
			c := open(t, ctx, stack.Argo3)
			watch := bringUp(t, ctx, c, env)
			apps, err := filepath.Glob(filepath.Join(repositoryRoot, "output", env, "apps", "application.*"))
			if err != nil || len(apps) == 0 {
				t.Fatal("no Applications", err)
			}
			list, err := watch.Settle(ctx, len(apps)+1, 5*time.Minute)
			report(t, list)
			if err != nil {
				t.Fatal(err)
			}
			noise, err := watch.Quiet(ctx, quiet(t))
			if err != nil || len(noise) > 0 {
				t.Errorf("not quiet afterwards: %v\n%s", err, strings.Join(noise, "\n"))
			}
		})
	}
}

func quiet(t *testing.T) time.Duration {
	t.Helper()
	if s := os.Getenv("GEN_E2E_QUIET"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return 30 * time.Second
}

// bringUp commits the environment, bootstraps what Argo CD cannot bring, starts Argo CD with the settings that were
// generated, and applies the root.
func bringUp(t *testing.T, ctx context.Context, c *Cluster, env string) *Watch {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	repo, err := c.NewRepository(ctx, "fleet")
	must(err)
	files, err := repo.Folder(filepath.Join(repositoryRoot, "output", env), "output/"+env, sampleAddress)
	must(err)
	must(repo.Commit(ctx, files))
	out := filepath.Join(repo.Dir, "output", env)
	must(c.ApplyFolder(ctx, filepath.Join(out, "components", "cilium")))
	must(c.ApplyFolder(ctx, filepath.Join(out, "components", "argo-cd")))
	must(c.StartArgo(ctx, argoParameters(t, ctx, c)...))
	watch := c.NewWatch(t.Logf)
	must(c.ApplyFiles(ctx, filepath.Join(out, "root.yaml")))
	return watch
}

// argoParameters passes on what the controller's StatefulSet takes from argocd-cmd-params-cm.
func argoParameters(t *testing.T, ctx context.Context, c *Cluster) []string {
	t.Helper()
	o, err := c.Client.Get(ctx, "v1", "ConfigMap", "argocd", "argocd-cmd-params-cm")
	if err != nil {
		t.Fatal(err)
	}
	if v := kube.Field(o, "data", "controller.sync.timeout.seconds"); v != "" {
		return []string{"ARGOCD_APPLICATION_CONTROLLER_SYNC_TIMEOUT=" + v}
	}
	return nil
}

func report(t *testing.T, list []Application) {
	t.Helper()
	lines := []string{fmt.Sprintf("%-24s %8s %8s %7s", "Application", "made", "settled", "retries")}
	for _, a := range list {
		lines = append(lines, fmt.Sprintf("%-24s %7.1fs %7.1fs %7d", a.Name, a.Made.Seconds(), a.Settled.Seconds(), a.Retries))
	}
	t.Log(strings.Join(lines, "\n"))
}
