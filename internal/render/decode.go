package render

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// located is an object and where it comes from.
type located struct {
	object manifest.Object
	source string // "argo-cd/templates/service.yaml, document 2", or a place in the model
	raw    int    // its position among what was rendered; -1 for what the model adds
}

func objectsOf(found []located) []manifest.Object {
	objects := make([]manifest.Object, len(found))
	for i, one := range found {
		objects[i] = one.object
	}
	return objects
}

// file is a stream of documents. Templates print rendered ones, which Helm cuts in its own way.
type file struct {
	name     string
	content  string
	rendered bool
}

// decodeFiles decodes the documents of files, in the order of their names.
func (r *run) decodeFiles(files []file) ([]located, error) {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var found []located
	var mistakes []error
	for _, f := range files {
		documents := splitYAML(f.content)
		if f.rendered {
			documents = split(f.content)
		}
		for i, document := range documents {
			if isBlank(document) {
				continue
			}
			objects, err := r.decode(document, fmt.Sprintf("%s, document %d", f.name, i+1))
			found = append(found, objects...)
			mistakes = append(mistakes, err)
		}
	}
	for i := range found {
		found[i].raw = i
	}
	return found, errors.Join(mistakes...)
}

// isBlank reports whether a document holds nothing but comments (licences, templates that are switched off) or directives.
func isBlank(document string) bool {
	for line := range strings.Lines(document) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line[0] != '%' {
			return false
		}
	}
	return true
}

// decoded is what one document holds.
type decoded struct {
	objects  []manifest.Object
	warnings []string
}

// decode decodes one document; source says where it stands.
func (r *run) decode(document, source string) ([]located, error) {
	got, err := r.renderer.decode(document)
	if err != nil {
		return nil, placed(source, err)
	}
	for _, warning := range got.warnings {
		r.notice(Notice{Topic: TopicYAML, Source: source, Message: warning})
	}
	var found []located
	for _, object := range got.objects {
		found = append(found, located{object: object, source: source})
	}
	return found, nil
}

// placed puts a document's place before each of its mistakes.
func placed(source string, err error) error {
	joined, many := err.(interface{ Unwrap() []error })
	if !many {
		return fmt.Errorf("%s: %w", source, err)
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, placed(source, one))
	}
	return errors.Join(all...)
}

// decode decodes one document and checks that it names objects. Equal documents share their objects.
func (r *Renderer) decode(document string) (decoded, error) {
	return r.documents.get(sha256.Sum256([]byte(document)), len(document), func() (decoded, error) {
		objects, warnings, err := manifest.Decode([]byte(document))
		if err != nil {
			return decoded{}, err
		}
		mistakes := make([]error, len(objects))
		for i, object := range objects {
			mistakes[i] = checkIdentity(object)
		}
		return decoded{objects: objects, warnings: warnings}, errors.Join(mistakes...)
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
