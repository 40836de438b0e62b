package coldstart

import (
	"slices"
	"strconv"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

const argoGroup = "argoproj.io"

// moves returns the ways to bring what waits and what it waits for into an order in which it need not wait: within one Application by
// wave and hook, between two by what stands for them in the Application above both.
func (w *world) moves(provider, waits *node) []change {
	late, early := meet(provider, waits)
	switch {
	case late == nil || late.step <= early.step || early == early.app.maker:
		return nil
	case late.stage().Phase != early.stage().Phase:
		return w.phases(late, early)
	}
	list := []change{
		w.moved(late, early.stage().Wave, thatOf(early)), w.moved(late, early.stage().Wave-1, ", before "+label(early)),
	}
	if !guards(early.id) {
		list = append(list, w.moved(early, late.stage().Wave+1, ", after "+label(late)), w.moved(early, late.stage().Wave, thatOf(late)))
	}
	if late != provider && w.comesLate(provider) {
		list = append(list, w.blind(list[0], late, provider))
	}
	return list
}

// meet returns what stands for two objects in the Application nearest above both: themselves, or the objects that make their Applications.
func meet(a, b *node) (late, early *node) {
	for x := a; x != nil; x = x.app.parent {
		for y := b; y != nil; y = y.app.parent {
			if x.app == y.app {
				return x, y
			}
		}
	}
	return nil, nil
}

// moved puts an object into another wave of its phase.
func (w *world) moved(n *node, wave int, why string) change {
	of := ""
	if len(w.creates(n)) > 0 {
		of = " of " + n.app.name
	}
	return small("move "+label(n)+" to wave "+strconv.Itoa(wave)+of+why, n.id, withWave(wave))
}

// blind moves the Application of an object whose kind is there only later: with a look ahead that is skipped, and attempts for ever.
func (w *world) blind(move change, late, provider *node) change {
	earlier := move.edits[late.id]
	return change{
		text: move.text + ", with " + argocd.SkipDryRun + " on " + provider.id.String() + " and retry.limit -1",
		size: 3,
		edits: map[manifest.ID]edit{
			late.id:     func(o manifest.Object) manifest.Object { return endless(earlier(o)) },
			provider.id: func(o manifest.Object) manifest.Object { return argocd.WithSyncOptions(o, argocd.SkipDryRun) },
		},
	}
}

// comesLate reports whether the kind of an object comes from elsewhere than its own sync.
func (w *world) comesLate(n *node) bool {
	return slices.ContainsFunc(n.apply, func(k need) bool { return k.fact.Type == needs.Kind && !w.skipsDryRun(n) && !n.app.brings(k.fact) })
}

// label names an object as short as can be: Applications by kind and name.
func label(n *node) string {
	if n.id.Group == argoGroup {
		return n.id.Kind + " " + n.id.Name
	}
	if start := n.task.Object.String("metadata", "generateName"); n.id.Name == "" && start != "" {
		return n.id.String() + start + "…"
	}
	return n.id.String()
}

func thatOf(n *node) string {
	if n.id.Group == argoGroup {
		return ", that of " + n.id.Name
	}
	return ", that of " + label(n)
}

// guards reports whether an object holds others back. It is never moved to a later time, since what comes before it is not held back.
func guards(id manifest.ID) bool {
	return slices.Contains([]string{
		"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "NetworkPolicy", "ResourceQuota", "LimitRange", "Namespace",
	}, id.Kind) && manifest.Builtin(id.Group, id.Kind)
}

func withWave(wave int) edit {
	return func(o manifest.Object) manifest.Object {
		return o.Set(strconv.Itoa(wave), "metadata", "annotations", argocd.WaveAnnotation)
	}
}

// endless lets an Application try for ever.
func endless(o manifest.Object) manifest.Object {
	return o.Set(int64(-1), "spec", "syncPolicy", "retry", "limit")
}
