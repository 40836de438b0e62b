package coldstart

import "slices"

// breakCircles lets a person apply one Application of each circle of Applications that create each other, since nobody else can
// begin: one that stands in a file which no Application applies, else the first by name.
func (w *world) breakCircles() {
	for _, first := range []bool{true, false} {
		for _, a := range w.apps {
			if a.in.Applied == first && slices.Contains(creators(a), a) {
				a.parent, a.circle = nil, a.parent.app.name
			}
		}
	}
}

// creators returns the Application that creates one, the one that creates that, and so on, each once.
func creators(a *app) []*app {
	var list []*app
	for at := a; at.parent != nil && !slices.Contains(list, at.parent.app); at = at.parent.app {
		list = append(list, at.parent.app)
	}
	return list
}
