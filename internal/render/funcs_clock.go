package render

import (
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

// clockFunctions replaces what reads the clock or takes the machine's time zone for its own: the zone is UTC here.
func (w *world) clockFunctions() template.FuncMap {
	inZone := func(layout string, date any, zone string) string {
		location, err := time.LoadLocation(zone)
		if err != nil || zone == "Local" {
			location = time.UTC
		}
		return w.timeOf("dateInZone", date).In(location).Format(layout)
	}
	parse := func(layout, text string) (time.Time, error) { return time.ParseInLocation(layout, text, time.UTC) }
	return template.FuncMap{
		"now":            func() time.Time { return w.clock("now") },
		"ago":            func(date any) string { return w.clock("ago").Sub(w.timeOf("ago", date)).Round(time.Second).String() },
		"date":           func(layout string, date any) string { return inZone(layout, date, "UTC") },
		"dateInZone":     inZone,
		"date_in_zone":   inZone,
		"htmlDate":       func(date any) string { return inZone(time.DateOnly, date, "UTC") },
		"htmlDateInZone": func(date any, zone string) string { return inZone(time.DateOnly, date, zone) },
		"durationRound":  w.durationRound,
		"toDate": func(layout, text string) time.Time {
			date, _ := parse(layout, text)
			return date
		},
		"mustToDate": parse,
	}
}

// clock returns the world's time and notes that function read it.
func (w *world) clock(function string) time.Time {
	w.generated[function] = true
	return w.now
}

// timeOf reads a date as sprig does: a time, or seconds since 1970, or, whatever else it is, now.
func (w *world) timeOf(function string, date any) time.Time {
	switch d := date.(type) {
	case time.Time:
		return d
	case *time.Time:
		return *d
	case int64:
		return time.Unix(d, 0)
	case int:
		return time.Unix(int64(d), 0)
	case int32:
		return time.Unix(int64(d), 0)
	}
	return w.clock(function)
}

// durationRound rounds a duration as sprig does, or the time that has passed since a date.
func (w *world) durationRound(duration any) string {
	if date, ok := duration.(time.Time); ok {
		duration = int64(w.clock("durationRound").Sub(date))
	}
	round, _ := sprig.GenericFuncMap()["durationRound"].(func(any) string)
	return round(duration)
}
