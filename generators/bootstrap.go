package generators

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// bootstrap is the ordered first steps: what must run before Argo CD can, Argo CD itself, and then what each wave waits for.
func bootstrap() component.Artifact {
	return component.Artifact{
		Name:  "bootstrap",
		Doc:   "The first steps on an empty cluster, as a script and as a page, with waits that name their cause.",
		Build: buildBootstrap,
	}
}

func buildBootstrap(in component.Finished) ([]component.File, error) {
	chosen, err := choose(in)
	if err != nil {
		return nil, err
	}
	if in.Environment.ArgoCD.In == "none" && len(chosen.order) == 0 {
		return nil, nil // somebody else delivers all of it
	}
	steps := plan(in, chosen)
	return []component.File{
		{Name: "bootstrap.sh", Data: bootstrapScript(in, steps)},
		{Name: "README.md", Data: bootstrapPage(in, steps)},
	}, nil
}

// choice is what Argo CD cannot bring, since it does not run without it.
type choice struct {
	order []string // components, in the order in which they are applied
	cni   []string // those that give pods a network
	argo  string   // the one that brings Argo CD, or ""
}

func (c choice) has(name string) bool { return slices.Contains(c.order, name) }

// choose computes the choice: the network, Argo CD and what they need. A cluster that a hub serves needs nothing of it: the hub
// reaches the API server without any network of pods.
func choose(in component.Finished) (choice, error) {
	var c choice
	if in.Environment.ArgoCD.In == "hub" {
		return c, nil
	}
	for _, b := range in.Bundles {
		if in.Environment.ArgoCD.In == "cluster" && slices.ContainsFunc(b.Objects, needs.RunsArgoCD) {
			c.argo = b.Name
		}
		if slices.ContainsFunc(b.Objects, needs.GivesNetwork) {
			c.cni = append(c.cni, b.Name)
		}
	}
	first := slices.Clone(c.cni)
	if c.argo != "" {
		first = append(first, c.argo)
	}
	wanted := closure(in.Components, first)
	var err error
	if c.order, err = ordered(in.Components, wanted, c.argo); err != nil {
		return c, err
	}
	return c, foreign(in, c)
}

// closure returns the names, what they need, and what shares a wave with one of them because its health needs it.
func closure(all []component.Component, names []string) map[string]bool {
	wanted := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if wanted[name] {
			continue
		}
		wanted[name] = true
		for _, c := range all {
			if c.Name == name {
				names = append(names, c.Needs...)
			}
			if c.With == name {
				names = append(names, c.Name)
			}
		}
	}
	return wanted
}

// ordered puts every component after what it needs and after what it shares a wave with, Argo CD last, else by name.
func ordered(all []component.Component, wanted map[string]bool, argo string) ([]string, error) {
	var order []string
	ready := func(c component.Component) bool {
		if !wanted[c.Name] || slices.Contains(order, c.Name) || c.Name == argo && len(order) < len(wanted)-1 {
			return false
		}
		missing := func(need string) bool { return wanted[need] && !slices.Contains(order, need) }
		return !slices.ContainsFunc(c.Needs, missing) && !missing(c.With)
	}
	for len(order) < len(wanted) {
		i := slices.IndexFunc(all, ready)
		if i < 0 {
			return nil, fmt.Errorf("ordering the first steps: of %s, each needs another of them first; take one of their needs out", strings.Join(left(wanted, order), ", "))
		}
		order = append(order, all[i].Name)
	}
	return order, nil
}

func left(wanted map[string]bool, order []string) []string {
	var names []string
	for name := range wanted {
		if !slices.Contains(order, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// foreign reports every object of the first steps that needs what only Argo CD brings: it would be waited for without end.
func foreign(in component.Finished, c choice) error {
	makers := map[needs.Fact][]string{}
	for _, b := range in.Bundles {
		for _, o := range b.Objects {
			for _, fact := range needs.Provided(o) {
				makers[fact] = append(makers[fact], b.Name)
			}
		}
	}
	for _, each := range in.Components {
		for _, api := range each.Provides {
			if parts := strings.Split(api, "/"); len(parts) == 3 {
				fact := needs.Fact{Type: needs.Kind, Group: parts[0], Kind: parts[2]}
				makers[fact] = append(makers[fact], each.Name)
			}
		}
	}
	var problems []error
	for _, b := range in.Bundles {
		if c.has(b.Name) {
			for _, o := range b.Objects {
				problems = append(problems, late(b.Name, o, c, makers)...)
			}
		}
	}
	return errors.Join(problems...)
}

// late returns an error for each need of one object that only components outside of the choice meet. What is waited for are
// workloads: of other objects only what they need to be applied counts.
func late(name string, o manifest.Object, c choice, makers map[needs.Fact][]string) []error {
	var problems []error
	for _, need := range needs.Of(o) {
		waits := need.Rule.Stage == needs.Apply || need.Rule.Stage == needs.Health && isWorkload(o)
		by := makers[need.Fact]
		if !waits || need.Rule.IfAny || len(by) == 0 || slices.ContainsFunc(by, c.has) {
			continue
		}
		problems = append(problems, fmt.Errorf("%s: %s needs %s, which only %s brings, and Argo CD brings that: but %s must run before Argo CD can; "+
			"take the need out, or let %s need %s, so that it comes before Argo CD as well", name, o.ID(), need.Fact, by[0], name, name, by[0]))
	}
	return problems
}

// isWorkload reports whether the object runs pods that the first steps wait for.
func isWorkload(o manifest.Object) bool {
	switch o.ID().Group + "/" + o.ID().Kind {
	case "apps/DaemonSet", "apps/Deployment", "apps/StatefulSet":
		return true
	case "batch/Job":
		return o.Get("spec", "suspend") != true // else it would be waited for without end
	}
	return false
}
