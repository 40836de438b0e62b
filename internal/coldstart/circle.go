package coldstart

// breakCircles lets a person apply one Application of each circle of Applications that create each other, since nobody else can
// begin: one that stands in a file which no Application applies, else the first by name.
func (w *world) breakCircles() {
	circle := w.circles()
	broken := map[*app]bool{}
	for _, first := range []bool{true, false} {
		for _, a := range w.apps {
			if at := circle[a]; at != nil && !broken[at] && a.in.Applied == first {
				broken[at] = true
				a.parent, a.circle = nil, a.parent.app.name
			}
		}
	}
}

// circles finds the Applications that create themselves, through others or not: for each one that stands for its circle.
func (w *world) circles() map[*app]*app {
	circle, walk := map[*app]*app{}, map[*app]int{}
	for i, a := range w.apps {
		at := a
		for ; at != nil && walk[at] == 0; at = at.creator() {
			walk[at] = i + 1
		}
		if at == nil || walk[at] != i+1 {
			continue // it ends, or comes to where a walk has been before
		}
		for circle[at] = at; circle[at.creator()] == nil; at = at.creator() {
			circle[at.creator()] = circle[at]
		}
	}
	return circle
}

// creator returns the Application that creates one; nil where none does.
func (a *app) creator() *app {
	if a.parent == nil {
		return nil
	}
	return a.parent.app
}

// measure says how deep each Application stands below the one that a person applies, which stands at 1.
func (w *world) measure() {
	for _, a := range w.apps {
		above := 0
		for at := a; at != nil; at = at.creator() {
			if at.depth > 0 {
				above += at.depth
				break
			}
			above++
		}
		for at := a; at != nil && at.depth == 0; at = at.creator() {
			at.depth, above = above, above-1
		}
	}
}
