package argoapi_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// teller is what both testing.T and rapid.T can do.
type teller interface {
	Helper()
	Errorf(format string, args ...any)
}

// Texts of links that are taken away in a way of their own.
const (
	waited     = "is waited for until it is in sync and healthy"
	notReached = ", which is not reached"
	headline   = "must run before Argo CD syncs anything"
	comesRound = "is what waits"
)

// everyLinkCounts takes each link of each printed chain away, one at a time, and proves again: the object that was blocked is not
// blocked by what is left of that chain.
func everyLinkCounts(t teller, in coldstart.Input, before coldstart.Proof) {
	t.Helper()
	eachLink(t, in, before, func(i, at int, after coldstart.Proof) {
		t.Helper()
		o, now := before.Outcomes[i], after.Outcomes[i]
		if left := leftOver(o, at, now); left != "" {
			t.Errorf("%s without link %d: %s\nbefore: %s\nafter:  %s", o.Application, at, left, chainText(o.Chain), chainText(now.Chain))
		}
	})
}

// eachLink hands over how the cold start ends without each link of each bad chain: that of the outcome at i, its link at.
func eachLink(t teller, in coldstart.Input, before coldstart.Proof, look func(i, at int, after coldstart.Proof)) {
	t.Helper()
	for i, o := range before.Outcomes {
		if o.Verdict != coldstart.Deadlock && o.Verdict != coldstart.Fails {
			continue
		}
		if len(o.Chain) == 0 {
			t.Errorf("%s is %s without a chain", o.Application, o.Verdict)
		}
		for at := range o.Chain {
			if less, ok := without(t, in, before, o, at); ok {
				look(i, at, coldstart.Prove(less))
			}
		}
	}
}

// leftOver says what of a chain is still printed after one of its links was taken away.
func leftOver(o coldstart.Outcome, at int, now coldstart.Outcome) string {
	same := func(l coldstart.Link) func(coldstart.Link) bool {
		return func(other coldstart.Link) bool { return l.Object == other.Object && l.Text == other.Text }
	}
	gone := o.Chain[at]
	if now.Verdict.Good() || len(now.Chain) == 0 {
		return ""
	}
	if slices.ContainsFunc(now.Chain, same(gone)) {
		return "it is still printed"
	}
	rest := slices.Delete(slices.Clone(o.Chain), at, at+1)
	if now.Blocked == o.Blocked && !slices.ContainsFunc(now.Chain, func(l coldstart.Link) bool { return !slices.ContainsFunc(rest, same(l)) }) {
		return "the others suffice, so it is superfluous"
	}
	return ""
}

// without returns the input without one link of a chain: a fact that is waited for is given; what comes later is moved to where its
// Application hangs; a gate is no gate; an object that cannot be is not there. It reports false for words that close a circle or head a chain.
func without(t teller, in coldstart.Input, before coldstart.Proof, o coldstart.Outcome, at int) (coldstart.Input, bool) {
	t.Helper()
	l := o.Chain[at]
	switch {
	case l.Text == comesRound || strings.HasPrefix(l.Text, headline):
		return in, false
	case l.Lacks != "" && !strings.HasPrefix(l.Lacks, "never "):
		in.Given = append(slices.Clone(in.Given), coldstart.Given{Fact: l.Lacks})
		for _, host := range hostsIn(l) { // what the output serves itself is no given
			in.Given = append(in.Given, coldstart.Given{Fact: "bootstrap-source " + host})
		}
		return in, true
	case strings.HasPrefix(l.Text, "is made (CreateNamespace=true)") && !strings.HasSuffix(l.Text, notReached):
		in.Given = append(slices.Clone(in.Given), coldstart.Given{Fact: "namespace " + l.Object.Name})
		return in, true
	case strings.Contains(l.Text, "step of ApplicationSet"):
		return atOnce(in), true
	case l.Text == waited:
		return ungated(in, l.Object), true
	case strings.HasSuffix(l.Text, notReached):
		return moved(in, before, l), true
	case strings.HasPrefix(l.Text, "is not synced by anybody"), strings.HasPrefix(l.Text, "has used up its attempts"):
		return edited(in, l.Object, func(a manifest.Object) manifest.Object {
			return a.Set(map[string]any{}, "spec", "syncPolicy", "automated").Set(int64(-1), "spec", "syncPolicy", "retry", "limit")
		}), true
	case l.Object.Kind == "":
		t.Errorf("no way is known to take %q away", l.Text)
		return in, false
	}
	return dropped(in, l.Object), true
}

// ungated is the input where nothing waits for an object's health.
func ungated(in coldstart.Input, id manifest.ID) coldstart.Input {
	health := in.Health
	in.Health = func(o manifest.Object) (*argocd.Health, error) {
		if o.ID().Same(id) {
			return nil, nil
		}
		return health(o)
	}
	return in
}

