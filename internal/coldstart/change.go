package coldstart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// edit returns an object as a change leaves it.
type edit = func(manifest.Object) manifest.Object

// change is one small change of the input: in words, and as edits of the objects that it touches, as objects that are added, or as
// another way to tell what is healthy.
type change struct {
	text   string
	size   int // how much it changes: the smallest are tried first
	edits  map[manifest.ID]edit
	added  map[manifest.ID]manifest.Object // by Application
	health func(manifest.Object) (*argocd.Health, error)
}

// small is a change of one object.
func small(text string, target manifest.ID, how edit) change {
	return change{text: text, size: 1, edits: map[manifest.ID]edit{target: how}}
}

// applied returns the input with the change made, wherever the object stands.
func (c change) applied(in Input) Input {
	if c.health != nil {
		in.Health = c.health
	}
	in.Projects = slices.Clone(in.Projects)
	for i, p := range in.Projects {
		in.Projects[i] = c.changed(p, "")
	}
	in.Applications = slices.Clone(in.Applications)
	for i, a := range in.Applications {
		id, destination := a.Object.ID(), a.Object.String("spec", "destination", "namespace")
		a.Object = c.changed(a.Object, "")
		a.Objects = slices.Clone(a.Objects)
		for j, o := range a.Objects {
			a.Objects[j] = c.changed(o, destination)
		}
		if o, more := c.added[id]; more {
			a.Objects = append(a.Objects, o)
		}
		in.Applications[i] = a
	}
	return in
}

// changed returns the object as the change leaves it; one without namespace may be known by that of its destination.
func (c change) changed(o manifest.Object, destination string) manifest.Object {
	id := o.ID()
	filled := id
	if filled.Namespace == "" {
		filled.Namespace = destination
	}
	for target, how := range c.edits {
		if target.Same(id) || target.Same(filled) {
			return how(o)
		}
	}
	return o
}

// words joins the texts of changes that are made together.
func words(changes []change) string {
	var texts []string
	for _, c := range changes {
		texts = append(texts, c.text)
	}
	return strings.Join(texts, "; and ")
}

// changes lists what may cure an outcome, smallest first: settings of the Applications of its chain; what waits and what it waits for
// brought into another order; options of the objects.
func (w *world) changes(o Outcome) []change {
	list := w.patient()
	if len(o.Chain) == 0 || o.Verdict.Good() {
		return list
	}
	list = append(list, w.settings(o)...)
	for i := len(o.Chain) - 1; i > 0 && len(o.Chain) <= cureLength; i-- {
		provider := w.find(o.Chain[i])
		if provider == nil || provider.applied || o.Chain[i].Text == closes {
			continue
		}
		for j := 0; j < i; j++ {
			if waits := w.find(o.Chain[j]); waits != nil {
				list = append(list, w.moves(provider, waits)...)
			}
		}
	}
	for _, l := range o.Chain {
		if n := w.find(l); n != nil {
			list = append(list, w.options(n)...)
		}
	}
	list = append(list, w.compared(o)...)
	return smallestFirst(list)
}

// smallestFirst sorts changes by size, and leaves out those that are there already.
func smallestFirst(list []change) []change {
	known := map[string]bool{}
	list = slices.DeleteFunc(list, func(c change) bool {
		again := known[c.text]
		known[c.text] = true
		return again
	})
	slices.SortStableFunc(list, func(a, b change) int { return a.size - b.size })
	return list
}

// cureLength is how long a chain may be whose objects are moved in search of a cure: each pair of them is a few changes to prove.
const cureLength = 24

// firstReal returns the first link that names an object which is no Application.
func firstReal(chain []Link) int {
	i := slices.IndexFunc(chain, func(l Link) bool { return l.Object.Kind != "" && l.Object.Group != argoGroup })
	return max(i, 0)
}

// mention names an object of an Application.
type mention struct {
	application string
	object      manifest.ID
}

// find returns the object that a link is about. An Application that is spoken of as such is the object that makes it.
func (w *world) find(l Link) *node {
	if w.places == nil {
		w.places = make(map[mention]*node, len(w.all))
		for _, n := range slices.Backward(w.all) {
			w.places[mention{n.app.name, n.id}] = n
		}
	}
	if n := w.places[mention{l.Application, l.Object}]; n != nil {
		return n
	}
	if a := w.spoken(l); a != nil {
		return a.parent
	}
	return nil
}

// named returns the Applications of a name.
func (w *world) named(name string) []*app {
	at, _ := slices.BinarySearchFunc(w.apps, name, func(a *app, name string) int { return cmp.Compare(a.name, name) })
	end := at
	for end < len(w.apps) && w.apps[end].name == name {
		end++
	}
	return w.apps[at:end]
}

// spoken returns the Application that a link is about, or nil.
func (w *world) spoken(l Link) *app {
	for _, a := range w.apps {
		if a.name == l.Application && a.in.Object.ID() == l.Object {
			return a
		}
		if n := a.parent; n != nil && n.app.name == l.Application && n.id == l.Object && w.child(n) == a {
			return a
		}
	}
	return nil
}
