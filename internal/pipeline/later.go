package pipeline

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/source"
)

// later is an argocd-cm that an Application brings which does not bring Argo CD: it is in force from some moment of the start on.
type later struct {
	settings manifest.Object
	by       string // the Application
	fact     string // that it is there before the start, as a given says it
}

// settingsOf returns the argocd-cm that an Application brings to the Argo CD of a namespace, or none.
func settingsOf(a coldstart.Application, namespace string) manifest.Object {
	for _, o := range a.Objects {
		if to := a.Object.String("spec", "destination", "namespace"); o.ID().Namespace == "" && to != "" {
			o = o.Set(to, "metadata", "namespace")
		}
		if argocd.IsSettings(o, namespace) && coldstart.AtHome(a) && len(argocd.Phases(o)) > 0 {
			return o
		}
	}
	return manifest.Object{}
}

// settle finds the argocd-cm that is in force before the first sync: that of an Application which brings Argo CD itself, or may, since not
// all of it is known; else one that a person applies, which then lies over what Argo CD ships, as a patch does. That of any other
// Application comes into force later.
func (around *Surroundings) settle(folder *source.Folder, apps []coldstart.Application) {
	home := coldstart.Home(apps)
	for _, a := range apps {
		settings := settingsOf(a, home)
		name := a.Object.ID().Name
		switch {
		case settings.IsZero():
		case coldstart.Bootstraps(a.Objects):
			around.Settings, around.later = settings, later{}
			return
		case len(a.Unknown) > 0 && around.Settings.IsZero():
			around.Settings = settings
			folder.Notes = append(folder.Notes, "argocd-cm of Application "+name+" is taken to be in force before the first sync")
		case around.later.settings.IsZero():
			around.later = later{settings, name, "ConfigMap " + settings.ID().Namespace + "/" + argocd.ConfigMapName}
		}
	}
	if around.Settings.IsZero() {
		around.byHand(folder, home, slices.ContainsFunc(apps, func(a coldstart.Application) bool { return len(a.Unknown) > 0 }))
	}
	if around.Settings.IsZero() && around.later.settings.IsZero() {
		folder.Notes = append(folder.Notes, "there is no argocd-cm in the folder: Argo CD is taken as it ships, without health for Applications, so that waves between Applications gate nothing")
	}
}

// byHand takes the first argocd-cm of the right namespace that a person applies; where it is not known what some Application brings, one
// in a file that an Application applies.
func (around *Surroundings) byHand(folder *source.Folder, home string, unknown bool) {
	list := folder.Settings
	if unknown && around.later.settings.IsZero() {
		list = append(slices.Clone(list), folder.Brought...)
	}
	for _, o := range list {
		if !argocd.IsSettings(o, home) {
			folder.Notes = append(folder.Notes, "argocd-cm of namespace "+o.ID().Namespace+" is not the one that counts: Argo CD runs in "+home)
			continue
		}
		around.Settings, around.over = o, true
		return
	}
}

// proveTwice proves a start during which argocd-cm changes: as it is before and as it is after. Where both ends are alike, or alike good,
// the worse one holds, since what comes first is not known; where only one is good, nobody knows, unless a given says that the
// ConfigMap is there before the start (docs/decisions/0030).
func (s Setup) proveTwice(ctx context.Context, proved Proved, in coldstart.Input, around Surroundings) (Proved, error) {
	with := around.Settings
	for _, key := range slices.Sorted(maps.Keys(around.later.settings.Map("data"))) {
		with = withEntry(with, key, around.later.settings.String("data", key))
	}
	changed, err := s.under(in, with, around.over || around.Settings.IsZero())
	if err != nil {
		return Proved{}, err
	}
	after, err := coldstart.ProveUntil(ctx, changed)
	if err != nil {
		return Proved{}, err
	}
	if given, ok := coldstart.Holds(around.Given, around.later.fact, s.Today); ok {
		if proved.Proof = after; !slices.Contains(after.Used, given) {
			proved.Proof.Used = append(proved.Proof.Used, given)
		}
		return proved, nil
	}
	before, err := coldstart.ProveUntil(ctx, in)
	if err != nil {
		return Proved{}, err
	}
	proved.Proof = around.later.either(before, after)
	return proved, nil
}

// either puts the outcomes before and after a change of argocd-cm together.
func (l later) either(before, after coldstart.Proof) coldstart.Proof {
	out := before
	out.Outcomes, out.Verdict, out.Attempts = slices.Clone(before.Outcomes), coldstart.Proven, 0
	for _, g := range after.Used {
		if !slices.Contains(out.Used, g) {
			out.Used = append(slices.Clone(out.Used), g)
		}
	}
	out.Drafts = slices.Concat(before.Drafts, after.Drafts)
	for i := range out.Outcomes {
		o := l.outcome(before.Outcomes[i], after.Outcomes[i])
		if o.Axiom == l.fact {
			out.Drafts = append(out.Drafts, l.fact)
		}
		out.Outcomes[i], out.Verdict, out.Attempts = o, coldstart.Worst(out.Verdict, o.Verdict), max(out.Attempts, o.Attempts)
	}
	slices.Sort(out.Drafts)
	out.Drafts = slices.Compact(out.Drafts)
	return out
}

func (l later) outcome(before, after coldstart.Outcome) coldstart.Outcome {
	o := before
	if coldstart.Worst(before.Verdict, after.Verdict) == after.Verdict && before.Verdict != after.Verdict {
		o = after
	}
	if before.Verdict == after.Verdict {
		return o
	}
	text := "argocd-cm comes with Application " + l.by + ", and only from then on it is in force: without it this is " + string(before.Verdict) + ", with it " + string(after.Verdict)
	o.Notes = append(slices.Clone(o.Notes), text)
	if before.Verdict.Good() != after.Verdict.Good() && before.Verdict != coldstart.Unknown && after.Verdict != coldstart.Unknown {
		o.Verdict, o.Axiom = coldstart.Unknown, l.fact
	}
	if after.Verdict.Good() {
		o.Cure = cmp.Or(o.Cure, "apply "+l.fact+" before the first sync, by hand")
	}
	return o
}
