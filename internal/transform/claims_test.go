package transform

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestClaimTemplates completes what the API server would complete, and nothing else.
func TestClaimTemplates(t *testing.T) {
	tests := map[string]struct{ group, given, want string }{
		"bare":          {"apps", "{metadata: {name: data}}", "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}"},
		"half":          {"apps", "{kind: PersistentVolumeClaim, metadata: {name: data}}", "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}"},
		"whole":         {"apps", "{apiVersion: v1, kind: PersistentVolumeClaim}", "{apiVersion: v1, kind: PersistentVolumeClaim}"},
		"what it says":  {"apps", "{apiVersion: v2, metadata: {name: data}}", "{apiVersion: v2, kind: PersistentVolumeClaim, metadata: {name: data}}"},
		"another group": {"example.internal", "{metadata: {name: data}}", "{metadata: {name: data}}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set := func(template string) []manifest.Bundle {
				return []manifest.Bundle{{Name: "a", Objects: objects(t, "apiVersion: "+test.group+"/v1\nkind: StatefulSet\nmetadata: {name: a, namespace: a}\nspec: {volumeClaimTemplates: ["+template+"]}")}}
			}
			given := set(test.given)
			if got, want := emit(t, ClaimTemplates(given)), emit(t, set(test.want)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if emit(t, given) != emit(t, set(test.given)) {
				t.Error("the object that was given has changed")
			}
		})
	}
}
