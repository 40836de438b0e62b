package judge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"github.com/coldstart-gitops/gen/test/e2e/played"
)

// Stage is one cluster on which scenarios are played side by side, and the program that proves them.
type Stage struct {
	*Cluster
	Gen      Gen
	Settings map[string]any // of argocd-cm

	good sync.WaitGroup // scenarios that are to end well and have not ended yet
}

// Result is all that came of one scenario.
type Result struct {
	Proof  Proof
	Real   Outcome
	Second Ending // of the root, after the second commit
	Log    []string
}

// afterCalm is for how long a bad end is watched once every scenario of the stage that ends well has ended, so that a slow
// machine is not taken for a deadlock.
const afterCalm = hangsAfter + 10*time.Second

// Play lets gen prove the scenario's folder and Argo CD bring it up. calm is closed once all that ends well has ended.
func (st *Stage) Play(ctx context.Context, s Scenario, calm <-chan struct{}) (Result, error) {
	var r Result
	log := func(format string, args ...any) { r.Log = append(r.Log, fmt.Sprintf(format, args...)) }
	ended := sync.OnceFunc(func() {})
	if s.good() {
		ended = sync.OnceFunc(st.good.Done)
	}
	defer ended()
	s = s.on(st.Argo)
	repo, err := st.NewRepository(ctx, s.Name)
	if err != nil {
		return r, err
	}
	if err := repo.Commit(ctx, s.fill(s.Repo, repo.URL())); err != nil {
		return r, err
	}
	if r.Proof, err = st.prove(ctx, s, repo.Dir); err != nil {
		return r, err
	}
	if err := st.makeTrue(ctx, s.Facts); err != nil {
		return r, err
	}
	for _, folder := range s.Bootstrap {
		if err := st.ApplyFolder(ctx, filepath.Join(repo.Dir, folder)); err != nil {
			return r, err
		}
	}
	watch := st.NewWatch(log)
	watch.Prefix = s.Name
	if err := st.hold(ctx, s, repo.Dir); err != nil {
		return r, err
	}
	if err := st.ApplyFiles(ctx, filepath.Join(repo.Dir, "root.yaml")); err != nil {
		return r, err
	}
	if err := st.release(ctx, s, watch); err != nil {
		return r, err
	}
	list, err := st.first(ctx, s, r.Proof, watch, calm)
	if err != nil {
		return r, err
	}
	ended()
	r.Real = outcome(list, time.Since(watch.start))
	r.Real.Races = s.Races
	if s.End != "" {
		r.Second, err = st.second(ctx, s, repo, watch)
	}
	return r, err
}

func outcome(list []Application, now time.Duration) Outcome {
	o := Outcome{Applications: list, Endings: map[string]Ending{}}
	for _, a := range list {
		o.Endings[a.Name] = a.ending(now)
	}
	return o
}

func (st *Stage) prove(ctx context.Context, s Scenario, dir string) (Proof, error) {
	facts, err := s.facts()
	if err != nil {
		return Proof{}, err
	}
	scratch, err := os.MkdirTemp(st.Stack.Dir, "proof-")
	if err != nil {
		return Proof{}, fmt.Errorf("making a folder for the proof: %w", err)
	}
	return st.Gen.Prove(ctx, dir, scratch, Around{Argo: st.Argo, Settings: st.Settings, Facts: facts})
}

