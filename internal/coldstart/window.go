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

	schedule cron.Schedule
	duration time.Duration
	zone     string
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
	text := func(key string) string { return textAt(item, key) }
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
		w.schedule, w.duration, w.zone = schedule, duration, text("timeZone")
	}
	return w
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
