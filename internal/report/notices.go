package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/render"
)

// remark is one thing that a person should know about a component.
type remark struct {
	level     render.Level
	component string
	source    string
	object    manifest.ID
	message   string
}

// WriteNotices prints what a person should know of a render that went well: warnings always, the rest if verbose. What holds of
// many environments is said once; so is what holds of many objects of a component, unless verbose, when each has its source too.
func WriteNotices(w io.Writer, results []pipeline.Result, verbose bool) {
	order, environments := remarks(results, verbose)
	for len(order) > 0 {
		first := order[0]
		same := func(r remark) bool {
			return r == first || !verbose && r.object != (manifest.ID{}) && first.object != (manifest.ID{}) &&
				r.message == first.message && r.component == first.component && r.level == first.level &&
				slices.Equal(environments[r], environments[first])
		}
		var places []string
		for _, r := range order {
			if same(r) {
				places = append(places, r.object.String())
			}
		}
		place := fmt.Sprintf("each of %s: ", strings.Join(places, ", "))
		if len(places) == 1 {
			place = first.place()
		}
		Print(w, "%s: %s/%s: %s%s\n", first.level, strings.Join(environments[first], ","), first.component, place, first.message)
		order = slices.DeleteFunc(order, same)
	}
}

// place names the source and the object, as far as there are any.
func (r remark) place() string {
	text := ""
	if r.source != "" {
		text += r.source + ": "
	}
	if r.object != (manifest.ID{}) {
		text += r.object.String() + ": "
	}
	return text
}

// remarks returns each remark once, in the order of the results, and the environments that it holds of.
func remarks(results []pipeline.Result, verbose bool) ([]remark, map[remark][]string) {
	var order []remark
	environments := map[remark][]string{}
	for _, result := range results {
		for _, r := range remarksOf(result) {
			if r.level != render.Warning && !verbose {
				continue
			}
			if environments[r] == nil {
				order = append(order, r)
			}
			environments[r] = append(environments[r], result.Environment.Name)
		}
	}
	return order, environments
}

// remarksOf returns what was noticed in rendering, then what was noticed later.
func remarksOf(result pipeline.Result) []remark {
	var all []remark
	for _, r := range result.Rendered {
		for _, n := range r.Notices {
			all = append(all, remark{n.Level, r.Component.Name, n.Source, n.Object, n.Message})
		}
	}
	for _, n := range result.Notices {
		level := render.Warning
		if n.Minor {
			level = render.Note
		}
		all = append(all, remark{level, n.Component, "", n.Object, n.Message})
	}
	return all
}
