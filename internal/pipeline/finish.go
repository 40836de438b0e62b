package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
	"github.com/coldstart-gitops/gen/internal/transform"
)

// Result is one environment as it is written out.
type Result struct {
	Environment  *environment.Environment
	Skipped      bool       // inputs and files are those of the last run: nothing was rendered, and the rest is empty
	Rendered     []Rendered // by component name, what was split off among them
	Moves        []transform.Move
	Bundles      []manifest.Bundle
	Order        transform.Order
	Applications *transform.Applications // nil for an environment without Argo CD
	Images       []ImageUse
	Notices      []transform.Notice
	HealthPlaced bool // the health script for Applications stands in an argocd-cm of this environment
}

// Images renders what is selected and finds its images, without asking anybody. Policies are by environment.
func (s Setup) Images(ctx context.Context) ([]ImageUse, map[string]image.Policy, error) {
	plans, rendered, lock, err := s.renderForImages(ctx)
	if err != nil {
		return nil, nil, err
	}
	var uses []ImageUse
	policies := map[string]image.Policy{}
	for i, plan := range plans {
		policies[plan.Environment.Name] = policy(plan.Environment)
		for _, use := range collectImages(plan.Environment, bundles(rendered[i]), lock) {
			if use = s.selected(use); len(use.Places) > 0 {
				uses = append(uses, use)
			}
		}
	}
	return uses, policies, nil
}

// renderForImages renders what is selected, and reads the lock.
func (s Setup) renderForImages(ctx context.Context) ([]Plan, [][]Rendered, *image.Lock, error) {
	plans, err := s.Load()
	if err != nil {
		return nil, nil, nil, err
	}
	rendered, err := s.Render(ctx, plans)
	if err == nil {
		err = checkFound(plans, rendered)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	lock, err := s.imagesLock()
	return plans, rendered, lock, err
}

// selected keeps the places that lie in wanted components.
func (s Setup) selected(use ImageUse) ImageUse {
	var places []ImagePlace
	for _, at := range use.Places {
		if s.Wants(at.Component) {
			places = append(places, at)
		}
	}
	use.Places = places
	return use
}

func bundles(rendered []Rendered) []manifest.Bundle {
	out := make([]manifest.Bundle, len(rendered))
	for i, r := range rendered {
		out[i] = r.Bundle
	}
	return out
}

// Finish takes every environment through all stages after rendering: nothing is written.
func (s Setup) Finish(ctx context.Context, plans []Plan) ([]Result, error) {
	r, closeRenderer, err := s.renderer()
	if err != nil {
		return nil, err
	}
	defer closeRenderer()
	return s.finishAll(ctx, r, plans)
}

func (s Setup) finishAll(ctx context.Context, r renderer, plans []Plan) ([]Result, error) {
	rendered, err := r.all(ctx, plans)
	if err == nil {
		err = checkFound(plans, rendered)
	}
	if err != nil {
		return nil, err
	}
	lock, err := s.imagesLock()
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(plans))
	problems := make([]met, len(plans))
	stopped := make([][]ImageUse, len(plans))
	parallel(ctx, s.jobs(), len(plans), func(i int) {
		result, err := finish(plans[i], rendered[i], lock)
		if err == nil && s.Strict {
			err = strictly(result)
		}
		if uses, ok := takeUnproven(err); ok {
			stopped[i] = uses
		} else if err != nil {
			problems[i] = met{environment: plans[i].Environment.Name, err: err}
		}
		results[i] = result
	})
	return results, errors.Join(append(placed(problems), refusal(slices.Concat(stopped...)), ctx.Err(), clashes(results))...)
}

// clashes looks for Applications of one name among the environments that one Argo CD serves.
func clashes(results []Result) error {
	var fleet []transform.Served
	for _, r := range results {
		if r.Applications == nil {
			continue
		}
		hub := r.Environment.Name
		if r.Environment.ArgoCD.In == "hub" {
			hub = r.Environment.ArgoCD.Hub
		}
		fleet = append(fleet, transform.Served{Environment: r.Environment.Name, Hub: hub, Applications: r.Applications})
	}
	return transform.Clashes(fleet)
}

