package coldstart

import (
	"slices"
	"time"

	"github.com/robfig/cron/v3"
)

// activeTimes asks whether a window is active always, never, or from time to time. Time zones only shift it. One whose day never comes is
// always active, as Argo CD computes it: cron's next time is then the zero time, which is past.
func activeTimes(schedule cron.Schedule, duration time.Duration) open {
	at := schedule.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)) // a leap year
	if at.IsZero() {
		return openAlways
	}
	if duration <= 0 {
		return openNever
	}
	for end := at.Add(horizon(schedule)); at.Before(end); {
		next := schedule.Next(at)
		if next.Sub(at) > duration {
			return openAtTimes
		}
		at = next
	}
	return openAlways
}

// horizon is how far a schedule is looked at: a week and a day where all days of the month and all months are alike.
func horizon(schedule cron.Schedule) time.Duration {
	const star = 1 << 63
	spec, ok := schedule.(*cron.SpecSchedule)
	if ok && spec.Dom&star != 0 && spec.Month&star != 0 {
		return 8 * 24 * time.Hour
	}
	return 5 * 366 * 24 * time.Hour
}

// allows tells when windows let a sync through: a denial wins, and where windows allow, one must be active (SyncWindows.CanSync).
func allows(list []window, byHand bool) open {
	var some []window // those that are active at times
	allowing, allowed := false, false
	for _, w := range list {
		if w.fault != "" {
			return openNever
		}
		if byHand && w.manual {
			continue
		}
		allowing = allowing || !w.denies
		switch {
		case w.denies && w.active == openAlways:
			return openNever
		case w.active == openAlways:
			allowed = true
		case w.active == openAtTimes:
			some = append(some, w)
		}
	}
	if allowing && !allowed && !slices.ContainsFunc(some, func(w window) bool { return !w.denies }) {
		return openNever
	}
	if allowed || !allowing {
		allowed = true
		some = slices.DeleteFunc(some, func(w window) bool { return !w.denies })
	}
	return together(some, allowed)
}

// turn is a moment at which a window begins or ends to be active.
type turn struct {
	at            time.Time
	allow, denial int
}

// mostTurns bounds how much is added up.
const mostTurns = 100_000

// together adds up windows that are active at times. allowed says that nothing needs to be allowed any more. Windows of several time zones
// are not added up: how far those are apart changes with the seasons.
func together(list []window, allowed bool) open {
	if len(list) == 0 {
		if allowed {
			return openAlways
		}
		return openNever
	}
	begin, span := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Duration(0)
	for _, w := range list {
		if w.schedule == nil || w.zone != list[0].zone {
			return openAtTimes
		}
		span = max(span, horizon(w.schedule))
	}
	turns := []turn{{at: begin}, {at: begin.Add(span)}}
	for _, w := range list {
		step := turn{allow: 1}
		if w.denies {
			step = turn{denial: 1}
		}
		for at := w.schedule.Next(begin.Add(-w.duration)); at.Before(begin.Add(span)); at = w.schedule.Next(at) {
			turns = append(turns, turn{at, step.allow, step.denial}, turn{at.Add(w.duration), -step.allow, -step.denial})
			if len(turns) > mostTurns {
				return openAtTimes
			}
		}
	}
	return sweep(turns, begin.Add(span), allowed)
}

// sweep asks between each two turns, up to an end, whether a sync is let through.
func sweep(turns []turn, end time.Time, allowed bool) open {
	slices.SortFunc(turns, func(a, b turn) int { return a.at.Compare(b.at) })
	begin := turns[slices.IndexFunc(turns, func(t turn) bool { return t.allow == 0 && t.denial == 0 })].at
	allow, denial, always, never := 0, 0, true, true
	for i, t := range turns {
		allow, denial = allow+t.allow, denial+t.denial
		if t.at.Before(begin) || !t.at.Before(end) || i+1 < len(turns) && turns[i+1].at.Equal(t.at) {
			continue
		}
		through := denial == 0 && (allowed || allow > 0)
		always, never = always && through, never && !through
	}
	switch {
	case always:
		return openAlways
	case never:
		return openNever
	}
	return openAtTimes
}
