package generators

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// find returns the component of this name as the model declares it.
func find(env *environment.Environment, name string) (environment.Component, bool) {
	i := slices.IndexFunc(env.Components, func(c environment.Component) bool { return c.Name == name })
	if i < 0 {
		return environment.Component{}, false
	}
	return env.Components[i], true
}

// has reports whether the environment runs the component.
func has(env *environment.Environment, name string) bool {
	_, ok := find(env, name)
	return ok
}

// namespaceOf returns the namespace of a component: the model's, or the definition's own.
func namespaceOf(env *environment.Environment, def component.Definition) string {
	c, _ := find(env, def.Name)
	return cmp.Or(c.Namespace, def.Namespace)
}

// chosen returns the value that the model's layers give a component at path, or nil. Definitions read it where a fact alone
// does not decide: a person's choice wins, and what hangs on it must follow.
func chosen(env *environment.Environment, name string, path ...string) any {
	c, _ := find(env, name)
	return manifest.New(component.Merge(c.Values)).Get(path...)
}

// isOn returns the boolean that the model chose at path, or otherwise where it chose none.
func isOn(env *environment.Environment, name string, otherwise bool, path ...string) bool {
	if on, ok := chosen(env, name, path...).(bool); ok {
		return on
	}
	return otherwise
}

// claimed returns an error for every layer that sets a value which repeats a fact: such a flag is a claim about the
// surroundings, and travels to places where it is false.
func claimed(env *environment.Environment, name, fact, reason string, path ...string) []error {
	c, _ := find(env, name)
	keys := make([]any, len(path))
	for i, key := range path {
		keys[i] = key
	}
	dotted := environment.PathString(keys...)
	var errs []error
	for _, layer := range c.Values {
		if manifest.New(layer.Tree).Get(path...) == nil {
			continue
		}
		at, ok := layer.Positions[dotted]
		if !ok {
			at = layer.Origin
		}
		errs = append(errs, mistake(at, "components."+name+".values."+dotted, "is decided by %s, %s; take the line out and state the fact", fact, reason))
	}
	return errs
}

// mistake returns the error for a field of the model.
func mistake(at environment.Origin, field, format string, args ...any) error {
	return environment.Mistake{Origin: at, Field: field, Message: fmt.Sprintf(format, args...)}
}

// wrongFact returns the error for a fact that cannot hold here, at the place where it is stated.
func wrongFact(env *environment.Environment, fact, format string, args ...any) error {
	at, ok := env.Positions[fact]
	if !ok {
		at = environment.Origin{Layer: "environment " + env.Name, File: env.File, Line: 1, Column: 1}
	}
	return mistake(at, fact, format, args...)
}

// atLeast reports whether the component's chart is of this version or newer. A chart without an exact version, from git or a
// folder, counts as new.
func atLeast(env *environment.Environment, name, version string) bool {
	c, _ := find(env, name)
	if c.Chart == nil {
		return true
	}
	has, err := semver.NewVersion(c.Chart.Version)
	if err != nil {
		return true
	}
	return !has.LessThan(semver.MustParse(version))
}

// object returns a Kubernetes object. An empty namespace means a cluster-scoped one.
func object(apiVersion, kind, namespace, name string, spec map[string]any) manifest.Object {
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	return manifest.New(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata, "spec": spec})
}

// atRunTime marks an object whose kind an operator registers only once it runs: without the mark, Argo CD's dry run of the
// whole sync fails as long as the kind is unknown (seen on 3.2.11).
func atRunTime(o manifest.Object) manifest.Object {
	return o.Set(argocd.SkipDryRun, "metadata", "annotations", argocd.SyncOptionsAnnotation)
}

// list returns strings as a decoded list.
func list[S ~string](items ...S) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = string(item)
	}
	return out
}
