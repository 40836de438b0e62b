package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/chart"
)

// ChartCheck is what a chart's source says of the locked content today. Err is set where it could not be told.
type ChartCheck struct {
	Use     ChartUse
	Verdict chart.Verdict
	Err     error
}

// VerifyCharts asks the sources of the selected charts whether they still serve what the lock pins. It changes nothing.
func (s Setup) VerifyCharts(ctx context.Context) ([]ChartCheck, error) {
	var checks []ChartCheck
	err := s.eachChart(ctx, func(count int) { checks = make([]ChartCheck, count) },
		func(i int, use ChartUse, store *chart.Store, entry chart.Entry) {
			verdict, err := store.Verify(ctx, use.Source, entry)
			checks[i] = ChartCheck{Use: use, Verdict: verdict, Err: err}
		})
	return checks, err
}

// ChartNews names what is newer than a chart in use. Err is set where it could not be told.
type ChartNews struct {
	Use   ChartUse
	Newer chart.Newer
	Err   error
}

// OutdatedCharts asks the repositories of the selected charts for newer versions. It changes nothing.
func (s Setup) OutdatedCharts(ctx context.Context) ([]ChartNews, error) {
	var news []ChartNews
	err := s.eachChart(ctx, func(count int) { news = make([]ChartNews, count) },
		func(i int, use ChartUse, store *chart.Store, _ chart.Entry) {
			newer, err := store.Outdated(ctx, use.Source)
			news[i] = ChartNews{Use: use, Newer: newer, Err: err}
		})
	return news, err
}

// VendorCharts stores the archives of all charts of the whole model in the model's own folder.
func (s Setup) VendorCharts(ctx context.Context) (chart.Vendored, error) {
	s.Environments, s.Components = nil, nil
	uses, lock, err := s.lockedCharts()
	if err != nil {
		return chart.Vendored{}, err
	}
	var entries []chart.Entry
	for _, use := range uses {
		entry, err := lock.Find(use.Source)
		if err != nil {
			return chart.Vendored{}, err
		}
		entries = append(entries, entry)
	}
	used, err := chart.NewLock(entries)
	if err != nil {
		return chart.Vendored{}, err
	}
	store, closeStore, err := s.store()
	if err != nil {
		return chart.Vendored{}, err
	}
	defer closeStore()
	return store.Vendor(ctx, filepath.Join(s.Root, ModelDir, chart.VendoredDir), used)
}

// eachChart calls work for every selected chart, at once, after begin was told how many there are.
func (s Setup) eachChart(ctx context.Context, begin func(int), work func(int, ChartUse, *chart.Store, chart.Entry)) error {
	uses, lock, err := s.lockedCharts()
	if err != nil {
		return err
	}
	entries := make([]chart.Entry, len(uses))
	problems := make([]error, len(uses))
	for i, use := range uses {
		entries[i], problems[i] = lock.Find(use.Source)
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	store, closeStore, err := s.store()
	if err != nil {
		return err
	}
	defer closeStore()
	begin(len(uses))
	parallel(ctx, s.jobs(), len(uses), func(i int) { work(i, uses[i], store, entries[i]) })
	if ctx.Err() != nil {
		return fmt.Errorf("asking the sources of charts: %w", context.Cause(ctx))
	}
	return nil
}

// lockedCharts returns the charts of the selected components, and the lock.
func (s Setup) lockedCharts() ([]ChartUse, *chart.Lock, error) {
	plans, err := s.Load()
	if err != nil {
		return nil, nil, err
	}
	uses := slices.DeleteFunc(Charts(plans), func(use ChartUse) bool { return !slices.ContainsFunc(use.By, s.wantsUser) })
	lock, err := s.chartsLock()
	return uses, lock, err
}

// wantsUser says whether a user of a chart, "lab/cilium", is selected.
func (s Setup) wantsUser(user string) bool {
	_, component, _ := strings.Cut(user, "/")
	return s.Wants(component)
}
