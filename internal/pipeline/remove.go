package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/transform"
)

// Removal says what taking a component out of an environment would do.
type Removal struct {
	Environment string
	File        string   // the environment's own file
	Component   string   // as the model names it
	Parts       []string // its Applications: the component, and what is split off from it; none where Argo CD reads nothing
	Asked       string   // what the model says of its removal: "objects", "everything" or ""
	Goes        []manifest.ID
	Stays       []manifest.ID // kept on removal
	Blocked     []string      // who needs it, and why
}

// Removal looks at one component of one environment. It changes nothing.
func (s Setup) Removal(ctx context.Context, env, name string) (Removal, error) {
	s.Environments, s.Components = []string{env}, nil
	plans, err := s.Load()
	if err != nil {
		return Removal{}, err
	}
	results, err := s.Finish(ctx, plans)
	if err != nil {
		return Removal{}, err
	}
	if len(results) != 1 {
		return Removal{}, fmt.Errorf("%s names %d environments: name one", env, len(results))
	}
	plan, result := plans[0], results[0]
	r := Removal{Environment: plan.Environment.Name, File: plan.Environment.File, Component: name}
	at := slices.IndexFunc(plan.Components, func(c component.Component) bool { return c.Name == name })
	if base, split := strings.CutSuffix(name, component.ConfigSuffix); at < 0 && split && len(result.MovesOf(name)) > 0 {
		return Removal{}, fmt.Errorf("%s: %s holds what was split off from %s, and goes with it: name %s", r.Environment, name, base, base)
	}
	if at < 0 {
		return Removal{}, fmt.Errorf("%s has no component %s; it has %s", r.Environment, name, strings.Join(names(plan.Components), ", "))
	}
	r.Asked = plan.Components[at].Removal
	for _, c := range result.Components() {
		// What is split off from a component is declared where the component is.
		if c.Name == name || c.Name == name+component.ConfigSuffix && c.Origin == plan.Components[at].Origin {
			r.Parts = append(r.Parts, c.Name)
		}
	}
	r.look(result)
	return r, nil
}

func names(components []component.Component) []string {
	out := make([]string, len(components))
	for i, c := range components {
		out[i] = c.Name
	}
	return out
}

// look sorts the objects by whether they go, and lists who needs the component.
func (r *Removal) look(result Result) {
	for _, b := range result.Bundles {
		if !slices.Contains(r.Parts, b.Name) {
			continue
		}
		for _, o := range b.Objects {
			if slices.Contains(argocd.SyncOptions(o), argocd.DeleteFalse) {
				r.Stays = append(r.Stays, o.ID())
			} else {
				r.Goes = append(r.Goes, o.ID())
			}
		}
	}
	for _, e := range result.Order.Edges {
		// A namespace that gen adds is no reason: it stays, and one of those that live in it takes it over.
		if slices.Contains(r.Parts, e.To) && !slices.Contains(r.Parts, e.From) && e.Rule != transform.OwnerRule {
			r.Blocked = append(r.Blocked, e.String())
		}
	}
	if result.Applications == nil {
		r.Parts = nil
	}
}
