package judge

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// fleet is a model in a work tree, the remote repository which gen pushes to and Argo CD reads, and the built gen. Its environment
// is lab, in a cluster of its own.
type fleet struct {
	*Cluster
	t     *testing.T
	ctx   context.Context
	gen   Gen
	tree  string
	watch *Watch
}

// newFleet starts a cluster and pushes a model: an archive of files, in which $REPO is the remote's address and $ARGO the version
// of Argo CD, which GEN_E2E_ARGO says.
func newFleet(t *testing.T, model string) *fleet {
	t.Helper()
	f := emptyFleet(t)
	f.push(model)
	return f
}

// emptyFleet is one whose model is not written yet.
func emptyFleet(t *testing.T) *fleet {
	t.Helper()
	ctx := interrupted(t)
	f := &fleet{Cluster: open(t, ctx, argoVersion()), t: t, ctx: ctx}
	var err error
	f.gen, err = BuildGen(ctx, repositoryRoot, f.Stack.Dir)
	f.must(err)
	f.tree = filepath.Join(f.Stack.Dir, "tree")
	f.must(os.MkdirAll(f.tree, 0o755))
	f.git("init", "-q", "--initial-branch=main")
	f.git("init", "-q", "--bare", "--initial-branch=main", f.remote())
	f.git("remote", "add", "origin", f.url())
	f.git("config", "user.name", "e2e")
	f.git("config", "user.email", "e2e@example.internal")
	f.git("config", "commit.gpgsign", "false")
	return f
}

func (f *fleet) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fleet) remote() string { return filepath.Join(f.Stack.Dir, "remote.git") }

func (f *fleet) url() string { return "file://" + f.remote() }

func (f *fleet) git(args ...string) string {
	f.t.Helper()
	return f.command("git", args...)
}

// run runs gen in the work tree and gives what it prints.
func (f *fleet) run(args ...string) string {
	f.t.Helper()
	return f.command(f.gen.Path, args...)
}

