package component

import (
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Artifact is something derived from a whole environment once its objects are final: files that Argo CD does not read.
type Artifact struct {
	Name string // its folder below output/<env>/, never apps or components
	Doc  string // one sentence: what it is for
	// Build is pure. It returns no files where the environment has no use for them, and every problem joined.
	Build func(Finished) ([]File, error)
}

// Finished is one environment after the last stage, for reading only.
type Finished struct {
	Environment    *environment.Environment
	Components     []Component                         // sorted by name
	Bundles        []manifest.Bundle                   // final objects, by component
	Root           argocd.Application                  // zero where no Argo CD serves the environment
	Applications   []argocd.Application                // one a component, by wave, then by name
	HealthFragment string                              // argocd-cm with the health scripts, where no component brings one; below output/<env>/
	FileOf         func(manifest.Object) string        // name of an object's file in its component's folder
	FolderOf       func(component string) (dir string) // folder of a component below output/<env>/
}

// File is one file of an Artifact, by its path below the Artifact's folder.
type File struct {
	Name string
	Data []byte
}
