package source

import (
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Question is a template that makes something only where the cluster serves an API, which an empty one does not.
type Question struct{ Template, API string }

// The notes on such templates, filled with the API, and with the templates.
const (
	laterNote = "%[1]s is served only once the start has brought its CRD: what templates that ask for it make then appears when Argo CD renders them again, and is not looked at: %[2]s"
	neverNote = "%[1]s is served by nothing in the folder: what templates that ask for it make where it is served is not looked at: %[2]s"
)

// asked keeps the questions of a chart.
func (l *loader) asked(dir string, questions []Question) {
	for _, q := range questions {
		q.Template = path.Join(dir, q.Template)
		if !slices.Contains(l.questions, q) {
			l.questions = append(l.questions, q)
		}
	}
}

// askedNotes says which templates make something of APIs that an empty cluster does not serve.
func (l *loader) askedNotes() {
	brought := map[string]bool{}
	for _, a := range l.found {
		for _, o := range a.Objects {
			for _, api := range apis(o) {
				brought[api] = true
			}
		}
	}
	for _, q := range l.questions {
		form := neverNote
		if brought[q.API] {
			form = laterNote
		}
		l.said(form, q.API, q.Template)
	}
}

// apis are what a CRD makes the cluster serve, as templates ask for it: group/version and group/version/Kind.
func apis(o manifest.Object) []string {
	if id := o.ID(); id.Group != "apiextensions.k8s.io" || id.Kind != "CustomResourceDefinition" {
		return nil
	}
	group, kind := o.String("spec", "group"), o.String("spec", "names", "kind")
	var list []string
	for _, item := range o.List("spec", "versions") {
		if v := manifest.New(mapOf(item)); v.Get("served") == true {
			at := strings.Join([]string{group, v.String("name")}, "/")
			list = append(list, at, at+"/"+kind)
		}
	}
	return list
}
