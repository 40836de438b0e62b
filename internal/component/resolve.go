package component

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/environment"
)

// ConfigSuffix ends the name of a component that was split off because its objects need the component running.
const ConfigSuffix = "-config"

// Known returns the names of the definitions, as environment.Options wants them.
func Known(defs []Definition) map[string]bool {
	known := make(map[string]bool, len(defs))
	for _, def := range defs {
		known[def.Name] = true
	}
	return known
}

// Resolve joins the environment's components with the definitions of the same name and returns them sorted by name, the
// split-off NAME-config components among them. It is pure: the same arguments give the same result, and neither is changed.
// All mistakes are joined, in the order of their places: missing facts, two sources or none, unknown needs, clashing names.
func Resolve(env *environment.Environment, defs []Definition) ([]Component, error) {
	r := resolver{env: env, defs: map[string]Definition{}, failed: map[string]bool{}}
	for _, def := range defs {
		if _, twice := r.defs[def.Name]; twice {
			r.problems.add(environment.Origin{Layer: "component " + def.Name}, "definition", "given twice; keep one")
		}
		r.defs[def.Name] = def
	}
	for _, declared := range env.Components {
		r.add(declared)
	}
	slices.SortStableFunc(r.drafts, func(a, b draft) int { return cmp.Compare(a.Name, b.Name) })
	r.checkNames()
	components := r.needs()
	if err := r.problems.join(); err != nil {
		return nil, err
	}
	return components, nil
}

// resolver gathers the components of one environment and every mistake on the way.
type resolver struct {
	env      *environment.Environment
	defs     map[string]Definition
	drafts   []draft
	failed   map[string]bool // components whose definition could not build: whether they split off anything is not known
	problems problems
}

// draft is a component whose Needs are not settled yet, since all names must be known first.
type draft struct {
	Component
	declared []string // by the model: each must be there
	wished   []string // by the definition: dropped where the environment has no such component
}

// add resolves one declared component, and what is split off from it.
func (r *resolver) add(declared environment.Component) {
	def, builtIn := r.defs[declared.Name]
	r.checkSource(declared, def, builtIn)
	var parts Parts
	if builtIn {
		var err error
		if parts, err = def.Build(r.env); err != nil {
			r.problems.addAll(err)
			r.failed[declared.Name] = true
			parts = Parts{Config: parts.Config} // the names that it takes are still checked
		}
	}
	split := splitter{r.env, declared, def, parts}
	r.drafts = append(r.drafts, draft{split.main(), declared.Needs, parts.Needs})
	if len(parts.Config) > 0 {
		config := draft{Component: split.config(), wished: parts.ConfigNeeds}
		if !parts.Together {
			config.wished = append([]string{declared.Name}, config.wished...)
		}
		r.drafts = append(r.drafts, config)
	}
}

// checkSource reports a component that has two sources or none, or values that nothing reads.
func (r *resolver) checkSource(c environment.Component, def Definition, builtIn bool) {
	field := "components." + c.Name
	sources := sourceNames(c)
	switch {
	case len(sources) > 1:
		r.problems.add(c.Origin, field, "has %s: objects come from one source; keep one of them", strings.Join(sources, " and "))
	case builtIn && c.Chart == nil:
		r.problems.add(c.Origin, field, "has no chart: %s is built in, but where its chart comes from and its version are the fleet's to say; add\n"+
			"  %s:\n    chart: {repo: %s, version: X.Y.Z}", c.Name, c.Name, cmp.Or(def.Repo, "https://…"))
	case len(sources) == 0 && len(c.Objects) == 0 && !c.AllowEmpty:
		r.problems.add(c.Origin, field, "has neither chart, kustomization, manifests nor objects, and is not built in: "+
			"nothing would be applied; add one of them, or allowEmpty: true")
	}
	if c.Chart == nil && len(c.Values) > 0 && len(sources) == 1 {
		r.problems.add(c.Values[0].Origin, field+".values", "are read by a chart only, and this component comes from %s; use patches", sources[0])
	}
}

// sourceNames lists the sources that a component declares, by their field names.
func sourceNames(c environment.Component) []string {
	var names []string
	if c.Chart != nil {
		names = append(names, "chart")
	}
	if c.Kustomization != "" {
		names = append(names, "kustomization")
	}
	if c.Manifests != "" {
		names = append(names, "manifests")
	}
	return names
}

// checkNames reports components of one name: a split-off NAME-config beside one that the model declares.
func (r *resolver) checkNames() {
	for i := 1; i < len(r.drafts); i++ {
		a, b := r.drafts[i-1], r.drafts[i]
		if a.Name != b.Name {
			continue
		}
		field := "components." + a.Name
		if base, isConfig := strings.CutSuffix(a.Name, ConfigSuffix); isConfig && r.splitsOff(base) {
			r.problems.add(r.declaredAt(a.Name), field, "this name is taken by the objects of %s that need it running; choose another name", base)
			continue
		}
		r.problems.add(slices.MaxFunc([]environment.Origin{a.Origin, b.Origin}, environment.Origin.Compare), field, "declared twice; keep one")
	}
}

// splitsOff reports whether a built-in component of this name is in the environment and thus may own NAME-config.
func (r *resolver) splitsOff(name string) bool {
	_, builtIn := r.defs[name]
	return builtIn && slices.ContainsFunc(r.env.Components, func(c environment.Component) bool { return c.Name == name })
}

// declaredAt returns where the model declares the component.
func (r *resolver) declaredAt(name string) environment.Origin {
	i := slices.IndexFunc(r.env.Components, func(c environment.Component) bool { return c.Name == name })
	return r.env.Components[i].Origin
}

// needs settles the needs of every draft and returns the components.
func (r *resolver) needs() []Component {
	names := map[string]bool{}
	for _, d := range r.drafts {
		names[d.Name] = true
	}
	components := make([]Component, len(r.drafts))
	for i, d := range r.drafts {
		r.checkNeeds(d, names)
		d.Component.Needs = settle(d, names)
		components[i] = d.Component
	}
	return components
}

// checkNeeds reports needs of the model that cannot be met: on itself, twice, or on what the environment does not have.
func (r *resolver) checkNeeds(d draft, names map[string]bool) {
	field := "components." + d.Name + ".needs"
	for i, need := range d.declared {
		switch {
		case need == d.Name:
			r.problems.add(d.Origin, field, "%s needs itself: it would wait for ever; take the line out", need)
		case need == d.Name+ConfigSuffix && names[need]:
			r.problems.add(d.Origin, field, "%s needs %s running first: the need would be a cycle; take the line out", need, d.Name)
		case slices.Contains(d.declared[:i], need):
			r.problems.add(d.Origin, field, "%s stands there twice; keep one", need)
		case !names[need] && !r.failed[strings.TrimSuffix(need, ConfigSuffix)]:
			r.problems.add(d.Origin, field, "%s is no component of environment %s (it has %s); add it there, or take the need out",
				need, r.env.Name, strings.Join(r.namesOf(), ", "))
		}
	}
}

// namesOf lists the environment's components, sorted.
func (r *resolver) namesOf() []string {
	var names []string
	for _, d := range r.drafts {
		names = append(names, d.Name)
	}
	return slices.Compact(names)
}

// settle returns the needs that hold in this environment, sorted and each once.
func settle(d draft, names map[string]bool) []string {
	var needs []string
	for _, need := range slices.Concat(d.declared, d.wished) {
		if names[need] && need != d.Name {
			needs = append(needs, need)
		}
	}
	slices.Sort(needs)
	return slices.Compact(needs)
}
