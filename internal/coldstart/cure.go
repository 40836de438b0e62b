package coldstart

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// change is one small change of the input, in words and as an edit of the one object that it touches, or of what is healthy.
type change struct {
	text   string
	edit   map[manifest.ID]func(manifest.Object) manifest.Object
	health func(manifest.Object) (*argocd.Health, error)
}

// cure returns the first of the small changes that lets an Application end well and makes nothing worse.
// Proofs of changes that were tried for another one are used again.
func (w *world) cure(o Outcome, before Proof, tried map[string]Proof) string {
	for _, c := range w.changes(o) {
		after, known := tried[c.text]
		if !known {
			after, _ = run(c.applied(w.in))
			tried[c.text] = after
			if w.in.brake.pulled() {
				return ""
			}
		}
		if cures(o, before, after) {
			return c.text
		}
	}
	return ""
}

func cures(o Outcome, before, after Proof) bool {
	for i, was := range before.Outcomes {
		now := after.Outcomes[i]
		if now.Application == o.Application && !now.Verdict.Good() || !now.Verdict.Good() && worse(now.Verdict, was.Verdict) {
			return false
		}
	}
	return true
}

// applied returns the input with the change made, wherever the object stands.
func (c change) applied(in Input) Input {
	if c.health != nil {
		in.Health = c.health
	}
	in.Applications = slices.Clone(in.Applications)
	for i, a := range in.Applications {
		destination := a.Object.String("spec", "destination", "namespace")
		a.Object = c.changed(a.Object, "")
		a.Objects = slices.Clone(a.Objects)
		for j, o := range a.Objects {
			a.Objects[j] = c.changed(o, destination)
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
	for target, edit := range c.edit {
		if target.Same(id) || target.Same(filled) {
			return edit(o)
		}
	}
	return o
}

// cureLength is how long a chain may be whose objects are moved in search of a cure: each pair of them is a change or two to prove.
const cureLength = 24

// changes lists what may cure an outcome, smallest first: the objects of its chain moved to the step that waits for them.
func (w *world) changes(o Outcome) []change {
	list := w.patient()
	if len(o.Chain) == 0 || o.Verdict.Good() {
		return list
	}
	waiting := w.find(o.Chain[firstReal(o.Chain)])
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
	if waiting != nil {
		list = append(list, options(waiting)...)
	}
	list = append(list, w.compared(o)...)
	for _, a := range w.named(o.Application) {
		if limit, _ := a.limit(); limit == 0 || len(a.failures)+len(a.moments) > 0 { // else it has not used up what it has
			list = append(list, retrying(a.in.Object.ID()))
		}
	}
	return list
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

// retrying lets an Application try for ever.
func retrying(target manifest.ID) change {
	edit := func(app manifest.Object) manifest.Object {
		return app.Set(int64(-1), "spec", "syncPolicy", "retry", "limit")
	}
	return change{text: "state retry.limit -1 in Application " + target.Name, edit: map[manifest.ID]func(manifest.Object) manifest.Object{target: edit}}
}

// firstReal returns the first link that names an object which is no Application.
func firstReal(chain []Link) int {
	i := slices.IndexFunc(chain, func(l Link) bool { return l.Object.Kind != "" && l.Object.Group != "argoproj.io" })
	return max(i, 0)
}

// mention names an object of an Application.
type mention struct {
	application string
	object      manifest.ID
}

// find returns what a link is about.
func (w *world) find(l Link) *node {
	if w.places == nil {
		w.places = make(map[mention]*node, len(w.all))
		for _, n := range slices.Backward(w.all) {
			w.places[mention{n.app.name, n.id}] = n
		}
	}
	return w.places[mention{l.Application, l.Object}]
}

// moves returns the ways to bring a provider to what waits for it: within one Application by wave and hook, between two by
// the wave of the provider's Application.
func (w *world) moves(provider, waits *node) []change {
	if provider.app == waits.app {
		return within(provider, waits)
	}
	waiting := waits.app
	if child := w.child(waits); child != nil {
		waiting = child
	}
	up, beside := siblings(provider.app, waiting)
	if up == nil || up.step == beside.step {
		return nil
	}
	wave := beside.app.steps[beside.step].Wave
	text := "move " + up.id.Kind + " " + up.id.Name + " to wave " + strconv.Itoa(wave) + " of " + up.app.name + ", that of " + beside.id.Name
	move := change{text: text, edit: map[manifest.ID]func(manifest.Object) manifest.Object{up.id: withWave(wave)}}
	both := change{
		text: text + ", with " + argocd.SkipDryRun + " on " + provider.id.String() + " and retry.limit -1",
		edit: map[manifest.ID]func(manifest.Object) manifest.Object{
			up.id: func(o manifest.Object) manifest.Object {
				return withWave(wave)(o).Set(int64(-1), "spec", "syncPolicy", "retry", "limit")
			},
			provider.id: func(o manifest.Object) manifest.Object { return argocd.WithSyncOptions(o, argocd.SkipDryRun) },
		},
	}
	return []change{move, both}
}

// within moves a provider into the step of what waits for it.
func within(provider, waits *node) []change {
	s := waits.stage()
	if provider.step == waits.step || provider == provider.app.maker || waits == waits.app.maker {
		return nil
	}
	edit := withWave(s.Wave)
	text := "move " + provider.id.String() + " to wave " + strconv.Itoa(s.Wave)
	if waits.app.steps[provider.step].Phase != s.Phase {
		text = "make " + provider.id.String() + " a " + string(s.Phase) + " hook of wave " + strconv.Itoa(s.Wave)
		edit = func(o manifest.Object) manifest.Object {
			return withWave(s.Wave)(o.Set(string(s.Phase), "metadata", "annotations", argocd.HookAnnotation))
		}
	}
	text += ", that of " + waits.id.String()
	lower := s.Wave - 1
	return []change{
		{text: text, edit: map[manifest.ID]func(manifest.Object) manifest.Object{provider.id: edit}},
		{
			text: "move " + provider.id.String() + " to wave " + strconv.Itoa(lower) + ", before " + waits.id.String(),
			edit: map[manifest.ID]func(manifest.Object) manifest.Object{provider.id: func(o manifest.Object) manifest.Object {
				return withWave(lower)(edit(o))
			}},
		},
	}
}

// siblings returns the two objects of one parent under which two Applications stand.
func siblings(a, b *app) (under, beside *node) {
	for x := a; x.parent != nil; x = x.parent.app {
		for y := b; y.parent != nil; y = y.parent.app {
			if x.parent.app == y.parent.app {
				return x.parent, y.parent
			}
		}
	}
	return nil, nil
}

// options returns the sync options that may cure an object by itself.
func options(n *node) []change {
	with := func(option string) change {
		return change{
			text: "add " + option + " to " + n.id.String(),
			edit: map[manifest.ID]func(manifest.Object) manifest.Object{n.id: func(o manifest.Object) manifest.Object { return argocd.WithSyncOptions(o, option) }},
		}
	}
	return []change{with(argocd.ServerSide), with(argocd.SkipDryRun)}
}

func withWave(wave int) func(manifest.Object) manifest.Object {
	return func(o manifest.Object) manifest.Object {
		return o.Set(strconv.Itoa(wave), "metadata", "annotations", argocd.WaveAnnotation)
	}
}
