package judge

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

// The repository which the sample's Applications name.
const sampleAddress = "https://git.example.internal/platform/fleet.git"

const repositoryRoot = "../../.."

// untilInterrupted ends with ^C, for the whole run: no further test starts a stack then.
var untilInterrupted = sync.OnceValue(func() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	return ctx
})

// interrupted is a context that ends with the test or with ^C, so that clean-up runs.
func interrupted(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the stack")
	}
	if untilInterrupted().Err() != nil {
		t.Skip("interrupted")
	}
	ctx, stop := context.WithCancel(untilInterrupted())
	t.Cleanup(stop)
	return ctx
}

func open(t *testing.T, ctx context.Context, argo string, changes ...func(*stack.Options)) *Cluster {
	t.Helper()
	c, err := Open(ctx, argo, t.Logf, changes...)
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

// TestSamples brings both environments of output/ up from an empty cluster, by the emitted bootstrap.sh and nothing else: every
// Application ends Synced and Healthy, in the order that gen proves, and then nothing moves any more. GEN_E2E_QUIET says for how
// long that is watched (30s; five minutes for the record).
func TestSamples(t *testing.T) {
	for _, env := range []string{"lab", "prod"} {
		t.Run(env, func(t *testing.T) {
			ctx := interrupted(t)
			c := open(t, ctx, argoVersion())
			list := sample(t, ctx, c, env, nil)
			if list == nil {
				return
			}
			watch := c.NewWatch(t.Logf)
			noise, err := watch.Quiet(ctx, quiet(t))
			if err != nil || len(noise) > 0 {
				t.Errorf("not quiet afterwards: %v\n%s", err, strings.Join(noise, "\n"))
			}
		})
	}
}

// TestBrokenSamples moves one Application of lab a wave later, and wants Argo CD to hang where gen proves that it does.
func TestBrokenSamples(t *testing.T) {
	tests := map[string]struct {
		file, from, to string
		left           []string // steps that are taken out of bootstrap.sh
	}{
		"the store after what reads from it": {file: "external-secrets-config", from: `sync-wave: "2"`, to: `sync-wave: "4"`},
		"the controller after its issuers":   {file: "cert-manager", from: `sync-wave: "3"`, to: `sync-wave: "6"`},
		// incident 1: the emitted script applies the pool itself, and with it a first start would come up by luck; a script that
		// brings what Argo CD needs and no more leaves the pool to its wave
		"the pool after what waits for an address": {
			file: "cilium-config", from: `sync-wave: "0"`, to: `sync-wave: "1"`,
			left: []string{"Component cilium-config", "Addresses of cilium, cilium-config"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx := interrupted(t)
			c := open(t, ctx, argoVersion())
			sample(t, ctx, c, "lab", func(files map[string][]byte) {
				file := "output/lab/apps/application.argoproj.io_argocd_" + test.file + ".yaml"
				moved := bytes.Replace(files[file], []byte(test.from), []byte(test.to), 1)
				if bytes.Equal(moved, files[file]) {
					t.Fatalf("%s has no %s any more", file, test.from)
				}
				files[file] = moved
				for _, step := range test.left {
					leaveOut(t, files, step)
				}
			})
		})
	}
}

// leaveOut takes a step out of the bootstrap script.
func leaveOut(t *testing.T, files map[string][]byte, step string) {
	t.Helper()
	const script = "output/lab/bootstrap/bootstrap.sh"
	before, rest, found := bytes.Cut(files[script], []byte("step '"+step+"'\n"))
	if !found {
		t.Fatalf("%s has no step %q any more", script, step)
	}
	if next := bytes.Index(rest, []byte("\nstep '")); next >= 0 {
		files[script] = append(bytes.Clone(before), rest[next+1:]...)
	}
}

func argoVersion() string {
	if v := os.Getenv("GEN_E2E_ARGO"); v != "" {
		return v
	}
	return stack.Argo3
}

// sample commits an environment of output/, perhaps with a change that breaks it, proves that folder, brings it up by its own
// bootstrap.sh, and compares.
func sample(t *testing.T, ctx context.Context, c *Cluster, env string, broken func(map[string][]byte)) []Application {
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
	limit := 15 * time.Minute
	if broken != nil {
		broken(files)
		limit = 2 * time.Minute
	}
	must(repo.Commit(ctx, files))
	folder := filepath.Join(repo.Dir, "output", env)
	gen, err := BuildGen(ctx, repositoryRoot, c.Stack.Dir)
	must(err)
	proof, err := gen.Prove(ctx, folder, c.Stack.Dir, Around{Argo: c.Argo, Facts: givenFacts(t, env)})
	must(err)
	t.Logf("gen proves %s", proof.Verdict)
	watch := c.NewWatch(t.Logf)
	ended := make(chan error, 1)
	go func() { ended <- c.Bootstrap(ctx, folder, limit) }()
	var scriptErr error
	list, _ := watch.Await(ctx, 40*time.Minute, func([]Application) bool {
		select {
		case scriptErr = <-ended:
			return true
		default:
			return false
		}
	})
	report(t, list)
	if broken == nil != (scriptErr == nil) {
		t.Errorf("bootstrap.sh: %v", scriptErr)
	}
	good := proof.Verdict == Proven
	if good == (broken != nil) {
		t.Errorf("gen proves %s", proof.Verdict)
	}
	for _, difference := range proof.Compare(outcome(list, time.Since(watch.start))) {
		t.Error(difference)
	}
	if t.Failed() {
		t.Logf("%+v", proof)
		return nil
	}
	return list
}

// givenFacts are those that the environment's own file states.
func givenFacts(t *testing.T, env string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(repositoryRoot, "environments", env+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Given []struct {
			Fact string `json:"fact"`
		} `json:"given"`
	}
	if err := yaml.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	var facts []string
	for _, g := range file.Given {
		facts = append(facts, g.Fact)
	}
	return facts
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

func report(t *testing.T, list []Application) {
	t.Helper()
	lines := []string{fmt.Sprintf("%-24s %8s %8s %7s", "Application", "made", "settled", "retries")}
	for _, a := range list {
		lines = append(lines, fmt.Sprintf("%-24s %7.1fs %7.1fs %7d", a.Name, a.Made.Seconds(), a.Settled.Seconds(), a.Retries))
	}
	t.Log(strings.Join(lines, "\n"))
}
