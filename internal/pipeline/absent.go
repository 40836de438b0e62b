package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/render"
)

// lateAPIs warns of templates that ask whether the cluster serves an API, are told no, and would be told yes on the cluster that this
// environment makes: what they would render is not rendered (argo-helm#2243, cilium#27398). The model has to say so, since waves
// never feed back into rendering.
func lateAPIs(rendered []Rendered) {
	brings := map[string][]string{}
	for _, r := range rendered {
		for _, api := range slices.Concat(r.Component.Provides, manifest.ServedAPIs(r.Bundle.Objects)) {
			if !slices.Contains(brings[api], r.Component.Name) {
				brings[api] = append(brings[api], r.Component.Name)
			}
		}
	}
	for i, r := range rendered {
		var late []render.Notice
		for _, api := range r.absent {
			if by := brings[api]; len(by) > 0 {
				late = append(late, render.Notice{Topic: render.TopicAPI, Message: lateMessage(r, api, by)})
			}
		}
		rendered[i].Notices = append(late, r.Notices...)
	}
}

// lateMessage says who brings the API, and what to state: a component cannot need itself.
func lateMessage(r Rendered, api string, by []string) string {
	text := fmt.Sprintf("a template asks whether the cluster serves %s and is told no, so what it makes of it is missing, although %s brings it: ", api, strings.Join(by, ", "))
	if slices.Contains(by, r.Component.Name) {
		return text + fmt.Sprintf("state `apiVersions: [%s]` of this component", api)
	}
	return text + fmt.Sprintf("state `needs: [%s]` of this component", by[0])
}