// finish is the list of stages between rendering and output, in their order.
func finish(plan Plan, rendered []Rendered, lock *image.Lock) (Result, error) {
	result := Result{Environment: plan.Environment, Rendered: rendered}
	all, notices, err := transform.Namespaces(plan.Components, bundles(rendered))
	if err != nil {
		return result, err
	}
	result.Notices = notices

	result.Images = collectImages(plan.Environment, all, lock)
	if err := findUnproven(result.Images); err != nil {
		return result, err
	}
	if all, err = rewriteImages(plan.Environment, all, result.Images); err != nil {
		return result, err
	}
	err = order(&result, plan, all)
	return result, err
}

// order computes the waves and adds everything that Argo CD needs to know.
func order(result *Result, plan Plan, all []manifest.Bundle) error {
	to := target(plan.Environment, all)
	plan, all = divide(result, plan, all)
	var err error
	if result.Order, err = transform.Waves(to, plan.Components, all); err != nil {
		return err
	}
	all = transform.NamespaceObjects(result.Order, all)
	all = transform.SkipDryRuns(plan.Components, result.Order, all)
	all = transform.Defaults(transform.ClaimTemplates(all))
	all, inner := transform.InnerWaves(all)
	all, dropped := transform.Stored(all)
	all = transform.Keep(plan.Components, all)
	version, _ := argocd.ParseVersion(to.Version) // BuildApplications refuses what is none
	all, result.HealthPlaced = transform.Health(to.Namespace, version, all)
	result.Bundles = all
	if result.Applications, err = transform.BuildApplications(to, plan.Components, result.Order, all); err != nil {
		return err
	}
	overlooked, err := transform.Excluded(to, all)
	limit := transform.TimeLimit(to, plan.Environment.ArgoCD.SyncTimeout, result.Applications, all)
	result.Notices = slices.Concat(result.Notices, result.Order.Notices, inner, dropped, overlooked, limit, transform.Comparable(to, plan.Environment.Versions.Kubernetes, all))
	return err
}

// target says where the environment's Applications live and what they read.
func target(env *environment.Environment, all []manifest.Bundle) transform.Target {
	return transform.Target{
		Environment: env.Name,
		In:          env.ArgoCD.In,
		Namespace:   cmp.Or(env.ArgoCD.Namespace, "argocd"),
		Cluster:     env.ArgoCD.Cluster,
		Version:     argoVersion(env, all),
		RepoURL:     env.Git.URL,
		Revision:    env.Git.Branch,
		Release:     release(env),
		Path:        env.Git.Path,
	}
}

// release is the branch that the root reads, where releases are made by hand.
func release(env *environment.Environment) string {
	if env.Rollout == ordered {
		return env.Git.ReleaseBranch
	}
	return ""
}

// argoVersion is read from the image of the rendered application controller, where Argo CD is a component; else the model states it.
func argoVersion(env *environment.Environment, all []manifest.Bundle) string {
	for _, b := range all {
		for _, o := range b.Objects {
			if needs.RunsArgoCD(o) {
				if tag := controllerTag(o); tag != "" {
					return tag
				}
			}
		}
	}
	return env.Versions.ArgoCD
}

func controllerTag(o manifest.Object) string {
	for _, item := range o.List("spec", "template", "spec", "containers") {
		container, _ := item.(map[string]any)
		reference, _ := container["image"].(string)
		if ref, err := image.Parse(reference); err == nil && strings.HasSuffix(ref.Path, "argocd") {
			return ref.Tag
		}
	}
	return ""
}

// Stage returns the objects of the selected components after a stage: "render" is what charts, kustomizations and manifests say
// (with the model's patches), "final" is what is written out. One bundle a component, environments after each other.
func (s Setup) Stage(ctx context.Context, stage string) ([]manifest.Bundle, error) {
	plans, err := s.Load()
	if err != nil {
		return nil, err
	}
	var out []manifest.Bundle
	if stage == "render" {
		rendered, err := s.Render(ctx, plans)
		for _, list := range rendered {
			out = append(out, s.wanted(bundles(list))...)
		}
		return out, err
	}
	results, err := s.Finish(ctx, plans)
	for _, result := range results {
		out = append(out, s.wanted(result.Bundles)...)
	}
	return out, err
}

func (s Setup) wanted(all []manifest.Bundle) []manifest.Bundle {
	return slices.DeleteFunc(slices.Clone(all), func(b manifest.Bundle) bool { return !s.Wants(b.Name) })
}
