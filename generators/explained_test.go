package generators

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// A value that differs between two environments of the same components is decided by a fact, and explain can name it.
func TestValuesNameTheirFact(t *testing.T) {
	bare := func(env *environment.Environment) { env.Facts.LoadBalancer, env.Facts.FrontProxy = nil, nil }
	elsewhere := func(env *environment.Environment) { env.Facts.Domain = "elsewhere.example.com" }
	envs := []*environment.Environment{lab(), prod(), lab(bare), lab(elsewhere)}
	for _, def := range All() {
		seen := map[string]map[string]bool{}
		explained := map[string]bool{}
		for i, env := range envs {
			parts, err := def.Build(env)
			if err != nil {
				t.Fatal(err)
			}
			for path, value := range stated(t, parts) {
				if seen[path] == nil {
					seen[path] = map[string]bool{}
				}
				seen[path][fmt.Sprint(value)] = true
				if i == 0 {
					explained[path] = decided(parts, path)
				}
			}
			for value := range parts.DecidedBy {
				path, err := environment.ParsePath(value)
				if err != nil || manifest.New(parts.Values).Get(names(path)...) == nil {
					t.Errorf("%s: DecidedBy names %s, which is none of its values (%v)", def.Name, value, err)
				}
			}
		}
		for path, values := range seen {
			if len(values) > 1 && !explained[path] {
				t.Errorf("%s: %s takes the values %v, and no fact is named that decides it", def.Name, path, slices.Sorted(maps.Keys(values)))
			}
		}
	}
}

// stated lists the values of a definition by their paths.
func stated(t *testing.T, parts component.Parts) map[string]any {
	t.Helper()
	values := map[string]any{}
	if len(parts.Values) == 0 {
		return values
	}
	steps, err := environment.Explain([]environment.Values{{Tree: parts.Values}}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		values[s.Path] = s.Value
	}
	return values
}

// decided reports whether the path, or one above it, names its fact.
func decided(parts component.Parts, path string) bool {
	parsed, _ := environment.ParsePath(path)
	for end := range len(parsed) {
		if parts.DecidedBy[environment.PathString(parsed[:end+1]...)] != "" {
			return true
		}
	}
	return false
}

func names(path []any) []string {
	out := make([]string, len(path))
	for i, p := range path {
		out[i], _ = p.(string)
	}
	return out
}
