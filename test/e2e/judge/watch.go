package judge

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Application is what Argo CD says of one.
type Application struct {
	Name, Sync, Health, Phase, Message string
	Started                            string // when its last operation did
	Retries                            int64
	Failed                             bool // an operation of it was seen to fail
	Broken                             bool // Argo CD cannot compare it: a source or a project that is not right
	Revision                           string
	Made, Settled                      time.Duration // since the watch began: first seen, and Synced and Healthy for good
}

func (a Application) settled() bool {
	return a.Sync == "Synced" && a.Health == "Healthy" && (a.Phase == "" || a.Phase == "Succeeded")
}

// Watch is a running account of all Applications.
type Watch struct {
	c     *Cluster
	start time.Time
	seen  map[string]Application

	Prefix   string // only Applications whose names begin so
	Revision string // one is settled only at this commit, if set
	Log      func(string, ...any)
}

// NewWatch begins an account.
func (c *Cluster) NewWatch(log func(string, ...any)) *Watch {
	return &Watch{c: c, start: time.Now(), seen: map[string]Application{}, Log: log}
}

// Look asks once and notes what changed.
func (w *Watch) Look(ctx context.Context) ([]Application, error) {
	list, err := w.c.Client.List(ctx, "argoproj.io/v1alpha1", "Application", "argocd")
	if err != nil {
		return nil, err
	}
	var out []Application
	for _, o := range list {
		if a := read(&o); a.Name == w.Prefix || w.Prefix == "" || strings.HasPrefix(a.Name, w.Prefix+"-") {
			out = append(out, w.note(a))
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

func (w *Watch) note(a Application) Application {
	now := time.Since(w.start)
	before, known := w.seen[a.Name]
	a.Made, a.Settled = now, before.Settled
	if known {
		a.Made = before.Made
	}
	a.Failed = before.Failed || a.Phase == "Failed" || a.Phase == "Error"
	a.Retries = max(a.Retries, before.Retries)
	if !a.settled() {
		a.Settled = 0
	} else if !before.settled() {
		a.Settled = now
	}
	if !known || a.line() != before.line() {
		w.Log("%5.1fs %s", now.Seconds(), a.line())
	}
	w.seen[a.Name] = a
	return a
}

func (a Application) line() string {
	return fmt.Sprintf("%-24s %-9s %-11s %-10s %s", a.Name, a.Sync, a.Health, a.Phase, shorten(a.Message))
}

func read(o *kube.Object) Application {
	retries, _, _ := unstructured.NestedInt64(o.Object, "status", "operationState", "retryCount")
	a := Application{Name: o.GetName(), Sync: kube.Field(o, "status", "sync", "status"), Health: kube.Field(o, "status", "health", "status"),
		Phase: kube.Field(o, "status", "operationState", "phase"), Message: kube.Field(o, "status", "operationState", "message"),
		Started: kube.Field(o, "status", "operationState", "startedAt"), Retries: retries,
		Revision: kube.Field(o, "status", "sync", "revision")}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok && strings.Contains(fmt.Sprint(m["type"]), "Error") {
			a.Broken = true
			a.Message += fmt.Sprintf(" [%v: %v]", m["type"], m["message"])
		}
	}
	return a
}

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// Settle looks until every Application is Synced and Healthy, at least want of them, or until the limit.
func (w *Watch) Settle(ctx context.Context, want int, limit time.Duration) ([]Application, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		list, err := w.Look(ctx)
		if err == nil && len(list) >= want && !slices.ContainsFunc(list, func(a Application) bool { return !a.settled() || w.Revision != "" && a.Revision != w.Revision }) {
			return list, nil
		}
		select {
		case <-ctx.Done():
			return list, fmt.Errorf("awaiting %d Applications: %w", want, ctx.Err())
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// Quiet looks for a while and says what did not stay as it was: another verdict, or an operation that began.
func (w *Watch) Quiet(ctx context.Context, d time.Duration) ([]string, error) {
	began, err := w.Look(ctx)
	if err != nil {
		return nil, err
	}
	first := map[string]Application{}
	for _, a := range began {
		first[a.Name] = a
	}
	noise := map[string]bool{}
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		list, err := w.Look(ctx)
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			if !a.settled() || a.Started != first[a.Name].Started {
				noise[a.line()] = true
			}
		}
	}
	out := []string{}
	for line := range noise {
		out = append(out, line)
	}
	sort.Strings(out)
	return out, ctx.Err()
}

// readyOnce says whether a Deployment has every pod that it wants.
func readyOnce(d *kube.Object) bool {
	want, found, _ := unstructured.NestedInt64(d.Object, "spec", "replicas")
	if !found {
		want = 1
	}
	ready, _, _ := unstructured.NestedInt64(d.Object, "status", "readyReplicas")
	return ready >= want
}
