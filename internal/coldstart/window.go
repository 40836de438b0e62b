package coldstart

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// syncWindow is the fact that the sync windows of the Application Name let it be synced when the cluster is built.
const syncWindow needs.Type = "sync-window"

// open says when something lets a sync through: nobody knows at what hour a cluster is built.
type open int

const (
	openAtTimes open = iota
	openAlways
	openNever
)

// window is one sync window of a project (argo-cd pkg/apis/application/v1alpha1/types.go, SyncWindows; the same in 2.14 and 3.2,
// but for andOperator).
type window struct {
	text   string
	denies bool
	manual bool // lets syncs by hand through
	active open
	fault  string
}

// windowsOf returns the windows of a project that are about an Application.
func (w *world) windowsOf(a *app, p *permissions) []window {
	var list []window
	for _, item := range p.object.List("spec", "syncWindows") {
		if windowMatches(item, a, w.in.Version.Has(argocd.AndOperator)) {
			list = append(list, newWindow(item))
		}
	}
	return list
}

// windowMatches reports whether a window is about an Application: one of its lists names it, or with andOperator every one that it has.
func windowMatches(item any, a *app, and bool) bool {
	o := a.in.Object
	destination := func(key string) string { return o.String("spec", "destination", key) }
	names := func(list string, texts ...string) (stated, matches bool) {
		for _, item := range textsOf(item, list) {
			p := newPattern(item)
			for _, text := range texts {
				matches = matches || text != "" && !p.denies && p.matches(text)
			}
			stated = true
		}
		return stated, matches
	}
	every, some := true, false
	for _, list := range []struct {
		name  string
		texts []string
	}{{"applications", []string{o.ID().Name}}, {"clusters", []string{destination("name"), destination("server")}}, {"namespaces", []string{destination("namespace")}}} {
		stated, matches := names(list.name, list.texts...)
		every, some = every && (!stated || matches), some || matches
	}
	if and && valueAt(item, "andOperator") == true {
		return every && some
	}
	return some
}

func newWindow(item any) window {
	text := func(key string) string { s, _ := valueAt(item, key).(string); return s }
	w := window{
		text:   text("kind") + " " + text("schedule") + " for " + text("duration"),
		denies: text("kind") == "deny", manual: valueAt(item, "manualSync") == true,
	}
	schedule, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(text("schedule"))
	duration, durationErr := time.ParseDuration(text("duration"))
	switch {
	case err != nil:
		w.fault = fmt.Sprintf("schedule %q: %v", text("schedule"), err)
	case durationErr != nil:
		w.fault = fmt.Sprintf("duration %q: %v", text("duration"), durationErr)
	default:
		w.active = activeTimes(schedule, duration)
	}
	return w
}

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
	denied, allowed, allowing := openNever, openNever, false
	for _, w := range list {
		switch {
		case w.fault != "":
			return openNever
		case byHand && w.manual:
		case w.denies:
			denied = wider(denied, w.active)
		default:
			allowed, allowing = wider(allowed, w.active), true
		}
	}
	switch {
	case denied == openAlways, allowing && allowed == openNever:
		return openNever
	case denied == openNever && (!allowing || allowed == openAlways):
		return openAlways
	}
	return openAtTimes
}

// wider joins two times; two windows that are active from time to time are not added up.
func wider(a, b open) open {
	switch {
	case a == openAlways || b == openAlways:
		return openAlways
	case a == openNever && b == openNever:
		return openNever
	}
	return openAtTimes
}

// shutWindows says why the windows of its project never let an Application be synced, or what must be known of the hour. An
// Application is synced by hand only where nobody automates it.
func (w *world) shutWindows(a *app) (why string, hour []need) {
	list := w.windowsOf(a, w.permitted(a))
	byHand := a.in.Object.Get("spec", "syncPolicy", "automated") == nil && a.rolling == nil
	switch allows(list, byHand) {
	case openNever:
		why = "is never synced by itself: the sync windows of AppProject " + w.permitted(a).name + " (" + windowTexts(list) + ") let nothing through"
	case openAtTimes:
		hour = []need{wants(named(syncWindow, "", a.name), "is synced only when the sync windows of AppProject "+w.permitted(a).name+" ("+windowTexts(list)+") let it")}
	}
	return why, hour
}

func windowTexts(list []window) string {
	text := ""
	for i, w := range list {
		if i > 0 {
			text += "; "
		}
		text += w.text
		if w.fault != "" {
			text += ", whose " + w.fault
		}
	}
	return text
}
