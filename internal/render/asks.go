package render

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// Question is a template that asks whether the cluster serves an API, and is told that it does not.
type Question struct{ Template, API string }

// questions names the templates that hold the APIs for which templates asked in vain, those of groups of which the cluster serves
// nothing yet: an old version of Kubernetes' own groups never comes.
func questions(c *chart.Chart, absent []string) []Question {
	var list []Question
	for _, api := range absent {
		group, _, _ := strings.Cut(api, "/")
		known := slices.ContainsFunc(common.DefaultVersionSet, func(v string) bool { return strings.HasPrefix(v, group+"/") })
		if known || !strings.Contains(group, ".") {
			continue
		}
		found := holders(c, "", []byte(api))
		if len(found) == 0 {
			found = []string{"templates"}
		}
		for _, name := range found {
			list = append(list, Question{name, api})
		}
	}
	slices.SortFunc(list, func(a, b Question) int {
		return cmp.Or(cmp.Compare(a.API, b.API), cmp.Compare(a.Template, b.Template))
	})
	return list
}

// holders names the templates of a chart, and of those in it, that hold a text.
func holders(c *chart.Chart, at string, text []byte) []string {
	var found []string
	for _, file := range c.Templates {
		if bytes.Contains(file.Data, text) {
			found = append(found, path.Join(at, file.Name))
		}
	}
	for _, d := range c.Dependencies() {
		found = append(found, holders(d, path.Join(at, "charts", d.Name()), text)...)
	}
	return found
}
