package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

const repairModel = `
-- fleet.yaml --
apiVersion: gen/v1
kind: Fleet
git: {url: "$REPO", branch: main, path: "output/{env}"}
argocd: {in: cluster}
components:
  one: {manifests: one, namespace: one, scopes: {Widget.example.com: Namespaced}}
  two: {manifests: two, namespace: two, needs: [one]}
`

// repair is one fault of the first wave and its cure.
type repair struct {
	name   string
	broken string // what is committed
	seen   func(map[string]Application) bool
	// ended waits before the cure comes until the time limit has ended the operation of these; "root" counts on a cold start only.
	ended []string
	fixed bool // the cure is a commit; else what was missing comes, and the commit stays the same
	// hands are what a person does, if anything: "end NAME" and "anew NAME" as the page prints them, or "bootstrap.sh"; "limit NAME" is
	// no hand, but the wait until the limit has ended an operation.
	hands []string
	cold  bool // on a cold start only
}

// The faults. A pod, and the pod of a hook, wait for a node that has a vault; a kind waits for somebody who makes it.
var (
	wellOne  = oneWith("80", "", "")
	refused  = oneWith("80000", "", "")
	waiting  = oneWith("80", "vault: here", "")
	hooked   = oneWith("80", "", "vault: here")
	kindless = "-- one/web.yaml --\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}\n"
)

func failingOne(apps map[string]Application) bool { return apps["one"].failing() }
func waitingOne(apps map[string]Application) bool { return apps["one"].Health == "Progressing" }
func hangingOne(apps map[string]Application) bool { return apps["one"].Phase == "Running" }
func (f *fleet) vault(here string)                { f.kubectl("label node node1 vault" + here + " --overwrite") }

func (f *fleet) kubectl(args string) string {
	return f.command("sh", "-c", f.Stack.Kubectl+" --kubeconfig "+f.Stack.Kubeconfig+" "+args)
}

// TestRepair breaks the first wave, on a cold start and on an update, with the emitted retries and time limit. A fix is pushed, or
// what was missing comes: the tree heals by itself, or by exactly the command that bootstrap/README.md prints.
func TestRepair(t *testing.T) {
	on2 := argoVersion() == stack.Argo2
	playRepairs(t, emittedTimeout(t), []repair{
		// Before 3.2 an operation that fails holds on to its commit until its retries have ended, half an hour later.
		{name: "a field that the API server refuses is fixed", broken: refused, seen: failingOne, fixed: true, hands: either(on2, "end one")},
		{name: "a Deployment that never gets Ready is fixed", broken: waiting, seen: waitingOne, fixed: true},
		{name: "a hook that never ends is fixed", broken: hooked, seen: hangingOne, fixed: true, hands: []string{"end one"}},
		{name: "what a Deployment waits for comes", broken: waiting, seen: waitingOne},
		{name: "what a hook waits for comes", broken: hooked, seen: hangingOne},
		{name: "a kind comes whose object failed", broken: kindless, seen: failingOne},
	})
}

// TestTimeLimit is the same with a time limit that is shorter than what is waited for.
func TestTimeLimit(t *testing.T) {
	on2 := argoVersion() == stack.Argo2
	root := either(!on2, "anew root")
	if on2 {
		root = []string{"end root", "anew root"}
	}
	one := append(either(on2, "end one"), "anew one")
	kind, lost := either(!on2, "anew one"), append(either(!on2, "one"), "root") // before 3.2 the limit is not looked at while attempts fail
	fixed := either(on2, "limit one", "end one")                                // before 3.2 what the limit ended is tried again at the old commit
	playRepairs(t, "40", []repair{
		{name: "a bring-up longer than the limit", broken: waiting, seen: waitingOne, ended: []string{"root"}, hands: root},
		{name: "a hook longer than the limit", broken: hooked, seen: hangingOne, ended: []string{"one", "root"}, hands: append(one, root...)},
		{name: "a kind away for longer than the limit", broken: kindless, seen: failingOne, ended: lost, hands: append(kind, root...)},
		{name: "a fix that came while it hung", broken: hooked, seen: hangingOne, fixed: true, hands: append(fixed, either(on2, "end root")...)},
		{
			name: "bootstrap.sh is run again", broken: hooked, seen: hangingOne, ended: []string{"one", "root"}, cold: true,
			hands: append(either(on2, "end one", "end root"), "bootstrap.sh"),
		},
	})
}

