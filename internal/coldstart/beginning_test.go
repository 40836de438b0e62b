package coldstart

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestHome states in which namespace Argo CD runs, as Applications tell.
func TestHome(t *testing.T) {
	app := func(namespace, name string, objects ...manifest.Object) Application {
		return Application{Object: plain("argoproj.io/v1alpha1", "Application", namespace, name, map[string]any{"destination": map[string]any{"namespace": "tools"}}), Objects: objects}
	}
	controller := plain("apps/v1", "StatefulSet", "", "argocd-application-controller", map[string]any{"template": map[string]any{"spec": map[string]any{
		"containers": []any{map[string]any{"name": "c", "image": "quay.io/argoproj/argocd:v3.2.11", "args": []any{"/usr/local/bin/argocd-application-controller"}}},
	}}})
	itself, west := app("cd", "root"), app("argocd", "west", controller)
	west.Object = west.Object.Set("https://west.example.com", "spec", "destination", "server")
	for name, tt := range map[string]struct {
		apps []Application
		want string
	}{
		"where all Applications are":                  {[]Application{app("cd", "a"), app("cd", "b")}, "cd"},
		"where those are that a person applies":       {[]Application{app("cd", "a", app("team", "b").Object), app("team", "b")}, "cd"},
		"in two namespaces, nobody knows":             {[]Application{app("cd", "a"), app("team", "b")}, ""},
		"of which one is the usual":                   {[]Application{app("argocd", "a"), app("team", "b")}, "argocd"},
		"where its controller goes":                   {[]Application{app("argocd", "a"), app("tools", "b", controller)}, "tools"},
		"not where another cluster's goes":            {[]Application{west, app("tools", "b")}, "argocd"},
		"where an Application is that applies itself": {[]Application{app("cd", "root", itself.Object, app("team", "b").Object), app("team", "b")}, "cd"},
	} {
		if got := Home(tt.apps); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
