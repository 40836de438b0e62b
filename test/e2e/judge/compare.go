package judge

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is how a cold start ends, in the words of `gen prove`.
type Verdict string

// The verdicts.
const (
	Proven    Verdict = "PROVEN"
	Retry     Verdict = "RETRY"
	Unhealthy Verdict = "UNHEALTHY"
	Deadlock  Verdict = "DEADLOCK"
	Fails     Verdict = "FAILS"
	Unknown   Verdict = "UNKNOWN"
)

// shown is the one table from verdicts to what Argo CD may show of an Application. Which of several endings it must be is
// said by the proof itself, for each Application.
//
// The words of reported faults map to verdicts so: OK is PROVEN; RETRY-HEALS is RETRY where an attempt of a sync fails, and
// PROVEN where only a controller tries again; DEADLOCK ("can never finish, however often retried") is DEADLOCK where an order
// would cure it or nothing ends the wait, and FAILS where each attempt ends by itself and no order helps; WARN is the verdict
// of the rest, with a note; UNKNOWN is UNKNOWN.
var shown = map[Verdict][]Ending{
	Proven:    {Settled},
	Retry:     {Settled},
	Unhealthy: {Ends},
	Deadlock:  {Hangs, Tries, Idle, Absent},
	Fails:     {Hangs, Tries, Idle, Absent},
	Unknown:   {Hangs, Tries, Idle, Absent, Ends},
}

// Outcome is what Argo CD made of a scenario.
type Outcome struct {
	Applications []Application
	Endings      map[string]Ending
	Races        bool // the play decided no race: where the proof sees that an attempt may fail, none needs to have failed
}

// Compare says where a proof and what Argo CD made of the same folder differ. Empty is agreement.
func (p Proof) Compare(real Outcome) []string {
	var out []string
	known := map[string]bool{}
	for _, proved := range p.Applications {
		known[proved.Name] = true
		out = append(out, proved.compare(real)...)
	}
	for _, a := range real.Applications {
		if !known[a.Name] {
			out = append(out, fmt.Sprintf("%s: the proof does not know of it", a.Name))
		}
	}
	return out
}

func (p Proved) compare(real Outcome) []string {
	i := slices.IndexFunc(real.Applications, func(a Application) bool { return a.Name == p.Name })
	ending, a := Absent, Application{}
	if i >= 0 {
		ending, a = real.Endings[p.Name], real.Applications[i]
	}
	var out []string
	say := func(format string, args ...any) { out = append(out, p.Name+": "+fmt.Sprintf(format, args...)) }
	switch {
	case !slices.Contains(shown[p.Verdict], ending):
		say("proved %s (%s), Argo CD shows: %s", p.Verdict, p.Ending, describe(ending, a))
	case p.Ending != ending:
		say("proved to show %q, Argo CD shows %q: %s", p.Ending, ending, describe(ending, a))
	case p.Verdict == Proven && (a.Failed || a.Retries > 0) && !a.failedFor(p.MayFail):
		say("proved without a failed attempt, and one failed (%d retries)", a.Retries)
	case p.Verdict == Retry && !a.Failed && a.Retries == 0 && !real.Races:
		say("proved to fail %d times before it succeeds, and no attempt failed", p.Retries)
	}
	if p.Blocked != nil && i >= 0 && ending != Settled && ending != Idle && !a.fights() && !a.names(*p.Blocked) {
		say("proved to be blocked by %s %s/%s; Argo CD names %v", p.Blocked.Kind, p.Blocked.Namespace, p.Blocked.Name, a.Troubles)
	}
	return append(out, p.order(real)...)
}

// order compares which Applications were Synced and Healthy before this one was made.
func (p Proved) order(real Outcome) []string {
	i := slices.IndexFunc(real.Applications, func(a Application) bool { return a.Name == p.Name })
	if i < 0 {
		return nil
	}
	var out []string
	for _, a := range real.Applications {
		if slices.Contains(p.After, a.Name) && (a.WellAt == 0 || a.WellAt > real.Applications[i].MadeAt) {
			out = append(out, fmt.Sprintf("%s: proved to be made after %s is healthy; it was made at look %d, %s was healthy at look %d",
				p.Name, a.Name, real.Applications[i].MadeAt, a.Name, a.WellAt))
		}
	}
	return out
}

func describe(e Ending, a Application) string {
	if e == Absent {
		return "it was never made"
	}
	return fmt.Sprintf("%s (%s, %s, %s: %s)", e, a.Sync, a.Health, a.Phase, shorten(a.Message))
}

// failedFor reports whether Argo CD named one of the objects when an attempt failed.
func (a Application) failedFor(moments []Moment) bool {
	return slices.ContainsFunc(moments, func(m Moment) bool {
		return slices.Contains(a.Blamed, m.Object.Kind+" "+m.Object.Name)
	})
}

// names reports whether Argo CD speaks of the object, as one that failed, is waited for or is not healthy.
func (a Application) names(id ID) bool {
	if slices.ContainsFunc(a.Troubles, func(t Trouble) bool { return t.Kind == id.Kind && t.Name == id.Name }) {
		return true
	}
	return strings.Contains(a.Message, "/"+id.Kind+"/"+id.Name)
}
