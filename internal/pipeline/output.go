package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/transform"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// The folders below output/<env>/.
const (
	appsDir       = "apps"
	componentsDir = "components"
)

// Output lays out the files of the results: those of the wanted components, and the environments' own where all are wanted.
func (s Setup) Output(results []Result) (*tree.Tree, error) {
	t := tree.New()
	var problems []error
	for _, result := range results {
		problems = append(problems, s.addEnvironment(t, result))
	}
	return t, errors.Join(problems...)
}

func (s Setup) addEnvironment(t *tree.Tree, result Result) error {
	name := result.Environment.Name
	var problems []error
	if !s.partial() {
		problems = append(problems, s.addOwn(t, tree.Owner{Environment: name}, result))
	}
	for i, b := range result.Bundles {
		if !s.Wants(b.Name) {
			continue
		}
		owner := tree.Owner{Environment: name, Component: b.Name}
		input, err := inputHash(result.Rendered, b.Name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		problems = append(problems, t.Own(owner, input), addObjects(t, owner, path.Join(componentsDir, b.Name), b.Objects))
		if result.Applications != nil {
			problems = append(problems, s.addApplication(t, owner, appsDir, child(result, i)))
		}
	}
	return errors.Join(problems...)
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

// addOwn adds what belongs to no component: the root, which a person applies, and the project.
func (s Setup) addOwn(t *tree.Tree, owner tree.Owner, result Result) error {
	if err := t.Own(owner, ""); err != nil || result.Applications == nil {
		return err
	}
	project, err := s.EncodeProject(result.Applications.Project)
	if err != nil {
		return fmt.Errorf("%s: encoding the project: %w", owner, err)
	}
	root, err := s.EncodeApplication(result.Applications.Root)
	if err != nil {
		return fmt.Errorf("%s: encoding the root Application: %w", owner, err)
	}
	problems := []error{addObject(t, owner, appsDir, project), addNamed(t, owner, "root.yaml", project, root)}
	if needsHealthFragment(result) {
		problems = append(problems, addNamed(t, owner, healthFile, transform.HealthFragment(result.Applications.Root.Namespace)))
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

func (s Setup) addApplication(t *tree.Tree, owner tree.Owner, dir string, app argocd.Application) error {
	o, err := s.EncodeApplication(app)
	if err != nil {
		return fmt.Errorf("%s: encoding the Application: %w", owner, err)
	}
	return addObject(t, owner, dir, o)
}

func addObjects(t *tree.Tree, owner tree.Owner, dir string, objects []manifest.Object) error {
	var problems []error
	for _, o := range objects {
		problems = append(problems, addObject(t, owner, dir, o))
	}
	return errors.Join(problems...)
}

func addObject(t *tree.Tree, owner tree.Owner, dir string, o manifest.Object) error {
	id := o.ID()
	return addNamed(t, owner, path.Join(dir, tree.FileName(id, manifest.Builtin(id.Group, id.Kind))), o)
}

// addNamed adds one file of one document or more. root.yaml holds the project before the root: an Application whose project is
// missing syncs nothing, and the project comes with the root's own sync.
func addNamed(t *tree.Tree, owner tree.Owner, name string, objects ...manifest.Object) error {
	var file []byte
	for i, o := range objects {
		data, err := manifest.Emit(o)
		if err != nil {
			return fmt.Errorf("%s: %w", owner, err)
		}
		if i > 0 {
			file = append(file, "---\n"...)
		}
		file = append(file, data...)
	}
	return t.Add(owner, name, file)
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

// WriteOutput renders what is selected and makes output/ hold it. Nothing is written unless all went well.
func (s Setup) WriteOutput(ctx context.Context) (Run, error) {
	plans, err := s.Load()
	if err != nil {
		return Run{}, err
	}
	results, err := s.Finish(ctx, plans)
	if err != nil {
		return Run{Results: results}, err
	}
	t, err := s.Output(results)
	if err != nil {
		return Run{Results: results}, err
	}
	disk, err := tree.Open(s.outputDir())
	if err != nil {
		return Run{Results: results}, err
	}
	defer func() { _ = disk.Close() }()
	if err := disk.Lock(); err != nil {
		return Run{Results: results}, err
	}
	snapshot, err := tree.Scan(disk.FS(), s.scope(plans), nil)
	if err != nil {
		return Run{Results: results}, err
	}
	changes, err := t.Sync(ctx, snapshot, disk)
	return Run{results, changes}, err
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
