package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// readAll finds what each Application applies, and what the Applications and ApplicationSets among that apply in turn.
func (l *loader) readAll() error {
	l.made = map[manifest.ID]bool{}
	var errs []error
	for l.more() && !l.stopped() {
		a := l.queue[0]
		l.queue = l.queue[1:]
		if err := l.read(a); err != nil {
			errs = append(errs, fmt.Errorf("Application %s: %w", manifest.Visible(a.Object.ID().Name), err))
		}
		for _, o := range a.Objects {
			if _, ok := argocd.Registers(o); ok {
				l.clusters = append(l.clusters, foundSet{o, ""})
			}
		}
		for _, o := range a.Objects {
			l.bring(a, o)
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// more reports whether Applications wait to be read. Once none does, ApplicationSets in files count that nobody applies otherwise.
func (l *loader) more() bool {
	for len(l.queue) == 0 && len(l.sets) > 0 {
		next := l.sets[0]
		l.sets = l.sets[1:]
		switch id := named(next.object); {
		case l.made[id] || !l.byHand(next.file):
		case l.handed[id] != "":
			l.note("ApplicationSet %s stands in more than one file: that of %s was taken; --root names another", id.Name, l.handed[id])
		default:
			l.handed[id] = next.file
			l.generate(nil, next.object)
		}
	}
	return len(l.queue) > 0
}

// bring enters an Application or an ApplicationSet that an Application applies. What is applied counts, not what stands in the
// file that it was made from.
func (l *loader) bring(parent *Application, o manifest.Object) {
	id := o.ID()
	if id.Group != argoGroup {
		return
	}
	if to := parent.Object.String("spec", "destination", "namespace"); id.Namespace == "" && to != "" {
		o = o.Set(to, "metadata", "namespace")
	}
	switch id.Kind {
	case "Application":
		l.replace(&Application{Object: o})
	case "ApplicationSet":
		l.made[named(o)] = true
		l.generate(parent, o)
	}
}

// replace enters an Application that something makes, in the place of the one that was found in a file.
func (l *loader) replace(a *Application) {
	id := named(a.Object)
	old := l.found[id]
	switch {
	case old == nil:
		l.add(a)
	case !l.made[id]:
		again := !sameSpec(old.Object, a.Object)
		old.Object, old.Generator = a.Object, a.Generator
		if again && !slices.Contains(l.queue, old) {
			old.Objects, old.Unknown, old.Broken = nil, nil, nil
			l.queue = append(l.queue, old)
		}
	}
	l.made[id] = true
}

// dropBases forgets Applications in files that a tool has rendered into others, or that an Application applies into another namespace:
// nobody applies the files themselves.
func (l *loader) dropBases() {
	for id, a := range l.found {
		if a.File != "" && !l.made[id] && !slices.ContainsFunc(a.files, l.byHand) {
			delete(l.found, id)
		}
	}
}