func either(yes bool, hands ...string) []string {
	if yes {
		return hands
	}
	return nil
}

// emittedTimeout is the time limit that gen writes, read from the sample.
func emittedTimeout(t *testing.T) string {
	t.Helper()
	o, err := readObject(filepath.Join(repositoryRoot, "output/lab/components/argo-cd/configmap_argocd_argocd-cmd-params-cm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return kube.Field(o, "data", "controller.sync.timeout.seconds")
}

func playRepairs(t *testing.T, timeout string, repairs []repair) {
	t.Helper()
	t.Parallel() // it waits more than it works
	f := newFleet(t, repairModel+labWith("")+stepped(wellOne, "first")+plain("two/web.yaml", "1", "ClusterIP"))
	f.start(timeout)
	f.await("the first start", 2*time.Minute, settledAt(f.git("rev-parse", "HEAD"), "one", "two"))
	for _, r := range repairs {
		for _, cold := range []bool{true, false} {
			if r.cold && !cold {
				continue
			}
			t.Run(map[bool]string{true: "cold start", false: "update"}[cold]+": "+r.name, func(t *testing.T) { f.with(t).repairs(r, cold) })
			if f.ctx.Err() != nil {
				return
			}
		}
	}
}

// repairs plays one repair, and leaves the cluster well.
func (f *fleet) repairs(r repair, cold bool) {
	f.t.Helper()
	began, commit := time.Now(), f.breaks(r.broken, cold)
	f.await("it is seen", time.Minute, r.seen)
	for _, name := range r.ended {
		if name != "root" || cold {
			f.await("the limit has ended an operation of "+name, 2*time.Minute, func(apps map[string]Application) bool { return f.over(apps[name]) })
		}
	}
	if len(r.ended) > 0 {
		f.stays("and the wait is longer than the limit", max(0, time.Until(began.Add(50*time.Second))), func(apps map[string]Application) bool { return !settledAt(commit, "one", "two")(apps) })
	}
	if r.fixed {
		commit = f.push(f.stepped(wellOne) + plain("two/web.yaml", f.t.Name(), "ClusterIP"))
		f.must(f.Refresh(f.ctx, "root")) // as a webhook of the git server does
	} else {
		f.comes()
	}
	f.heals(commit, r.hands, cold)
	f.wellAgain()
}

// over reports whether an operation has ended without success. Before 3.2 one that the limit ended is tried again.
func (f *fleet) over(a Application) bool {
	return a.Phase == "Failed" || a.Phase == "Error" || f.Argo == stack.Argo2 && a.failing()
}

// breaks commits what is broken: on a cluster without the two components, or on one that runs well.
func (f *fleet) breaks(broken string, cold bool) string {
	f.t.Helper()
	if cold {
		f.kubectl("-n argocd delete applications.argoproj.io root one two")
		for _, namespace := range []string{"one", "two"} {
			f.kubectl("-n " + namespace + " delete all --all --timeout=60s")
		}
	}
	commit := f.push(f.stepped(broken) + plain("two/web.yaml", "broken "+f.t.Name(), "ClusterIP"))
	if cold {
		f.root()
	} else {
		f.must(f.Refresh(f.ctx, "root"))
	}
	return commit
}

const widgets = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, scope: Namespaced,
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList},
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}
`

// comes lets come what was missing, without a commit.
func (f *fleet) comes() {
	f.t.Helper()
	f.vault("=here")
	file := filepath.Join(f.Stack.Dir, "widgets.yaml")
	f.must(os.WriteFile(file, []byte(widgets), 0o600))
	f.kubectl("apply -f " + file)
}

// heals wants all at the commit, Synced and Healthy, after the hands and not before.
func (f *fleet) heals(commit string, hands []string, cold bool) {
	f.t.Helper()
	began, done := time.Now(), settledAt(commit, "one", "two")
	var did []string
	for _, hand := range hands {
		what, name, _ := strings.Cut(hand, " ")
		if name == "root" && !cold {
			continue // nothing of the root ran
		}
		if len(did) == 0 {
			f.stays("it does not heal by itself", 20*time.Second, func(apps map[string]Application) bool { return !done(apps) })
		}
		if what != "limit" {
			did = append(did, hand)
		}
		switch what {
		case "limit":
			f.await("the limit has ended an operation of "+name, 2*time.Minute, func(apps map[string]Application) bool { return f.over(apps[name]) })
		case "bootstrap.sh":
			f.bootstrapAgain()
		case "anew":
			f.await(name+" has ended", 20*time.Second, func(apps map[string]Application) bool {
				return apps[name].Phase == "Failed" || apps[name].Phase == "Error"
			})
			f.byHand(what, name)
		default:
			f.byHand(what, name)
		}
	}
	last := time.Now()
	f.await("healed", 3*time.Minute, done)
	f.t.Logf("HEALED %s %s: %.0fs after the cure, %.0fs after the last of %q", f.Argo, f.t.Name(), time.Since(began).Seconds(), time.Since(last).Seconds(), did)
}

// bootstrapAgain runs the emitted script, which has nothing to install here but what leads to the root.
func (f *fleet) bootstrapAgain() {
	f.t.Helper()
	bin := filepath.Join(f.Stack.Dir, "bin")
	f.must(os.MkdirAll(bin, 0o755))
	if _, err := os.Lstat(filepath.Join(bin, "kubectl")); err != nil {
		f.must(os.Symlink(f.Stack.Kubectl, filepath.Join(bin, "kubectl")))
	}
	f.t.Log(f.command("env", "PATH="+bin+":"+os.Getenv("PATH"), "KUBECONFIG="+f.Stack.Kubeconfig, "BOOTSTRAP_ENDPOINT="+f.Stack.URL, "REPOSITORY_PUBLIC=yes",
		"APPLICATION_TIMEOUT=90s", "/bin/sh", "output/lab/bootstrap/bootstrap.sh"))
}

// wellAgain takes away what came, and leaves everything at a good commit.
func (f *fleet) wellAgain() {
	f.t.Helper()
	commit := f.push(f.stepped(wellOne) + plain("two/web.yaml", "well after "+f.t.Name(), "ClusterIP"))
	f.must(f.Refresh(f.ctx, "root"))
	f.await("well again", 2*time.Minute, settledAt(commit, "one", "two"))
	f.vault("-")
	f.kubectl("delete crd widgets.example.com --ignore-not-found")
}

// stepped makes every commit a change of the first component: a hook alone is none, as Argo CD sees it.
func (f *fleet) stepped(one string) string { return stepped(one, time.Now().String()) }

func stepped(one, step string) string { return strings.ReplaceAll(one, "$STEP", step) }

// oneWith is the first component: a Service with a port, a Deployment and a hook, each on nodes with a label if one is named.
func oneWith(port, deployment, hook string) string {
	return fmt.Sprintf(`-- one/web.yaml --
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: %s}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: web}, annotations: {step: "$STEP"}}
    spec: {nodeSelector: {%s}, containers: [{name: web, image: "registry.example.internal/web:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: before, annotations: {argocd.argoproj.io/hook: PreSync}}
spec:
  template:
    spec: {restartPolicy: Never, nodeSelector: {%s}, containers: [{name: before, image: "registry.example.internal/web:1"}]}
`, port, deployment, hook)
}
