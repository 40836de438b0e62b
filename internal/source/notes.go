package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// repeated is a note that is said of many.
type repeated struct{ form, what string }

// The forms, filled with what is said, and of whom.
const (
	setNote      = "ApplicationSet %[2]s: %[1]s"
	templateNote = "%[2]s %[1]s: templates that speak of Argo CD, not looked at unless an Application, or --root, renders the chart"
)

// said keeps a note that is said of somebody.
func (l *loader) said(form, what, of string) {
	key := repeated{form, what}
	if !slices.Contains(l.repeated[key], of) {
		l.repeated[key] = append(l.repeated[key], of)
	}
}

// maxNamed is how many a note names of those that it is said of.
const maxNamed = 4

// repeatedNotes writes each note once, with those that it is said of.
func (l *loader) repeatedNotes() []string {
	var notes []string
	for note, of := range l.repeated {
		slices.Sort(of)
		names := strings.Join(of[:min(len(of), maxNamed)], ", ")
		if more := len(of) - maxNamed; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		notes = append(notes, manifest.Visible(fmt.Sprintf(note.form, note.what, names)))
	}
	return notes
}
