package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/transform"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// The folders below output/<env>/.
const (
	appsDir       = "apps"
	componentsDir = "components"
)

// file is one file of an owner, by its path below the environment's folder.
type file struct {
	name string
	data []byte
}

// Output lays out the files of the results: those of the wanted components, and the environments' own where all are wanted.
func (s Setup) Output(ctx context.Context, results []Result) (*tree.Tree, error) {
	var parts []part
	for _, result := range results {
		if !s.partial() {
			parts = append(parts, part{result: result, bundle: -1, owner: tree.Owner{Environment: result.Environment.Name}})
		}
		for i, b := range result.Bundles {
			if s.Wants(b.Name) {
				parts = append(parts, part{result: result, bundle: i, owner: tree.Owner{Environment: result.Environment.Name, Component: b.Name}})
			}
		}
	}
	problems := make([]error, len(parts))
	parallel(ctx, s.jobs(), len(parts), func(i int) {
		if parts[i].bundle < 0 {
			problems[i] = s.own(&parts[i])
		} else {
			problems[i] = s.component(&parts[i])
		}
	})
	t := tree.New()
	for _, p := range parts {
		problems = append(problems, t.Own(p.owner, p.input))
		for _, f := range p.files {
			problems = append(problems, t.Add(p.owner, f.name, f.data))
		}
	}
	return t, errors.Join(append(problems, ctx.Err())...)
}

// part is what one owner writes.
type part struct {
	result Result
	bundle int // -1: what belongs to no component
	owner  tree.Owner
	input  string
	files  []file
	buffer []byte
}

// component emits one component's objects and its Application.
func (s Setup) component(p *part) error {
	b := p.result.Bundles[p.bundle]
	input, err := inputHash(p.result.Rendered, b.Name)
	if err != nil {
		return err
	}
	p.input = input
	for _, o := range b.Objects {
		if err := p.add(path.Join(componentsDir, b.Name), o); err != nil {
			return err
		}
	}
	if p.result.Applications == nil {
		return nil
	}
	app, err := s.EncodeApplication(child(p.result, p.bundle))
	if err != nil {
		return fmt.Errorf("%s: encoding the Application: %w", p.owner, err)
	}
	return p.add(appsDir, app)
}

// add emits an object into a folder, under the name that its identity gives it.
func (p *part) add(dir string, o manifest.Object) error {
	id := o.ID()
	return p.named(path.Join(dir, tree.FileName(id, manifest.Builtin(id.Group, id.Kind))), o)
}

func (p *part) named(name string, objects ...manifest.Object) error {
	p.buffer = p.buffer[:0]
	var err error
	for i, o := range objects {
		if i > 0 {
			p.buffer = append(p.buffer, "---\n"...)
		}
		if p.buffer, err = manifest.Append(p.buffer, o); err != nil {
			return fmt.Errorf("%s: %w", p.owner, err)
		}
	}
	p.files = append(p.files, file{name, bytes.Clone(p.buffer)})
	return nil
}

// child returns the Application of the bundle at i.
func child(result Result, i int) argocd.Application {
	for _, app := range result.Applications.Children {
		if path.Base(app.Source.Path) == result.Bundles[i].Name {
			return app
		}
	}
	return argocd.Application{}
}

// own emits what belongs to no component: the project and the root. root.yaml, which a person applies, holds the project before
// the root: an Application whose project is missing syncs nothing, and the project comes with the root's own sync.
func (s Setup) own(p *part) error {
	p.input = environmentInput(p.result.Environment)
	if p.result.Applications == nil {
		return nil
	}
	project, err := s.EncodeProject(p.result.Applications.Project)
	if err != nil {
		return fmt.Errorf("%s: encoding the project: %w", p.owner, err)
	}
	root, err := s.EncodeApplication(p.result.Applications.Root)
	if err != nil {
		return fmt.Errorf("%s: encoding the root Application: %w", p.owner, err)
	}
	problems := []error{p.add(appsDir, project), p.named("root.yaml", project, root)}
	if needsHealthFragment(p.result) {
		problems = append(problems, p.named(healthFile, transform.HealthFragment(p.result.Applications.Root.Namespace)))
	}
	return errors.Join(problems...)
}

