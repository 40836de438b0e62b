package render

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// building serves one kustomize build at a time: kustomize keeps its OpenAPI schema in variables of its packages, which builds
// at once would change under each other (kubernetes-sigs/kustomize#4824).
var building sync.Mutex

// kustomization builds the kustomization in a folder of the model.
func (r *run) kustomization(name string) (rendering, error) {
	if r.in.Files == nil {
		return rendering{}, errors.New("building a kustomization: the model's folder was not given")
	}
	name = path.Clean(name)
	seen := &scan{files: r.in.Files}
	seen.folder(name, r.in.Component.Origin.String(), false)
	if err := errors.Join(seen.mistakes...); err != nil {
		return rendering{}, err
	}
	copied, err := copyFolders(r.in.Files, seen.folders)
	if err != nil {
		return rendering{}, fmt.Errorf("kustomization %s: copying: %w", name, err)
	}
	documents, err := build(copied, name, seen.setsOpenAPI)
	if err != nil {
		return rendering{}, fmt.Errorf("kustomization %s: building: %w", name, err)
	}
	return r.built(name, documents)
}

// built decodes what a build gave.
func (r *run) built(name string, documents []string) (rendering, error) {
	var found []located
	var mistakes []error
	for i, document := range documents {
		objects, err := r.decode(document, fmt.Sprintf("kustomization %s, object %d", name, i+1))
		found = append(found, objects...)
		mistakes = append(mistakes, err)
	}
	for i := range found {
		found[i].raw = i
	}
	return rendering{objects: found}, errors.Join(mistakes...)
}

// build runs kustomize and returns its objects as YAML documents.
func build(files filesys.FileSystem, name string, setsOpenAPI bool) ([]string, error) {
	building.Lock()
	defer building.Unlock()
	if setsOpenAPI {
		// Its schema would silently serve the next build (fluxcd/pkg#1237). Parsing the own one again is slow, so only here.
		defer openapi.ResetOpenAPI()
	}
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, name)
	if err != nil {
		return nil, err
	}
	var documents []string
	for _, object := range objects.Resources() {
		document, err := object.AsYAML()
		if err != nil {
			return nil, fmt.Errorf("printing %s: %w", object.CurId(), err)
		}
		documents = append(documents, string(document))
	}
	return documents, nil
}

// copyFolders returns the folders and what is below them in kustomize's kind of file system, which cannot leave it.
func copyFolders(files fs.FS, folders []string) (filesys.FileSystem, error) {
	copied := filesys.MakeFsInMemory()
	for _, folder := range folders {
		err := fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				return copied.MkdirAll(name)
			}
			data, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			return copied.WriteFile(name, data)
		})
		if err != nil {
			return nil, err
		}
	}
	return copied, nil
}

// isPlugin reports whether a document of generators, transformers or validators asks for a program: an exec or container
// function, or Helm.
func isPlugin(object manifest.Object) bool {
	functions := []string{"config.kubernetes.io/function", "config.k8s.io/function"}
	return object.String("kind") == "HelmChartInflationGenerator" ||
		slices.ContainsFunc(functions, func(key string) bool { return object.Annotation(key) != "" })
}
