package judge

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// Watch is a running account of Applications. All watches of a cluster share one look at it, so that many cost as much as one.
type Watch struct {
	c     *Cluster
	start time.Time
	seen  map[string]Application
	at    int // the look that was noted last

	Prefix   string // only Applications whose names begin so
	Revision string // one is settled only at this commit, if set
	Log      func(string, ...any)
}

// looks are the Applications as the cluster last had them, refreshed while anybody asks.
type looks struct {
	mu    sync.Mutex
	list  []kube.Object
	taken time.Time
	count int
}

// lookEvery is how old a look may be.
const lookEvery = 700 * time.Millisecond

// applications gives the latest look and its number; it is one list, so what it shows was true at one moment.
func (c *Cluster) applications(ctx context.Context) ([]kube.Object, int, error) {
	c.looks.mu.Lock()
	defer c.looks.mu.Unlock()
	if time.Since(c.looks.taken) < lookEvery {
		return c.looks.list, c.looks.count, nil
	}
	list, err := c.Client.List(ctx, "argoproj.io/v1alpha1", "Application", "")
	if err != nil {
		return nil, 0, err
	}
	c.looks.list, c.looks.taken = list, time.Now()
	c.looks.count++
	return list, c.looks.count, nil
}

// NewWatch begins an account.
func (c *Cluster) NewWatch(log func(string, ...any)) *Watch {
	return &Watch{c: c, start: time.Now(), seen: map[string]Application{}, Log: log}
}

// Look asks once and notes what changed.
func (w *Watch) Look(ctx context.Context) ([]Application, error) {
	list, number, err := w.c.applications(ctx)
	if err != nil {
		return nil, err
	}
	var out []Application
	for _, o := range list {
		name := o.GetName()
		switch {
		case name != w.Prefix && w.Prefix != "" && !strings.HasPrefix(name, w.Prefix+"-"):
		case number == w.at:
			out = append(out, w.seen[name])
		default:
			out = append(out, w.note(read(&o), number))
		}
	}
	w.at = number
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

func (w *Watch) note(a Application, number int) Application {
	now := time.Since(w.start)
	before, known := w.seen[a.Name]
	a.Made, a.Settled, a.MadeAt, a.WellAt = now, before.Settled, number, before.WellAt
	if known {
		a.Made, a.MadeAt = before.Made, before.MadeAt
	}
	if a.Lost = before.Lost; before.settled() && !a.settled() {
		a.Lost++
	}
	a.LastFailed, a.Blamed = before.LastFailed, before.Blamed
	if a.failing() {
		a.LastFailed, a.Blamed = now, slices.Clone(a.Blamed)
		for _, t := range a.Troubles {
			a.Blamed = append(a.Blamed, t.Kind+" "+t.Name)
		}
	}
	a.Failed = before.Failed || a.failing()
	a.Retries = max(a.Retries, before.Retries)
	if !a.settled() {
		a.Settled = 0
	} else if !before.settled() {
		a.Settled = now
	}
	if a.settled() && a.WellAt == 0 {
		a.WellAt = number
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

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// Settle looks until every Application is Synced and Healthy, at least want of them, or until the limit.
func (w *Watch) Settle(ctx context.Context, want int, limit time.Duration) ([]Application, error) {
	return w.Await(ctx, limit, func(list []Application) bool {
		return len(list) >= want && !slices.ContainsFunc(list, func(a Application) bool { return !a.settled() || w.Revision != "" && a.Revision != w.Revision })
	})
}

// Await looks until the Applications are as wanted, or until the limit; then the last look comes with an error.
func (w *Watch) Await(ctx context.Context, limit time.Duration, wanted func([]Application) bool) ([]Application, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var last []Application
	for {
		list, err := w.Look(ctx)
		if err == nil {
			last = list
		}
		if err == nil && wanted(list) {
			return list, nil
		}
		select {
		case <-ctx.Done():
			return last, fmt.Errorf("awaiting Applications: %w", ctx.Err())
		case <-time.After(lookEvery):
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
	for end := time.Now().Add(d); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(lookEvery) {
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