func (f *fleet) command(name string, args ...string) string {
	f.t.Helper()
	cmd := exec.CommandContext(f.ctx, name, args...)
	cmd.Dir = f.tree
	cmd.Env = append(os.Environ(), "HOME="+f.Stack.Dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("running %s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// edit writes the files of an archive into the work tree.
func (f *fleet) edit(archive string) {
	f.t.Helper()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(f.tree, "environments", file.Name)
		f.must(os.MkdirAll(filepath.Dir(path), 0o755))
		data := strings.NewReplacer("$REPO", f.url(), "$ARGO", f.Argo).Replace(string(file.Data))
		f.must(os.WriteFile(path, []byte(data), 0o644))
	}
}

// push commits an edit of the model and lets gen push its output; it gives that commit.
func (f *fleet) push(archive string, args ...string) string {
	f.t.Helper()
	f.edit(archive)
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "edit")
	f.t.Log(f.run(append([]string{"push"}, args...)...))
	return f.git("rev-parse", "HEAD")
}

// start starts Argo CD with the emitted settings, and applies the root. timeout is controller.sync.timeout.seconds.
func (f *fleet) start(timeout string) {
	f.t.Helper()
	settings, err := readObject(filepath.Join(f.tree, "output/lab/bootstrap/argocd-cm.yaml"))
	f.must(err)
	data, _ := settings.Object["data"].(map[string]any)
	env := []string{"ARGOCD_APPLICATION_CONTROLLER_PERSIST_RESOURCE_HEALTH=true"}
	if timeout != "" {
		env = append(env, "ARGOCD_APPLICATION_CONTROLLER_SYNC_TIMEOUT="+timeout)
	}
	f.must(f.InstallArgo(f.ctx, data, env...))
	f.root()
}

// root applies the root and begins a new account.
func (f *fleet) root() {
	f.t.Helper()
	f.watch = f.NewWatch(f.t.Logf)
	f.must(f.ApplyFiles(f.ctx, filepath.Join(f.tree, "output/lab/root.yaml")))
}

// printed are the commands that the emitted bootstrap/README.md prints for an Application whose operation stands in the way of its cure:
// one ends it, one begins it anew.
var printed = map[string]*regexp.Regexp{
	"end":  regexp.MustCompile(`(?m)^ +(kubectl .*Terminating.*)$`),
	"anew": regexp.MustCompile(`(?m)^ +(kubectl .*"operationState":null.*)$`),
}

// byHand does what bootstrap/README.md prints, word for word.
func (f *fleet) byHand(what, application string) {
	f.t.Helper()
	page, err := os.ReadFile(filepath.Join(f.tree, "output/lab/bootstrap/README.md"))
	f.must(err)
	line := printed[what].FindSubmatch(page)
	if line == nil {
		f.t.Fatalf("bootstrap/README.md prints no command for %q", what)
	}
	text := strings.Replace(string(line[1]), "NAME", application, 1)
	f.t.Logf("%5.1fs by hand: %s", time.Since(f.watch.start).Seconds(), text)
	f.t.Log(f.command("sh", "-c", "KUBECONFIG="+f.Stack.Kubeconfig+" "+strings.Replace(text, "kubectl", f.Stack.Kubectl, 1)))
}

// terminate ends the operation of an Application as the page says.
func (f *fleet) terminate(application string) {
	f.t.Helper()
	f.byHand("end", application)
}

// look refreshes the root and its children, so that nothing waits for the next poll, and gives the Applications by name.
func (f *fleet) look() map[string]Application {
	f.t.Helper()
	list, err := f.watch.Look(f.ctx)
	f.must(err)
	return byName(list)
}

func byName(list []Application) map[string]Application {
	apps := map[string]Application{}
	for _, a := range list {
		apps[a.Name] = a
	}
	return apps
}

// await waits until the Applications are as wanted and says how long that took.
func (f *fleet) await(what string, limit time.Duration, wanted func(map[string]Application) bool) time.Duration {
	f.t.Helper()
	began := time.Now()
	if _, err := f.watch.Await(f.ctx, limit, func(list []Application) bool { return wanted(byName(list)) }); err != nil {
		f.t.Fatalf("%s: not within %s", what, limit)
	}
	took := time.Since(began)
	f.t.Logf("%5.1fs %s, after %.1fs", time.Since(f.watch.start).Seconds(), what, took.Seconds())
	return took
}

// settledAt says that the root and its children, all named, are Synced and Healthy, the children at the commit.
func settledAt(commit string, children ...string) func(map[string]Application) bool {
	return func(apps map[string]Application) bool {
		root := apps["root"]
		return root.settled() && !slices.ContainsFunc(children, func(name string) bool { a := apps[name]; return !a.settled() || a.Revision != commit })
	}
}

// stays watches for a while that something remains true.
func (f *fleet) stays(what string, d time.Duration, holds func(map[string]Application) bool) {
	f.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(lookEvery) {
		if apps := f.look(); !holds(apps) {
			f.t.Fatalf("%s: no longer\n%v", what, apps)
		}
	}
	f.t.Logf("%5.1fs %s, for %s", time.Since(f.watch.start).Seconds(), what, d)
}

// object gets an object of lab, nil if it is not there.
func (f *fleet) object(apiVersion, kind, namespace, name string) *kube.Object {
	f.t.Helper()
	o, err := f.Client.Get(f.ctx, apiVersion, kind, namespace, name)
	if err != nil {
		return nil
	}
	return o
}

// plain is a Deployment and a Service of one component; step makes pods new, and service is the Service's type.
func plain(file, step, service string) string {
	return fmt.Sprintf(`-- %s --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {step: %q}}
    spec: {containers: [{name: web, image: "registry.example.internal/web:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: %s, selector: {app: web}, ports: [{port: 80}]}
`, file, step, service)
}