// first watches to the end of the first commit. A bad end is one that stays as it was proved, once all that ends well has ended;
// where it does not, the last look within twice the limit counts.
func (st *Stage) first(ctx context.Context, s Scenario, proof Proof, watch *Watch, calm <-chan struct{}) ([]Application, error) {
	children := s.applications()
	if s.good() {
		list, _ := watch.Settle(ctx, len(children), s.limit())
		return list, ctx.Err()
	}
	var since time.Time
	list, _ := watch.Await(ctx, 2*s.limit(), func(list []Application) bool {
		if !closed(calm) || len(proof.Compare(outcome(list, time.Since(watch.start)))) > 0 {
			since = time.Time{}
			return false
		}
		if since.IsZero() {
			since = time.Now()
		}
		return time.Since(since) > afterCalm
	})
	return list, ctx.Err()
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// applications are the names of all Applications of a scenario's files.
func (s Scenario) applications() []string {
	var names []string
	for _, b := range s.fill(s.Repo, "") {
		objects, err := kube.Decode(b)
		if err != nil {
			continue
		}
		for _, o := range objects {
			if o.GetKind() == "Application" && strings.HasPrefix(o.GetAPIVersion(), "argoproj.io/") && !slices.Contains(names, o.GetName()) {
				names = append(names, o.GetName())
			}
		}
	}
	return names
}

// storageClass is the fact that a StorageClass is the default one and that its volumes are made.
const storageClass = "ability default-storage-class"

func defaultClass() *kube.Object {
	class := object("storage.k8s.io/v1", "StorageClass", "", "given", map[string]any{"provisioner": played.Volumes, "volumeBindingMode": "WaitForFirstConsumer"})
	class.SetAnnotations(map[string]string{"storageclass.kubernetes.io/is-default-class": "true"})
	return class
}

// makeTrue makes the default StorageClass, and the Secrets and ConfigMaps that facts name. Other facts hold by themselves: hosts
// outside answer to a played controller that never asks them.
func (c *Cluster) makeTrue(ctx context.Context, facts []string) error {
	for _, fact := range facts {
		if fact == storageClass {
			if err := c.Client.Apply(ctx, "gen-e2e", defaultClass()); err != nil {
				return err
			}
		}
		kind, name, _ := strings.Cut(fact, " ")
		namespace, name, found := strings.Cut(name, "/")
		if !found || kind != "Secret" && kind != "ConfigMap" {
			continue
		}
		o := object("v1", kind, namespace, name, map[string]any{"data": map[string]any{"given": "eA=="}})
		o.SetAnnotations(map[string]string{played.Whole: "true"})
		if err := c.Client.Apply(ctx, "gen-e2e", object("v1", "Namespace", "", namespace, nil), o); err != nil {
			return err
		}
	}
	return nil
}

// skipReconcile lets Argo CD leave an Application alone.
const skipReconcile = "argocd.argoproj.io/skip-reconcile"

// hold makes the Applications that are to be late, with a mark under which Argo CD does not look at them.
func (st *Stage) hold(ctx context.Context, s Scenario, dir string) error {
	if len(s.Hold) == 0 {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "app", "*.yaml"))
	if err != nil {
		return fmt.Errorf("looking for Applications to hold: %w", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading an Application to hold: %w", err)
		}
		objects, err := kube.Decode(b)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if !s.holds(o.GetName()) {
				continue
			}
			annotations := o.GetAnnotations()
			annotations[skipReconcile] = "true"
			o.SetAnnotations(annotations)
			if err := st.Client.Apply(ctx, "gen-e2e", o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s Scenario) holds(name string) bool {
	return slices.ContainsFunc(s.Hold, func(h string) bool { return s.Name+"-"+h == name })
}

// release waits until every other Application but the root has ended or failed once, and lets the held ones go.
func (st *Stage) release(ctx context.Context, s Scenario, watch *Watch) error {
	if len(s.Hold) == 0 {
		return nil
	}
	_, err := watch.Await(ctx, s.limit(), func(list []Application) bool {
		others := 0
		for _, a := range list {
			if a.Name == s.Name || s.holds(a.Name) {
				continue
			}
			if !a.settled() && !a.Failed {
				return false
			}
			others++
		}
		return others > 0
	})
	if err != nil {
		return err
	}
	for _, name := range s.Hold {
		o := object("argoproj.io/v1alpha1", "Application", "argocd", s.Name+"-"+name, nil)
		patch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{skipReconcile: nil, refreshAnnotation: "normal"}}}
		if err := st.Client.Merge(ctx, o, patch); err != nil {
			return err
		}
	}
	return nil
}

const refreshAnnotation = "argocd.argoproj.io/refresh"

// Refresh lets Argo CD look at the repository now.
func (c *Cluster) Refresh(ctx context.Context, name string) error {
	root := object("argoproj.io/v1alpha1", "Application", "argocd", name, nil)
	return c.Client.Merge(ctx, root, map[string]any{"metadata": map[string]any{"annotations": map[string]any{refreshAnnotation: "normal"}}})
}

// second commits what follows and watches the root until it has ended as wanted for a while, or the limit.
func (st *Stage) second(ctx context.Context, s Scenario, repo *Repository, watch *Watch) (Ending, error) {
	files := s.fill(s.Then, repo.URL())
	for _, name := range s.Remove {
		files[name] = nil
	}
	if err := repo.Commit(ctx, files); err != nil {
		return "", err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return "", err
	}
	if err := st.Refresh(ctx, s.Name); err != nil {
		return "", err
	}
	ending := Absent
	var since time.Time
	_, _ = watch.Await(ctx, s.limit(), func(list []Application) bool {
		i := slices.IndexFunc(list, func(a Application) bool { return a.Name == s.Name })
		if i < 0 {
			return false
		}
		if ending = list[i].ending(time.Since(watch.start)); ending != s.End || list[i].Revision != head {
			since = time.Time{}
			return false
		}
		if since.IsZero() {
			since = time.Now()
		}
		return time.Since(since) > 15*time.Second
	})
	return ending, ctx.Err()
}

// Prepare applies what scenarios take as given, and waits for its Deployments.
func (c *Cluster) Prepare(ctx context.Context, root string, names []string) error {
	for _, name := range names {
		g, err := LoadGiven(name)
		if err != nil {
			return err
		}
		objects, err := kube.Decode(g.Objects)
		if err != nil {
			return err
		}
		if err := c.applyPatiently(ctx, objects...); err != nil {
			return err
		}
		if g.Folder == "" {
			continue
		}
		if err := c.ApplyFolder(ctx, filepath.Join(root, filepath.FromSlash(g.Folder))); err != nil {
			return err
		}
	}
	return c.awaitDeployments(ctx)
}

func (c *Cluster) awaitDeployments(ctx context.Context) error {
	waiting := ""
	for range 120 {
		list, err := c.Client.List(ctx, "apps/v1", "Deployment", "")
		if err != nil {
			return err
		}
		waiting = ""
		for _, d := range list {
			if !readyOnce(&d) {
				waiting = kube.Name(&d)
			}
		}
		if waiting == "" {
			return nil
		}
		time.Sleep(time.Second)
	}
	return fmt.Errorf("awaiting what is given: %s is not ready", waiting)
}
