// Package render turns one component into objects, through Helm's engine or kustomize: the same input gives the same bytes.
package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Input is all that the objects of one component depend on.
type Input struct {
	Component component.Component
	// Chart is the chart's content, Chart.yaml at its root and .helmignore applied. Only for components with a chart.
	Chart fs.FS
	// ChartKey names the chart's content where the caller knows a name that stands for these bytes only, such as the digests in the
	// lock: then the content is read once for each Renderer. Without it, it is read and hashed at each render.
	ChartKey string
	// Files is the model's folder, for kustomizations and plain manifests.
	Files fs.FS
	// APIVersions are those that the cluster serves besides Kubernetes' own: "group/version" and "group/version/Kind".
	APIVersions []string
}

// Result is what one component adds to its environment, and what a person should know about it.
type Result struct {
	Bundle  manifest.Bundle // objects in the order of their identity
	Notices []Notice        // sorted
	// AbsentAPIs are the API versions that templates asked for and that APIVersions did not hold, sorted. Where another component
	// of the environment provides one, this component lacks a need.
	AbsentAPIs []string
}

// Renderer renders components. It keeps what is equal between renders (loaded charts, decoded documents), by content.
// It is safe for use by many goroutines.
type Renderer struct {
	charts    *cache[*loaded]
	documents *cache[decoded]
	schemas   *cache[*compiled]
}

// New returns a Renderer with empty caches.
func New() *Renderer {
	return &Renderer{
		charts:    newCache[*loaded](maxCachedCharts),
		documents: newCache[decoded](maxCachedDocuments),
		schemas:   newCache[*compiled](maxCachedCharts),
	}
}

// Render renders one component with caches of its own. Whoever renders more than one keeps a Renderer.
func Render(ctx context.Context, in Input) (Result, error) { return New().Render(ctx, in) }

// Render renders the component's chart, kustomization or manifests, applies the model's patches, removals and additions, and
// guards the output against Secrets. It returns every mistake of one step at once, joined and sorted. A *Refusal among the
// errors says that a guard stopped it, not a mistake.
func (r *Renderer) Render(ctx context.Context, in Input) (Result, error) {
	run := &run{renderer: r, in: in}
	final, err := run.finalObjects(ctx)
	if err != nil {
		return Result{}, err
	}
	bundle := manifest.Bundle{Name: in.Component.Name, Objects: objectsOf(final)}
	if len(bundle.Objects) == 0 && !in.Component.AllowEmpty {
		return Result{}, fmt.Errorf("%s: component %s renders no object: check its values, or set allowEmpty", in.Component.Origin, in.Component.Name)
	}
	manifest.Sort(bundle.Objects)
	return Result{Bundle: bundle, Notices: run.sortedNotices(), AbsentAPIs: run.absentAPIs}, nil
}

// run is one call of Render: its input, and what it has to say so far.
type run struct {
	renderer   *Renderer
	in         Input
	notices    []Notice
	absentAPIs []string
	questions  []Question

	lenient  bool     // leave out what is absent, and name it
	skipCRDs bool     // leave out crds/
	absent   []string // what was left out
	missing  []string // what cannot be left out, and is not there
	folders  []string // of kustomizations that were read
}

// rendering is what a chart, a kustomization or manifests gave before the model's changes.
type rendering struct {
	objects   []located
	generated *generated // nil where nothing was
}

// finalObjects renders, edits and guards the component's objects.
func (r *run) finalObjects(ctx context.Context) ([]located, error) {
	rendered, err := r.render(ctx)
	if err != nil {
		return nil, err
	}
	final, err := r.edit(rendered.objects)
	if err != nil {
		return nil, err
	}
	if err := r.check(final); err != nil {
		return nil, err
	}
	var refused map[int][]string
	if rendered.generated != nil {
		refused = r.judge(final, rendered.generated)
	}
	return final, r.guard(final, refused)
}

// render calls what the component's source asks for. A component without a source has the objects that the model adds.
func (r *run) render(ctx context.Context) (rendering, error) {
	if err := ctx.Err(); err != nil {
		return rendering{}, fmt.Errorf("rendering %s: %w", r.in.Component.Name, err)
	}
	source := r.in.Component.Source
	switch {
	case source.Chart != nil:
		return r.chart()
	case source.Kustomization != "":
		return r.kustomization(source.Kustomization)
	case source.Manifests != "":
		return r.manifests(source.Manifests)
	}
	return rendering{}, nil
}

// check returns an error for each object without a name after the patches, and for each pair that would be one object in a
// cluster.
func (r *run) check(final []located) error {
	type slot struct{ group, kind, namespace, name string }
	first := map[slot]located{}
	var mistakes []error
	for _, one := range final {
		if err := checkIdentity(one.object); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", one.source, err))
			continue
		}
		id := one.object.ID()
		at := slot{id.Group, id.Kind, r.namespaceOf(id), id.Name}
		if other, ok := first[at]; ok {
			mistakes = append(mistakes, fmt.Errorf("%s: %s is rendered twice, here and by %s: remove or rename one", one.source, id, other.source))
			continue
		}
		first[at] = one
	}
	return errors.Join(mistakes...)
}

// namespaceOf returns the namespace that an object will have: where it states none, the component's.
func (r *run) namespaceOf(id manifest.ID) string {
	if id.Namespace == "" && manifest.BuiltinScope(id.Group, id.Kind) != manifest.Cluster {
		return r.in.Component.Namespace
	}
	return id.Namespace
}
