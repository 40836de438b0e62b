package judge

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"
)

// Verdict is how a cold start ended, in the words of `gen prove`.
type Verdict string

// The verdicts which the judge can see. It cannot see UNKNOWN: something always happens.
const (
	Proven    Verdict = "PROVEN"    // all Synced and Healthy, nothing failed on the way
	Retry     Verdict = "RETRY"     // the same, after a failed attempt
	Deadlock  Verdict = "DEADLOCK"  // an operation waits, and what it waits for does not come
	Fails     Verdict = "FAILS"     // an operation failed, or fails again and again
	Unhealthy Verdict = "UNHEALTHY" // operations ended, health does not come
)

// End is a verdict and, where Argo CD names it, the object that blocks, as Kind name.
type End struct {
	Verdict Verdict `json:"verdict"`
	Blocked string  `json:"blocked,omitempty"`
}

// Scenario is a repository, what is there before, and the end that is expected.
type Scenario struct {
	Name   string            `json:"-"`
	Given  []string          `json:"given"`  // folders under output/ or files under testdata/given that are applied first
	Health string            `json:"health"` // "none": Argo CD without a health script for Application
	Limit  string            `json:"limit"`  // how long the end may take; 45s if empty
	Remove []string          `json:"remove"` // files that the second commit removes
	Broken bool              `json:"broken"` // the second commit follows although the first does not settle
	Want   End               `json:"want"`   // the end, of the second commit if there is one
	Races  bool              `json:"races"`  // a race decides whether an attempt fails on the way: RETRY is as good as PROVEN
	Repo   map[string][]byte `json:"-"`
	Then   map[string][]byte `json:"-"` // the second commit, made once the first is settled
}

// LoadScenario reads a txtar archive: scenario.yaml, repo/…, then/….
func LoadScenario(path string) (Scenario, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return Scenario{}, fmt.Errorf("reading a scenario: %w", err)
	}
	s := Scenario{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), Repo: map[string][]byte{}, Then: map[string][]byte{}}
	for _, f := range archive.Files {
		switch folder, rest, _ := strings.Cut(f.Name, "/"); folder {
		case "scenario.yaml":
			if err := yaml.UnmarshalStrict(f.Data, &s); err != nil {
				return s, fmt.Errorf("reading %s: scenario.yaml: %w", path, err)
			}
		case "repo":
			s.Repo[rest] = f.Data
		case "then":
			s.Then[rest] = f.Data
		default:
			return s, fmt.Errorf("reading %s: %s belongs to nothing", path, f.Name)
		}
	}
	return s, nil
}

// fillers make what a readable file should not hold: a description that is longer than an annotation may be.
const longText = "$LONG"

func (s Scenario) fill(files map[string][]byte, url string) map[string][]byte {
	out := map[string][]byte{}
	for name, b := range files {
		b = bytes.ReplaceAll(b, []byte("$NAME"), []byte(s.Name))
		b = bytes.ReplaceAll(b, []byte("$REPO"), []byte(url))
		out[name] = bytes.ReplaceAll(b, []byte(longText), bytes.Repeat([]byte("long "), 60000))
	}
	return out
}

// Play commits the repository, applies root.yaml, and watches the Applications named after the scenario to their end.
func (c *Cluster) Play(ctx context.Context, s Scenario, log func(string, ...any)) (End, []Application, error) {
	repo, err := c.NewRepository(ctx, s.Name)
	if err != nil {
		return End{}, nil, err
	}
	if err := repo.Commit(ctx, s.fill(s.Repo, repo.URL())); err != nil {
		return End{}, nil, err
	}
	if err := c.ApplyFiles(ctx, filepath.Join(repo.Dir, "root.yaml")); err != nil {
		return End{}, nil, err
	}
	watch := c.NewWatch(log)
	watch.Prefix = s.Name
	limit, err := time.ParseDuration(s.Limit)
	if err != nil {
		limit = 45 * time.Second
	}
	list, err := watch.Settle(ctx, 1, limit)
	if len(s.Then)+len(s.Remove) == 0 || err != nil && !s.Broken {
		return ended(list), list, ctx.Err()
	}
	return c.playSecond(ctx, s, repo, watch, limit)
}

