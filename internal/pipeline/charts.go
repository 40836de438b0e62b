package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/chart"
	"github.com/coldstart-gitops/gen/internal/environment"
)

// ChartUse is one chart of the model and who uses it: "lab/cilium", sorted.
type ChartUse struct {
	Source chart.Source
	By     []string
}

// Charts returns every distinct chart that the plans name, sorted by source.
func Charts(plans []Plan) []ChartUse {
	by := map[chart.Source][]string{}
	for _, plan := range plans {
		for _, c := range plan.Components {
			if c.Source.Chart != nil {
				source := chartSource(c.Source.Chart)
				by[source] = append(by[source], plan.Environment.Name+"/"+c.Name)
			}
		}
	}
	uses := make([]ChartUse, 0, len(by))
	for source, users := range by {
		slices.Sort(users)
		uses = append(uses, ChartUse{source, users})
	}
	slices.SortFunc(uses, func(a, b ChartUse) int { return cmp.Compare(a.Source.String(), b.Source.String()) })
	return uses
}

// chartSource is what the chart package calls the model's chart.
func chartSource(c *environment.Chart) chart.Source {
	if c.Git != nil {
		return chart.Source{Git: c.Git.URL, Ref: c.Git.Ref, Path: c.Git.Path}
	}
	if c.Path != "" {
		return chart.Source{Path: c.Path}
	}
	return chart.Source{Repo: c.Repo, Name: c.Name, Version: c.Version}
}

// store opens the charts of the model. The closer ends its hold on the model's folder.
func (s Setup) store() (*chart.Store, func(), error) {
	model, closeModel, err := s.model()
	if err != nil {
		return nil, nil, err
	}
	options := chart.Options{Root: model, Transport: s.Transport, Credentials: s.Credentials, Stall: s.Stall}
	if s.Cache != "" {
		options.Cache = filepath.Join(s.Cache, "charts")
	}
	return chart.New(options), closeModel, nil
}

// chartsLock reads charts.lock.
func (s Setup) chartsLock() (*chart.Lock, error) {
	data, err := s.readModelFile(ChartsLock)
	if err != nil {
		return nil, err
	}
	return chart.ParseLock(data, ModelDir+"/"+ChartsLock)
}

// ChartChange is one line of what `gen charts lock` did. Old or New is empty where the chart is new or gone.
type ChartChange struct {
	Use      ChartUse
	Old, New chart.Entry
}

// LockCharts pins every chart that the whole model names: charts that the lock pins already keep their pin, unless renew asks
// their sources again, or a folder of the model changed. What no environment names any more leaves the lock. It writes the lock only when it changed.
func (s Setup) LockCharts(ctx context.Context, renew bool) ([]ChartChange, error) {
	all := s
	all.Environments, all.Components = nil, nil
	plans, err := all.Load()
	if err != nil {
		return nil, err
	}
	old, err := s.chartsLock()
	if err != nil {
		return nil, err
	}
	store, closeStore, err := s.store()
	if err != nil {
		return nil, err
	}
	defer closeStore()
	uses := Charts(plans)
	entries := make([]chart.Entry, len(uses))
	problems := make([]error, len(uses))
	parallel(ctx, s.jobs(), len(uses), func(i int) {
		if entry, err := old.Find(uses[i].Source); err == nil && !renew && store.Stands(entry) {
			entries[i] = entry
			return
		}
		entry, err := store.Resolve(ctx, uses[i].Source)
		if err != nil {
			problems[i] = fmt.Errorf("%s: %w", strings.Join(uses[i].By, ", "), err)
		}
		entries[i] = entry
	})
	if err := errors.Join(append(problems, ctx.Err())...); err != nil {
		return nil, err
	}
	return s.saveCharts(old, uses, entries)
}

func (s Setup) saveCharts(old *chart.Lock, uses []ChartUse, entries []chart.Entry) ([]ChartChange, error) {
	lock, err := chart.NewLock(entries)
	if err != nil {
		return nil, err
	}
	before, err := s.readModelFile(ChartsLock)
	if err != nil {
		return nil, err
	}
	if data := lock.Bytes(); string(data) != string(before) {
		if err := s.writeModelFile(ChartsLock, data); err != nil {
			return nil, err
		}
	}
	return chartChanges(old, uses, entries), nil
}

func chartChanges(old *chart.Lock, uses []ChartUse, entries []chart.Entry) []ChartChange {
	var changes []ChartChange
	kept := map[chart.Source]bool{}
	for i, entry := range entries {
		kept[entry.Source] = true
		before, err := old.Find(entry.Source)
		if err != nil || before.Digest != entry.Digest {
			changes = append(changes, ChartChange{Use: uses[i], Old: before, New: entry})
		}
	}
	for _, entry := range old.Entries() {
		if !kept[entry.Source] {
			changes = append(changes, ChartChange{Use: ChartUse{Source: entry.Source}, Old: entry})
		}
	}
	return changes
}
