package argocd_test

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestInvalid states of which Applications Argo CD says InvalidSpecError; "" stands for none (argo-cd util/argo, ValidatePermissions).
func TestInvalid(t *testing.T) {
	const here, two = `destination: {name: in-cluster}`, `destination: {server: s}, `
	for spec, want := range map[string]string{
		`source: {repoURL: r, path: p}, ` + here:                                 "",
		two + `source: {repoURL: r, path: p}`:                                    "",
		`source: {repoURL: r, chart: c, targetRevision: "1"}, ` + here:           "",
		`source: {repoURL: r, chart: c}, ` + here:                                "is a chart without targetRevision",
		two + `sources: [{repoURL: r, chart: c, targetRevision: ""}]`:            "is a chart without targetRevision",
		`source: {repoURL: r}, ` + here:                                          "has neither path nor chart",
		`source: {repoURL: r, path: ""}, ` + here:                                "has neither path nor chart",
		`source: {repoURL: r, ref: v}, ` + here:                                  "has neither path nor chart",
		`source: {repoURL: "", path: p}, ` + here:                                "has no repoURL",
		`source: {path: p}, ` + here:                                             "has no repoURL",
		`sources: [{repoURL: r, path: p}, {repoURL: v, ref: v}], ` + here:        "",
		`sources: [{repoURL: r, path: p}, {repoURL: v}], ` + here:                "has neither path nor chart",
		`sources: [{repoURL: r, path: p}, {path: p}], ` + here:                   "has no repoURL",
		`sources: [], ` + here:                                                   "it has no source",
		here:                                                                     "it has no source",
		`sourceHydrator: {drySource: {repoURL: r, path: p}}, ` + here:            "",
		`source: {repoURL: r, path: p}, destination: {}`:                         "neither a name nor a server",
		`source: {repoURL: r, path: p}, destination: {namespace: team}`:          "neither a name nor a server",
		`source: {repoURL: r, path: p}, destination: {name: "", server: ""}`:     "neither a name nor a server",
		`source: {repoURL: r, path: p}, destination: {name: a, server: b}`:       "both a name and a server",
		`sourceHydrator: {drySource: {repoURL: r}}, destination: {namespace: x}`: "neither a name nor a server",
	} {
		objects, _, err := manifest.Decode([]byte("{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a}, spec: {project: default, " + spec + "}}"))
		if err != nil {
			t.Fatal(err)
		}
		if got := argocd.Invalid(objects[0]); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}
