package argoapi_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// mayBeHooks are the kinds that bear being deleted and made anew at every sync (docs/decisions/0037).
var mayBeHooks = []string{"Job.batch", "Pod", "ConfigMap", "Secret", "ServiceAccount"}

// curesHold does by hand what each printed cure says, and wants it to come to what is said. It returns how many it did.
func curesHold(t teller, in coldstart.Input, before coldstart.Proof) int {
	t.Helper()
	held := 0
	for i, o := range before.Outcomes {
		after, ok := in, o.Cure != ""
		for part := range strings.SplitSeq(o.Cure, "; and ") {
			after, ok = byHand(t, after, part, ok)
		}
		if !ok {
			continue
		}
		held++
		want := coldstart.Remainder{Verdict: coldstart.Proven}
		if o.Then != nil {
			want = *o.Then
		}
		if now := coldstart.Prove(after).Outcomes[i]; now.Verdict != want.Verdict || chainText(now.Chain) != chainText(want.Chain) {
			t.Errorf("%s after %q is %s: %s\nwant %s: %s", o.Application, o.Cure, now.Verdict, chainText(now.Chain), want.Verdict, chainText(want.Chain))
		}
	}
	return held
}

var (
	moveText   = regexp.MustCompile(`^move (\S+ \S+) to wave (-?\d+)`)
	hookText   = regexp.MustCompile(`^make ((\S+) \S+) a (\w+) hook of wave (-?\d+)`)
	unhookText = regexp.MustCompile(`^drop the hook annotation of (\S+ \S+), and put it into wave (-?\d+)`)
	optionText = regexp.MustCompile(`^add (\w+=true) to (\S+ \S+)$`)
	stateText  = regexp.MustCompile(`^state (retry.limit -1|syncPolicy.automated) in (Application \S+)$`)
	blindText  = regexp.MustCompile(`, with (\w+=true) on (\S+ \S+) and retry.limit -1$`)
)

// byHand does what one change says. It reports false of the few kinds of changes that it does not know.
func byHand(t teller, in coldstart.Input, text string, ok bool) (coldstart.Input, bool) {
	t.Helper()
	wave := func(n string) func(manifest.Object) manifest.Object {
		return func(o manifest.Object) manifest.Object {
			return o.Set(n, "metadata", "annotations", argocd.WaveAnnotation)
		}
	}
	switch m, hook := moveText.FindStringSubmatch(text), hookText.FindStringSubmatch(text); {
	case !ok:
	case m != nil:
		in = editedByName(in, m[1], wave(m[2]))
		if b := blindText.FindStringSubmatch(text); b != nil {
			in = editedByName(in, m[1], tryForEver)
			in = editedByName(in, b[2], func(o manifest.Object) manifest.Object { return argocd.WithSyncOptions(o, b[1]) })
		}
		return in, true
	case hook != nil:
		if !slices.Contains(mayBeHooks, hook[2]) {
			t.Errorf("%q makes a hook of what must never be one", text)
		}
		return editedByName(in, hook[1], func(o manifest.Object) manifest.Object {
			return wave(hook[4])(o.Set(hook[3], "metadata", "annotations", argocd.HookAnnotation))
		}), true
	}
	if m := unhookText.FindStringSubmatch(text); ok && m != nil {
		return editedByName(in, m[1], func(o manifest.Object) manifest.Object {
			return wave(m[2])(o.Edit(func(fields map[string]any) {
				for key := range manifest.New(fields).Map("metadata", "annotations") {
					if strings.Contains(key, "/hook") {
						delete(manifest.New(fields).Map("metadata", "annotations"), key)
					}
				}
			}))
		}), true
	}
	if m := optionText.FindStringSubmatch(text); ok && m != nil {
		return editedByName(in, m[2], func(o manifest.Object) manifest.Object { return argocd.WithSyncOptions(o, m[1]) }), true
	}
	if m := stateText.FindStringSubmatch(text); ok && m != nil {
		if m[1] == "syncPolicy.automated" {
			return editedByName(in, m[2], func(o manifest.Object) manifest.Object {
				return o.Set(map[string]any{}, "spec", "syncPolicy", "automated")
			}), true
		}
		return editedByName(in, m[2], tryForEver), true
	}
	return in, false
}

func tryForEver(o manifest.Object) manifest.Object {
	return o.Set(int64(-1), "spec", "syncPolicy", "retry", "limit")
}

// editedByName is the input with one object changed that is named as cures name it.
func editedByName(in coldstart.Input, name string, edit func(manifest.Object) manifest.Object) coldstart.Input {
	named := func(o manifest.Object) bool {
		id := o.ID()
		return id.String() == name || id.Group == "argoproj.io" && id.Kind+" "+id.Name == name
	}
	in.Applications = slices.Clone(in.Applications)
	for i, a := range in.Applications {
		if named(a.Object) {
			a.Object = edit(a.Object)
		}
		a.Objects = slices.Clone(a.Objects)
		for j, o := range a.Objects {
			if named(o) {
				a.Objects[j] = edit(o)
			}
		}
		in.Applications[i] = a
	}
	return in
}
