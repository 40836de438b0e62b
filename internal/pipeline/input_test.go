package pipeline

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
)

// An ownership record's input changes with what a person says, and not with the line that it stands in.
func TestInputHashKnowsNoPlaces(t *testing.T) {
	hash := func(line, replicas int64) string {
		at := environment.Origin{File: "environments/lab.yaml", Line: int(line), Column: 3}
		c := component.Component{
			Name:    "web",
			Patches: []environment.Patch{{Target: environment.Selector{Kind: "Deployment", Origin: at}, Merge: map[string]any{"replicas": replicas}, Origin: at}},
			Remove:  []environment.Selector{{Kind: "Service", Origin: at}},
		}
		sum, err := inputHash([]Rendered{{Component: c}}, "web")
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	if hash(1, 2) != hash(9, 2) {
		t.Error("a line further down changed the input")
	}
	if hash(1, 2) == hash(1, 3) {
		t.Error("another patch left the input as it was")
	}
}
