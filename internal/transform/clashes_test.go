package transform

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

func TestClashes(t *testing.T) {
	serve := func(env, hub string, names ...string) Served {
		apps := &Applications{Root: argocd.Application{Name: env + "-root"}}
		for _, name := range names {
			apps.Children = append(apps.Children, argocd.Application{Name: name})
		}
		return Served{env, hub, apps}
	}
	tests := map[string]struct {
		fleet []Served
		want  string
	}{
		"none":           {fleet: []Served{serve("a", "hub", "a-b"), serve("b", "hub", "b-b"), {Environment: "c"}}},
		"different hubs": {fleet: []Served{serve("a", "one", "x"), serve("b", "two", "x")}},
		"one name from two splits": {
			fleet: []Served{serve("a-b", "hub", "a-b-c"), serve("a", "hub", "a-b-c", "a-a"), serve("hub", "hub", "a-a")},
			want: "naming Applications: a-a would be an Application of environments a and hub in one Argo CD; rename a component or an environment\n" +
				"naming Applications: a-b-c would be an Application of environments a and a-b in one Argo CD; rename a component or an environment",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { diff(t, "error", tt.want, text(Clashes(tt.fleet))) })
	}
}
