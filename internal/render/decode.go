package render

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// located is an object and where it comes from.
type located struct {
	object manifest.Object
	source string // "argo-cd/templates/service.yaml, document 2", or a place in the model
}

func objectsOf(found []located) []manifest.Object {
	objects := make([]manifest.Object, len(found))
	for i, one := range found {
		objects[i] = one.object
	}
	return objects
}

// decodeFiles decodes the documents of files, sorted by file.
func (r *run) decodeFiles(files map[string]string) ([]located, error) {
	var found []located
	var mistakes []error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.TrimSpace(files[name]) == "" {
			continue
		}
		for i, document := range split(files[name]) {
			source := fmt.Sprintf("%s, document %d", name, i+1)
			object, err := r.renderer.decode(document)
			if err != nil {
				mistakes = append(mistakes, fmt.Errorf("%s: %w", source, err))
				continue
			}
			if !object.IsZero() {
				found = append(found, located{object: object, source: source})
			}
		}
	}
	return found, errors.Join(mistakes...)
}

// decode decodes one document and checks that it names an object. Equal documents give one shared object.
func (r *Renderer) decode(document string) (manifest.Object, error) {
	return r.documents.get(sha256.Sum256([]byte(document)), len(document), func() (manifest.Object, error) {
		object, err := manifest.Decode([]byte(document))
		if err != nil || object.IsZero() {
			return manifest.Object{}, err
		}
		return object, checkIdentity(object)
	})
}

// checkIdentity returns an error for an object that no cluster could store under a name.
func checkIdentity(object manifest.Object) error {
	var mistakes []error
	for _, field := range [][]string{{"apiVersion"}, {"kind"}} {
		if object.String(field...) == "" {
			mistakes = append(mistakes, fmt.Errorf("%s: missing: every object states it", field[0]))
		}
	}
	switch {
	case object.String("metadata", "name") != "":
	case object.String("metadata", "generateName") != "":
		mistakes = append(mistakes, errors.New("metadata.generateName: a new object at every sync, which nothing can compare or remove: give it a metadata.name by a patch, or remove it"))
	default:
		mistakes = append(mistakes, errors.New("metadata.name: missing: every object states it"))
	}
	return errors.Join(mistakes...)
}
