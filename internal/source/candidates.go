package source

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// unread is a file that speaks of Applications and cannot be read, and why.
type unread struct{ file, why string }

// speaks finds a document that means to be one of Argo CD's own objects.
var speaks = regexp.MustCompile(`(?m)^[ \t]*["']?kind["']?:[ \t]*["']?(Application|ApplicationSet|AppProject)["']?[ \t\r]*(#.*)?$`)

// candidates returns the objects of a file that speaks of Argo CD; of a file that is no list of objects, none. A template or a values
// file is none, and is nobody's mistake. With an error about what it holds comes what it holds.
func (l *loader) candidates(name string) ([]manifest.Object, []byte, error) {
	if info, err := fs.Stat(l.fsys, name); err != nil || !info.Mode().IsRegular() {
		return nil, nil, nil // a link that leads nowhere, or out of the folder
	}
	data, err := readFile(l.fsys, name)
	if err != nil {
		return nil, nil, err
	}
	if text := string(data); !strings.Contains(text, argoGroup) && !strings.Contains(text, argocd.ConfigMapName) && !strings.Contains(text, argocd.HealthKeyPrefix) {
		return nil, nil, nil
	}
	objects, err := decode(data)
	if err == nil {
		return objects, data, nil
	}
	if settings := settingsIn(data); len(settings) > 0 {
		return settings, data, nil
	}
	return nil, data, err
}

// blame keeps in mind that a file cannot be read which means to hold Argo CD's objects.
func (l *loader) blame(name string, data []byte, err error) {
	switch {
	case isKustomization(name):
	case !bytes.Contains(data, []byte(argoGroup)) || !speaks.Match(data) || errors.Is(err, errNoKind) && !isSpoken(data):
		if !errors.Is(err, errNoKind) && !bytes.Contains(data, []byte("{{")) && !l.kustomized(name) {
			l.note("%s mentions Argo CD and cannot be read: %v", name, err)
		}
	case bytes.Contains(data, []byte("{{")) || l.inChart(name):
		l.said(templateNote, "in "+path.Dir(name), path.Base(name))
	case bytes.Contains(data, []byte(skipMark)):
	default:
		l.broken = append(l.broken, unread{name, manifest.Visible(fmt.Sprintf("%s: it holds Argo CD's objects and cannot be read: %v", name, err))})
	}
}

// isSpoken reports whether a document is itself one of Argo CD's own objects. One that holds such objects somewhere and has no kind is a
// values file.
func isSpoken(data []byte) bool {
	return slices.ContainsFunc(speaks.FindAllSubmatchIndex(data, -1), func(at []int) bool { return data[at[0]] != ' ' && data[at[0]] != '\t' })
}

// isPatch reports whether an object lacks what an Application must have, beside a kustomization that may lay it over a whole one.
func (l *loader) isPatch(file string, o manifest.Object) bool {
	whole := o.Map("spec", "destination") != nil && (o.Get("spec", "source") != nil || o.Get("spec", "sources") != nil || o.Get("spec", "sourceHydrator") != nil)
	return o.ID().Kind == "Application" && !whole && l.kustomized(file)
}

// refused returns what is wrong with files and Applications that a person applies: the API server takes none of them.
func (l *loader) refused() []error {
	var errs []error
	for _, u := range l.broken {
		if l.byHand(u.file) {
			errs = append(errs, errors.New(u.why))
		}
	}
	for _, a := range l.sorted() {
		if a.File == "" || l.made[named(a.Object)] {
			continue
		}
		for _, m := range argocd.Mistakes(a.Object) {
			errs = append(errs, errors.New(l.mistake(a.File, a.Object, m)+": the API server refuses it"))
		}
	}
	return errs
}
