package pipeline

import (
	"context"
	"errors"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// Run is what one run rendered and what it did to the output folder.
type Run struct {
	Results []Result
	Changes []tree.Change
}

// scope says which owners this run answers for.
func (s Setup) scope(plans []Plan) tree.Scope {
	var scope tree.Scope
	if len(s.Environments) > 0 {
		for _, plan := range plans {
			scope.Environments = append(scope.Environments, plan.Environment.Name)
		}
	}
	if s.partial() {
		seen := map[string]bool{}
		for _, plan := range plans {
			for _, c := range plan.Components {
				for _, name := range []string{c.Name, c.Name + component.ConfigSuffix} { // which may have been split off, or be no more
					if s.Wants(name) && !seen[name] {
						seen[name] = true
						scope.Components = append(scope.Components, name)
					}
				}
			}
		}
	}
	return scope
}

// open loads the model and opens output/, which the caller closes.
func (s Setup) open() ([]Plan, *tree.Disk, error) {
	plans, err := s.Load()
	if err != nil {
		return nil, nil, err
	}
	disk, err := tree.Open(s.outputDir())
	return plans, disk, err
}

// WriteOutput renders what is selected and makes output/ hold it. Nothing is written unless all went well. Environments whose
// inputs and files are those of this machine's last run are not rendered again. One run at a time writes; others wait for it.
func (s Setup) WriteOutput(ctx context.Context) (Run, error) {
	plans, disk, err := s.open()
	if err != nil {
		return Run{}, err
	}
	defer func() { _ = disk.Close() }()
	if err := disk.Lock(ctx, s.Waits); err != nil {
		return Run{}, err
	}
	var remembered *tree.Cache
	if s.Cache != "" {
		remembered = tree.OpenCache(s.Cache, s.outputDir())
	}
	snapshot, err := tree.Scan(disk.FS(), s.scope(plans), remembered)
	if err != nil {
		return Run{}, err
	}
	r, closeRenderer, err := s.renderer()
	if err != nil {
		return Run{}, err
	}
	defer closeRenderer()
	w := writing{s, r, openLast(s), plans, snapshot, disk}
	return w.run(ctx)
}

// writing is one run of WriteOutput.
type writing struct {
	setup    Setup
	renderer renderer
	last     *last
	plans    []Plan
	snapshot *tree.Snapshot
	disk     *tree.Disk
}

func (w writing) run(ctx context.Context) (Run, error) {
	keys, err := w.keys(ctx)
	if err != nil {
		return Run{}, err
	}
	var stale []Plan
	results := make([]Result, len(w.plans))
	at := []int{}
	for i, plan := range w.plans {
		results[i] = Result{Environment: plan.Environment, Skipped: true}
		if !w.last.current(w.setup, plan, keys[i], w.snapshot) {
			stale, at = append(stale, plan), append(at, i)
		}
	}
	fresh, err := w.setup.finishAll(ctx, w.renderer, stale)
	for i, result := range fresh {
		results[at[i]] = result
	}
	if err != nil {
		return Run{Results: results}, err
	}
	changes, err := w.sync(ctx, results, fresh, keys)
	return Run{Results: results, Changes: changes}, err
}

func (w writing) keys(ctx context.Context) ([]string, error) {
	keys := make([]string, len(w.plans))
	problems := make([]error, len(w.plans))
	parallel(ctx, w.setup.jobs(), len(w.plans), func(i int) {
		keys[i], problems[i] = w.renderer.environmentKey(w.plans[i])
	})
	return keys, errors.Join(append(problems, ctx.Err())...)
}

func (w writing) sync(ctx context.Context, results, fresh []Result, keys []string) ([]tree.Change, error) {
	t, err := w.setup.Output(ctx, fresh)
	if err != nil {
		return nil, err
	}
	for i, result := range results {
		if !result.Skipped {
			delete(w.last.Environments, result.Environment.Name)
			continue
		}
		for _, o := range w.last.Environments[w.plans[i].Environment.Name].owners(w.plans[i]) {
			if err := t.Keep(o, w.snapshot); err != nil {
				return nil, err
			}
		}
	}
	if len(fresh) > 0 {
		w.last.save()
	}
	changes, err := t.Sync(ctx, w.snapshot, w.disk)
	if err != nil || w.setup.partial() || len(fresh) == 0 {
		return changes, err
	}
	for i, result := range results {
		if !result.Skipped && keys[i] != "" {
			w.last.Environments[result.Environment.Name] = lastRun{keys[i], inputs(t, result)}
		}
	}
	w.last.save()
	return changes, nil
}

// inputs are what the ownership records of the environment state.
func inputs(t *tree.Tree, result Result) map[string]string {
	own := tree.Owner{Environment: result.Environment.Name}
	inputs := map[string]string{own.Component: t.Input(own)}
	for _, b := range result.Bundles {
		own.Component = b.Name
		inputs[b.Name] = t.Input(own)
	}
	return inputs
}

// CompareOutput renders what is selected and compares output/ with it. It writes nothing. A folder that a run began to write
// and did not end is an error: it is no output.
func (s Setup) CompareOutput(ctx context.Context) (Run, error) {
	plans, disk, err := s.open()
	if err != nil {
		return Run{}, err
	}
	defer func() { _ = disk.Close() }()
	if err := s.whole(s.scope(plans)); err != nil {
		return Run{}, err
	}
	return s.against(ctx, plans, disk.FS(), s.scope(plans))
}