// healthFile holds the health script for an Argo CD that no component of the fleet brings; a person applies it before root.yaml.
const healthFile = "bootstrap/argocd-cm.yaml"

// needsHealthFragment reports whether nothing that is rendered gives Applications health in the Argo CD that serves the
// environment: without it the waves of the children gate nothing.
func needsHealthFragment(result Result) bool {
	argo := result.Environment.ArgoCD
	if argo.In == "hub" {
		return argo.Hub == "" // else the hub's own environment brings it
	}
	return !result.HealthPlaced
}

// inputHash names what a component's own part of the model and its chart say, for the ownership record: it changes when a
// person changed something about this component, and never because a neighbour changed.
func inputHash(rendered []Rendered, name string) (string, error) {
	for _, r := range rendered {
		if r.Component.Name != name {
			continue
		}
		data, err := json.Marshal(struct {
			Merged, Own, Objects, Patches, Remove, Application, IgnoreDiffs any
			Namespace, Release, KubeVersion, Digest                         string
			KeepHooks                                                       bool
		}{
			r.Component.Merged, fields(r.Component.Own), fields(r.Component.Objects), r.Component.Patches, r.Component.Remove, r.Component.Application, r.Component.IgnoreDiffs,
			r.Component.Namespace, r.Component.Release, r.Component.KubeVersion, r.Chart.Digest, r.Component.KeepHooks,
		})
		if err != nil {
			return "", fmt.Errorf("%s: hashing its inputs: %w", name, err)
		}
		return fmt.Sprintf("sha256:%x", sha256.Sum256(data)), nil
	}
	return "", nil
}

// environmentInput names what the environment's own files are made from.
func environmentInput(env *environment.Environment) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []any{env.Name, env.ArgoCD, env.Git, env.Rollout, env.Versions}))
	return fmt.Sprintf("sha256:%x", sum)
}

func fields(objects []manifest.Object) []map[string]any {
	out := make([]map[string]any, len(objects))
	for i, o := range objects {
		out[i] = o.Fields()
	}
	return out
}

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
				if s.Wants(c.Name) && !seen[c.Name] {
					seen[c.Name] = true
					scope.Components = append(scope.Components, c.Name)
				}
			}
		}
	}
	return scope
}

// WriteOutput renders what is selected and makes output/ hold it. Nothing is written unless all went well. Environments whose
// inputs and files are those of this machine's last run are not rendered again.
func (s Setup) WriteOutput(ctx context.Context) (Run, error) {
	plans, err := s.Load()
	if err != nil {
		return Run{}, err
	}
	disk, err := tree.Open(s.outputDir())
	if err != nil {
		return Run{}, err
	}
	defer func() { _ = disk.Close() }()
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
		for _, o := range owners(w.plans[i]) {
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
			w.last.Environments[result.Environment.Name] = lastRun{keys[i], result.inputs()}
		}
	}
	w.last.save()
	return changes, nil
}

// inputs are what the ownership records of the environment state.
func (r Result) inputs() map[string]string {
	inputs := map[string]string{"": environmentInput(r.Environment)}
	for _, b := range r.Bundles {
		inputs[b.Name], _ = inputHash(r.Rendered, b.Name)
	}
	return inputs
}

// CompareOutput renders what is selected and compares output/ with it. It writes nothing. A folder that a run began to write
// and did not end is an error: it is no output.
func (s Setup) CompareOutput(ctx context.Context) (Run, error) {
	plans, err := s.Load()
	if err != nil {
		return Run{}, err
	}
	disk, err := tree.Open(s.outputDir())
	if err != nil {
		return Run{}, err
	}
	defer func() { _ = disk.Close() }()
	return s.against(ctx, plans, disk.FS(), s.scope(plans))
}
