package generators

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
)

// What gen init writes names built-in components: their definitions must be content with its facts.
func TestStarterResolves(t *testing.T) {
	envs, err := environment.Load(environment.Starter(), environment.Options{Known: component.Known(All())})
	if err != nil {
		t.Fatal(err)
	}
	if len(envs) == 0 {
		t.Fatal("the starter has no environment")
	}
	for _, env := range envs {
		if _, err := component.Resolve(env, All()); err != nil {
			t.Errorf("%s:\n%v", env.Name, err)
		}
	}
}
