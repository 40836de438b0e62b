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
