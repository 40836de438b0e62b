// Package render turns one component into objects, through Helm's engine or kustomize: the same input gives the same bytes.
package render

import (
	"context"
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
	// Files is the model's folder, for kustomizations and plain manifests.
	Files fs.FS
	// APIVersions are those that the cluster serves besides Kubernetes' own: "group/version" and "group/version/Kind".
	APIVersions []string
}

// Result is what one component adds to its environment, and what a person should know about it.
type Result struct {
	Bundle  manifest.Bundle // objects in the order of their identity
	Notices []Notice        // sorted
}

// Renderer renders components. It keeps what is equal between renders (loaded charts, decoded documents), by content.
// It is safe for use by many goroutines.
type Renderer struct {
	charts    *cache[*loaded]
	documents *cache[decoded]
}

// New returns a Renderer with empty caches.
func New() *Renderer {
	return &Renderer{charts: newCache[*loaded](maxCachedCharts), documents: newCache[decoded](maxCachedDocuments)}
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
	return Result{Bundle: bundle, Notices: run.sortedNotices()}, nil
}

// run is one call of Render: its input, and what it has to say so far.
type run struct {
	renderer *Renderer
	in       Input
	notices  []Notice
}

// finalObjects renders, edits and guards the component's objects.
func (r *run) finalObjects(ctx context.Context) ([]located, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rendering %s: %w", r.in.Component.Name, err)
	}
	source := r.in.Component.Source
	var rendered []located
	var err error
	switch {
	case source.Chart != nil:
		rendered, err = r.chart()
	}
	if err != nil {
		return nil, err
	}
	return rendered, nil
}
