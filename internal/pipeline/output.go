package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"

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
	var emitter *manifest.Emitter
	if len(results) > 1 {
		emitter = manifest.NewEmitter()
	}
	buffers := sync.Pool{New: func() any { buffer := make([]byte, 0, largestFile); return &buffer }}
	parallel(ctx, s.jobs(), len(parts), func(i int) {
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		parts[i].emitter, parts[i].buffer = emitter, buffer
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

// largestFile is what few files are larger than: memory that no file fills is never touched.
const largestFile = 2 << 20

// part is what one owner writes.
type part struct {
	result Result
	bundle int // -1: what belongs to no component
	owner  tree.Owner
	input  string
	files  []file

	emitter *manifest.Emitter
	buffer  *[]byte // for one file after the other
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
	return p.named(path.Join(dir, fileOf(o)), o)
}

// fileOf returns the name of an object's file, which its identity gives it.
func fileOf(o manifest.Object) string {
	id := o.ID()
	return tree.FileName(id, manifest.Builtin(id.Group, id.Kind))
}

func (p *part) named(name string, objects ...manifest.Object) error {
	text := (*p.buffer)[:0]
	var err error
	for i, o := range objects {
		if i > 0 {
			text = append(text, "---\n"...)
		}
		if text, err = p.emitter.Append(text, o); err != nil {
			return fmt.Errorf("%s: %w", p.owner, err)
		}
	}
	*p.buffer = text
	p.files = append(p.files, file{name, p.emitter.Keep(text)})
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
	if err := s.artifacts(p); err != nil {
		return err
	}
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
		version, err := argocd.ParseVersion(argoVersion(p.result.Environment, p.result.Bundles))
		if err != nil {
			return fmt.Errorf("%s: adding health scripts: %w", p.owner, err)
		}
		problems = append(problems, p.named(healthFile, transform.HealthFragment(p.result.Applications.Root.Namespace, version)))
	}
	return errors.Join(problems...)
}

// healthFile holds the health scripts for an Argo CD that no component of the fleet brings; a person applies it before root.yaml.
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
			r.Component.Merged, fields(r.Component.Own), fields(r.Component.Objects), patchesAnywhere(r.Component.Patches), selectorsAnywhere(r.Component.Remove), r.Component.Application, r.Component.IgnoreDiffs,
			r.Component.Namespace, r.Component.Release, r.Component.KubeVersion, r.Chart.Digest, r.Component.KeepHooks,
		})
		if err != nil {
			return "", fmt.Errorf("%s: hashing its inputs: %w", name, err)
		}
		return fmt.Sprintf("sha256:%x", sha256.Sum256(data)), nil
	}
	return "", nil
}

// patchesAnywhere are the patches without their places: a comment above them changes no input.
func patchesAnywhere(patches []environment.Patch) []environment.Patch {
	out := slices.Clone(patches)
	for i := range out {
		out[i].Origin, out[i].Target.Origin = environment.Origin{}, environment.Origin{}
	}
	return out
}

// selectorsAnywhere are the selectors without their places.
func selectorsAnywhere(selectors []environment.Selector) []environment.Selector {
	out := slices.Clone(selectors)
	for i := range out {
		out[i].Origin = environment.Origin{}
	}
	return out
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
