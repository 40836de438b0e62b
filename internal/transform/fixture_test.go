package transform

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

var lab = Target{Environment: "lab", In: "cluster", Namespace: "argocd", Version: "3.2", RepoURL: "https://git.example.internal/fleet.git", Revision: "main", Path: "output/lab"}

// comp makes a component from its name and what it needs.
func comp(name string, needs ...string) component.Component {
	return component.Component{
		Name: name, Namespace: name, Needs: needs,
		Origin: environment.Origin{File: "lab.yaml", Line: 3, Column: 5},
	}
}

func with(c component.Component, other string) component.Component {
	c.With = other
	return c
}

func inWave(c component.Component, wave int) component.Component {
	c.Wave = &wave
	return c
}

// separator is what Helm splits documents at.
var separator = regexp.MustCompile(`(?:^|\s*\n)---\s*`)

// objects decodes documents separated by "---" lines.
func objects(t *testing.T, documents string) []manifest.Object {
	t.Helper()
	var out []manifest.Object
	for _, document := range separator.Split(documents, -1) {
		list, _, err := manifest.Decode([]byte(document))
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		out = append(out, list...)
	}
	return out
}

// bundles decodes one bundle a component, "name: documents" in the order given.
func bundles(t *testing.T, pairs ...string) []manifest.Bundle {
	t.Helper()
	var out []manifest.Bundle
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, manifest.Bundle{Name: pairs[i], Objects: objects(t, pairs[i+1])})
	}
	return out
}

// componentsOf makes a plain component for every bundle.
func componentsOf(list []manifest.Bundle) []component.Component {
	var out []component.Component
	for _, b := range list {
		out = append(out, comp(b.Name))
	}
	return out
}

// emit writes bundles as one text that a test can state: a "# name" line before each bundle's documents.
func emit(t *testing.T, list []manifest.Bundle) string {
	t.Helper()
	var out strings.Builder
	for _, b := range list {
		fmt.Fprintf(&out, "# %s\n", b.Name)
		for i, o := range b.Objects {
			if i > 0 {
				out.WriteString("---\n")
			}
			text, err := manifest.Emit(o)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(text)
		}
	}
	return out.String()
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func diff(t *testing.T, what, want, got string) {
	t.Helper()
	if want != got {
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}
