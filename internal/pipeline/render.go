package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/coldstart-gitops/gen/internal/chart"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/graph"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/render"
)

// Rendered is one component as its chart, kustomization or manifests render it, before any transformation.
type Rendered struct {
	Component component.Component
	Bundle    manifest.Bundle
	Notices   []render.Notice
	Chart     chart.Entry // zero where the component has no chart
	absent    []string    // API versions that templates asked for in vain
}

// renderer renders the components of many environments: what they share is opened and loaded once.
type renderer struct {
	setup  Setup
	lock   *chart.Lock
	store  *chart.Store
	files  fs.FS
	engine *render.Renderer
	cache  *cache
}

// Render renders every component of the plans; what is selected is for later stages, since waves and API versions depend on all.
// All mistakes are joined, by environment and component.
func (s Setup) Render(ctx context.Context, plans []Plan) ([][]Rendered, error) {
	r, closeRenderer, err := s.renderer()
	if err != nil {
		return nil, err
	}
	defer closeRenderer()
	return r.all(ctx, plans)
}

// renderer opens what rendering reads: the lock, the charts and the model's folder.
func (s Setup) renderer() (renderer, func(), error) {
	lock, err := s.chartsLock()
	if err != nil {
		return renderer{}, nil, err
	}
	store, closeStore, err := s.store()
	if err != nil {
		return renderer{}, nil, err
	}
	files, closeFiles, err := s.model()
	if err != nil {
		closeStore()
		return renderer{}, nil, err
	}
	closeAll := func() { closeFiles(); closeStore() }
	return renderer{s, lock, store, files, render.New(), newCache(s)}, closeAll, nil
}

// slot is the place of one component in the result.
type slot struct{ plan, component int }

// all renders level by level of the declared needs: the CRDs of a level are API versions of the next.
func (r renderer) all(ctx context.Context, plans []Plan) ([][]Rendered, error) {
	out := make([][]Rendered, len(plans))
	problems := make([][]met, len(plans))
	var circles []error
	graphs := make([]*graph.Graph[string], len(plans))
	var levels [][]slot
	for p, plan := range plans {
		out[p] = make([]Rendered, len(plan.Components))
		problems[p] = make([]met, len(plan.Components))
		graphs[p] = declared(plan.Components)
		order, cycles := graphs[p].Levels()
		for _, cycle := range cycles {
			circles = append(circles, cycleError(plan, cycle))
		}
		levels = place(levels, p, plan, order)
	}
	for _, level := range levels {
		parallel(ctx, r.setup.jobs(), len(level), func(i int) {
			at := level[i]
			plan := plans[at.plan]
			c := plan.Components[at.component]
			apis := apiVersions(plan, at.component, graphs[at.plan], out[at.plan])
			rendered, err := r.one(ctx, c, apis)
			out[at.plan][at.component] = rendered
			problems[at.plan][at.component] = met{plan.Environment.Name, c.Name, err}
		})
	}
	for _, rendered := range out {
		lateAPIs(rendered)
	}
	return out, errors.Join(append(append(placed(slices.Concat(problems...)), circles...), ctx.Err())...)
}

// place adds the levels of one plan to those of the others.
func place(levels [][]slot, p int, plan Plan, order [][]string) [][]slot {
	for l, names := range order {
		if l == len(levels) {
			levels = append(levels, nil)
		}
		for _, name := range names {
			at := slices.IndexFunc(plan.Components, func(c component.Component) bool { return c.Name == name })
			levels[l] = append(levels[l], slot{p, at})
		}
	}
	return levels
}

// declared is the graph of the needs that the model and the definitions state.
func declared(components []component.Component) *graph.Graph[string] {
	g := graph.New[string]()
	for _, c := range components {
		g.Add(c.Name)
		g.Need(c.Name, c.Needs...)
	}
	return g
}

func cycleError(plan Plan, cycle []string) error {
	text := cycle[0]
	for _, name := range append(cycle[1:], cycle[0]) {
		text += " needs " + name + ", which"
	}
	text = text[:len(text)-len(", which")]
	return fmt.Errorf("%s: components need each other in a circle: %s: take one `needs` away", plan.Environment.Name, text)
}

// one renders one component, or finds it rendered.
func (r renderer) one(ctx context.Context, c component.Component, apis []string) (Rendered, error) {
	in := render.Input{Component: c, Files: r.files, APIVersions: apis}
	rendered := Rendered{Component: c}
	if c.Source.Chart != nil {
		entry, err := r.lock.Find(chartSource(c.Source.Chart))
		if err != nil {
			return rendered, err
		}
		rendered.Chart = entry
		in.ChartKey = chartKey(entry)
	}
	key, err := r.cache.key(in)
	if err != nil || c.Source.Chart != nil && !r.store.Intact(rendered.Chart) {
		key = "" // a chart's folder that is not what is pinned, or a file that cannot be read: rendering says where it is asked for, if it is
	}
	result, hit := r.cache.get(key)
	if !hit {
		if result, err = r.render(ctx, in, rendered.Chart); err == nil {
			r.cache.put(key, result)
		}
	}
	rendered.Bundle, rendered.Notices, rendered.absent = result.Bundle, result.Notices, result.AbsentAPIs
	return rendered, err
}

// chartKey names the content that a chart is opened to: its own digest, and those of the dependencies that are put into it.
func chartKey(entry chart.Entry) string { return fmt.Sprintf("%+v", entry) }

func (r renderer) render(ctx context.Context, in render.Input, entry chart.Entry) (render.Result, error) {
	if source := in.Component.Source.Chart; source != nil {
		var err error
		if in.Chart, err = r.store.Open(ctx, chartSource(source), entry); err != nil {
			return render.Result{}, err
		}
	}
	return r.engine.Render(ctx, in)
}

// served are APIs of Kubernetes' own that Helm's base set lacks, as it is made from the types of client-go: a chart that asks for them
// would fall back to what no cluster serves any more. Argo CD, too, tells Helm what the cluster serves.
var served = []string{"apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1/APIService"}

// apiVersions returns what the cluster serves for a component besides Helm's base set: the CRDs of all that it needs, what the
// operators among these register at run time, and what the model declares. It reads only what earlier levels have rendered.
func apiVersions(plan Plan, at int, needs *graph.Graph[string], rendered []Rendered) []string {
	apis := slices.Concat(served, plan.Components[at].APIVersions)
	reach := needs.Reach(plan.Components[at].Name)
	for i, other := range plan.Components {
		if _, found := slices.BinarySearch(reach, other.Name); found {
			apis = append(apis, other.Provides...)
			apis = append(apis, manifest.ServedAPIs(rendered[i].Bundle.Objects)...)
		}
	}
	slices.Sort(apis)
	return slices.Compact(apis)
}
