package judge

import (
	"testing"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/stack"
)

const orderedModel = `
-- fleet.yaml --
apiVersion: gen/v1
kind: Fleet
git: {url: "$REPO", branch: main, path: "output/{env}"}
argocd: {in: cluster}
components:
  one: {manifests: one, namespace: one}
  two: {manifests: two, namespace: two, needs: [one]}
  three: {manifests: three, namespace: three, needs: [two]}
-- lab.yaml --
apiVersion: gen/v1
kind: Environment
name: lab
rollout: ordered
versions: {kubernetes: 1.36.2, argocd: $ARGO}
`

var orderedWaves = []string{"one", "two", "three"}

// orderedStep is an edit of all three components; the Service of the first is of the given type.
func orderedStep(step, service string) string {
	return plain("one/web.yaml", step, service) + plain("two/web.yaml", step, "ClusterIP") + plain("three/web.yaml", step, "ClusterIP")
}

// TestOrderedRelease releases three waves on an empty cluster, then an update whose first wave is blocked, its cure and a way
// back: each walks the waves. A root that hangs takes the cure after the printed command, or by the sync timeout.
func TestOrderedRelease(t *testing.T) {
	f := newFleet(t, orderedModel+orderedStep("1", "ClusterIP"))
	first := f.git("rev-parse", "HEAD")
	f.release()
	f.start(map[bool]string{true: "", false: "75"}[f.Argo == stack.Argo2])
	f.walks("the first release", first)

	blocked := f.push(orderedStep("2", "LoadBalancer"))
	f.release()
	f.blocks(blocked, first, "1")
	cure := f.push(orderedStep("2", "ClusterIP"))
	f.release()
	f.stays("the cure is released, and the root holds on to the operation that hangs", 10*time.Second, func(apps map[string]Application) bool {
		return apps["root"].Phase == "Running" && apps["one"].Revision == blocked
	})
	f.terminate("root")
	f.walks("the cure, after the printed command", cure)

	f.release("--commit", first)
	f.walks("the way back", first)
	f.steps("1")

	f.release("--commit", blocked)
	f.blocks(blocked, first, "1")
	f.release("--commit", cure)
	if f.Argo == stack.Argo2 {
		f.terminate("root")
	}
	f.walks("the cure, by the sync timeout and no hand, or by the command again", cure)
	f.steps("2")
}

// release runs gen release and lets Argo CD look.
func (f *fleet) release(args ...string) {
	f.t.Helper()
	f.t.Log(f.run(append([]string{"release", "lab"}, args...)...))
	if f.watch != nil {
		f.must(f.Refresh(f.ctx, "root"))
	}
}

// blocks wants the first wave on the new commit and waiting, and the others on the old one with their old content.
func (f *fleet) blocks(blocked, old, step string) {
	f.t.Helper()
	f.await("the first wave takes what blocks it", time.Minute, func(apps map[string]Application) bool {
		return apps["one"].Revision == blocked && apps["one"].Health == "Progressing" && apps["root"].Phase == "Running"
	})
	f.stays("the first wave is blocked, the others stay on the old commit", 20*time.Second, func(apps map[string]Application) bool {
		return apps["one"].Health == "Progressing" && apps["two"].Revision == old && apps["three"].Revision == old
	})
	for _, name := range orderedWaves[1:] {
		f.step(name, step)
	}
}

// walks waits until all are Synced and Healthy at the commit, and wants no wave to have moved before the one ahead of it was well there.
func (f *fleet) walks(what, commit string) {
	f.t.Helper()
	well := map[string]bool{}
	f.await(what, 4*time.Minute, func(apps map[string]Application) bool {
		for i, name := range orderedWaves {
			if i > 0 && apps[name].Revision == commit && !well[orderedWaves[i-1]] {
				f.t.Errorf("%s: %s moved before %s was well", what, name, orderedWaves[i-1])
			}
			if a := apps[name]; a.settled() && a.Revision == commit {
				well[name] = true
			}
		}
		return settledAt(commit, orderedWaves...)(apps)
	})
}

func (f *fleet) steps(step string) {
	f.t.Helper()
	for _, name := range orderedWaves {
		f.step(name, step)
	}
}

func (f *fleet) step(namespace, want string) {
	f.t.Helper()
	o := f.object("apps/v1", "Deployment", namespace, "web")
	if o == nil {
		f.t.Fatalf("Deployment %s/web is not there", namespace)
	}
	if got := kube.Field(o, "spec", "template", "metadata", "annotations", "step"); got != want {
		f.t.Errorf("Deployment %s/web is at step %q, want %q", namespace, got, want)
	}
}