func (c *Cluster) playSecond(ctx context.Context, s Scenario, repo *Repository, watch *Watch, limit time.Duration) (End, []Application, error) {
	files := s.fill(s.Then, repo.URL())
	for _, name := range s.Remove {
		files[name] = nil
	}
	if err := repo.Commit(ctx, files); err != nil {
		return End{}, nil, err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return End{}, nil, err
	}
	root := object("argoproj.io/v1alpha1", "Application", "argocd", s.Name, nil)
	refresh := map[string]any{"metadata": map[string]any{"annotations": map[string]any{"argocd.argoproj.io/refresh": "normal"}}}
	if err := c.Client.Merge(ctx, root, refresh); err != nil {
		return End{}, nil, err
	}
	watch.Revision = head
	list, _ := watch.Settle(ctx, 1, limit)
	return ended(list), list, ctx.Err()
}

// ended reads the verdict off the last look: a wait is worse than a failure below it, since it is what the root shows.
func ended(list []Application) End {
	end := End{Verdict: Proven}
	for _, a := range list {
		switch {
		case a.settled():
			if (a.Retries > 0 || a.Failed) && end.Verdict == Proven {
				end.Verdict = Retry
			}
		case a.Phase == "Failed" || a.Phase == "Error" || a.Phase == "Running" && a.Retries > 0 || a.Broken:
			end = worse(end, End{Verdict: Fails})
		case a.Phase == "Running":
			end = worse(end, End{Deadlock, a.blocked()})
		default:
			end = worse(end, End{Verdict: Unhealthy})
		}
	}
	return end
}

// worse keeps the verdict nearest to the cause: of two waits the one for an object that is no Application.
func worse(a, b End) End {
	rank := map[Verdict]int{Proven: 0, Retry: 1, Unhealthy: 2, Deadlock: 3, Fails: 4}
	if a.Verdict == Deadlock && b.Verdict == Deadlock && strings.HasPrefix(a.Blocked, "Application ") {
		return b
	}
	if rank[b.Verdict] > rank[a.Verdict] {
		return b
	}
	return a
}

// blocked reads "waiting for healthy state of /Service/web and 2 more resources", or "completion of hook batch/Job/x".
func (a Application) blocked() string {
	for _, before := range []string{"waiting for healthy state of ", "waiting for completion of hook ", "waiting for deletion of "} {
		if _, rest, found := strings.Cut(a.Message, before); found {
			id, _, _ := strings.Cut(rest, " ")
			if parts := strings.Split(id, "/"); len(parts) == 3 {
				return parts[1] + " " + parts[2]
			}
		}
	}
	return ""
}

// Prepare applies what scenarios take as given, and waits for its Deployments.
func (c *Cluster) Prepare(ctx context.Context, root string, given []string) error {
	for _, name := range given {
		path := filepath.Join(root, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("reading what is given: %w", err)
		}
		apply := c.ApplyFolder
		if !info.IsDir() {
			apply = func(ctx context.Context, f string) error { return c.ApplyFiles(ctx, f) }
		}
		if err := apply(ctx, path); err != nil {
			return err
		}
	}
	return c.awaitDeployments(ctx)
}

func (c *Cluster) awaitDeployments(ctx context.Context) error {
	for n := 0; n < 60; n++ {
		list, err := c.Client.List(ctx, "apps/v1", "Deployment", "")
		if err != nil {
			return err
		}
		waiting := ""
		for _, d := range list {
			if !readyOnce(&d) {
				waiting = kube.Name(&d)
			}
		}
		if waiting == "" {
			return nil
		}
		if n == 59 {
			return fmt.Errorf("awaiting what is given: %s is not ready", waiting)
		}
		time.Sleep(time.Second)
	}
	return nil
}