// edited is the input with one object changed, wherever it stands.
func edited(in coldstart.Input, id manifest.ID, edit func(manifest.Object) manifest.Object) coldstart.Input {
	in.Applications = slices.Clone(in.Applications)
	for i, a := range in.Applications {
		if a.Object.ID() == id {
			a.Object = edit(a.Object)
		}
		a.Objects = slices.Clone(a.Objects)
		for j, x := range a.Objects {
			if x.ID().Same(id) {
				a.Objects[j] = edit(x)
			}
		}
		in.Applications[i] = a
	}
	return in
}

// dropped is the input without an object; of an Application, without all that it applies.
func dropped(in coldstart.Input, id manifest.ID) coldstart.Input {
	in.Applications = slices.Clone(in.Applications)
	for i, a := range in.Applications {
		in.Applications[i].Objects = slices.DeleteFunc(slices.Clone(a.Objects), func(x manifest.Object) bool { return x.ID().Same(id) })
		if a.Object.ID() == id {
			in.Applications[i].Object = a.Object.Set("", "spec", "source", "repoURL").Set("default", "spec", "project").
				Set("argocd", "metadata", "namespace").Set("", "metadata", "annotations", argocd.SkipReconcileAnnotation)
			in.Applications[i].Objects = nil
		}
	}
	return in
}

// moved is the input where the object of a link stands in the step at which its Application hangs; one whose Application is not
// there yet brings its Application there.
func moved(in coldstart.Input, before coldstart.Proof, l coldstart.Link) coldstart.Input {
	outcome := func(name string) coldstart.Outcome {
		i := slices.IndexFunc(before.Outcomes, func(o coldstart.Outcome) bool { return o.Application == name })
		return before.Outcomes[i]
	}
	id, home := l.Object, outcome(l.Application)
	for home.Ending == coldstart.Absent {
		i := slices.IndexFunc(in.Applications, func(a coldstart.Application) bool { return a.Object.ID().Name == home.Application })
		id, home = in.Applications[i].Object.ID(), outcome(home.Parent)
	}
	i := slices.IndexFunc(home.Stages, func(s coldstart.Stage) bool { return s.State == coldstart.Stopped })
	if i < 0 { // Argo CD itself does not run: before it does
		for j, a := range in.Applications {
			in.Applications = slices.Clone(in.Applications)
			in.Applications[j].Bootstrap = a.Bootstrap || a.Object.ID().Name == l.Application
		}
		return in
	}
	stage := home.Stages[i]
	if home.Ending == coldstart.Idle || id == l.Object && stage.Wave == l.Wave && stage.Phase == l.Phase {
		// No step of its sync is reached, or none begins: out of it.
		return alone(in, l.Object)
	}
	return edited(in, id, func(x manifest.Object) manifest.Object {
		x = x.Set(strconv.Itoa(stage.Wave), "metadata", "annotations", argocd.WaveAnnotation)
		if stage.Phase != argocd.Sync || argocd.IsHook(x) {
			x = x.Set(string(stage.Phase), "metadata", "annotations", argocd.HookAnnotation)
		}
		return x
	})
}

// alone is the input where an object is applied by an Application of its own, which waits for nothing.
func alone(in coldstart.Input, id manifest.ID) coldstart.Input {
	own := coldstart.Application{Object: applicationObject("zz-alone", "", nil)} // behind all others, by name
	for _, a := range in.Applications {
		for _, x := range a.Objects {
			if x.ID().Same(id) {
				own.Objects = []manifest.Object{x}
			}
		}
	}
	in = dropped(in, id)
	in.Applications = append(in.Applications, own)
	return in
}

// atOnce is the input where no ApplicationSet has steps.
func atOnce(in coldstart.Input) coldstart.Input {
	in.Applications = slices.Clone(in.Applications)
	for i, a := range in.Applications {
		in.Applications[i].Objects = slices.Clone(a.Objects)
		for j, x := range a.Objects {
			if x.ID().Kind == "ApplicationSet" {
				in.Applications[i].Objects[j] = x.Set("AllAtOnce", "spec", "strategy", "type")
			}
		}
	}
	return in
}

// hostsIn names the hosts that a link may be about: that of the fact, and that of a URL in the text, which may be one below a wildcard.
func hostsIn(l coldstart.Link) []string {
	var hosts []string
	if host, ok := strings.CutPrefix(l.Lacks, "reachable "); ok {
		hosts = append(hosts, host)
	}
	if _, address, ok := strings.Cut(l.Text, "://"); ok {
		end := strings.IndexAny(address+"/", "/:, ")
		hosts = append(hosts, address[:min(end, len(address))])
	}
	return hosts
}
