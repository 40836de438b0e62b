package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/render"
	"github.com/coldstart-gitops/gen/internal/transform"
)

// What holds of many environments, or of many objects, is one line.
func TestNoticesAreSaidOnce(t *testing.T) {
	role := manifest.ID{Group: "rbac", Kind: "Role", Namespace: "a", Name: "x"}
	account := manifest.ID{Kind: "ServiceAccount", Namespace: "a", Name: "x"}
	job := manifest.ID{Group: "batch", Kind: "Job", Namespace: "a", Name: "x"}
	result := func(env string, more ...render.Notice) pipeline.Result {
		notices := append([]render.Notice{
			{Level: render.Warning, Source: "chart e", Message: "is made again"},
			{Level: render.Warning, Source: "role.yaml", Object: role, Message: "is made again"},
			{Level: render.Warning, Source: "job.yaml", Object: job, Message: "runs again"},
			{Level: render.Warning, Source: "account.yaml", Object: account, Message: "is made again"},
			{Level: render.Warning, Source: "chart c", Message: "lacks b"},
			{Level: render.Note, Source: "NOTES.txt", Message: "left out"},
		}, more...)
		return pipeline.Result{
			Environment: &environment.Environment{Name: env},
			Rendered:    []pipeline.Rendered{{Component: component.Component{Name: "c"}, Notices: notices}},
			Notices:     []transform.Notice{{Component: "d", Object: job, Message: "has no namespace"}, {Component: "d", Message: "a trifle", Minor: true}},
		}
	}
	results := []pipeline.Result{result("lab"), result("prod", render.Notice{Level: render.Warning, Source: "more.yaml", Object: job, Message: "is made again"})}
	for _, test := range []struct {
		verbose bool
		want    []string
	}{
		{false, []string{
			"warning: lab,prod/c: chart e: is made again",
			"warning: lab,prod/c: each of Role.rbac a/x, ServiceAccount a/x: is made again",
			"warning: lab,prod/c: job.yaml: Job.batch a/x: runs again",
			"warning: lab,prod/c: chart c: lacks b",
			"warning: lab,prod/d: Job.batch a/x: has no namespace",
			"warning: prod/c: more.yaml: Job.batch a/x: is made again",
		}},
		{true, []string{
			"warning: lab,prod/c: chart e: is made again",
			"warning: lab,prod/c: role.yaml: Role.rbac a/x: is made again",
			"warning: lab,prod/c: job.yaml: Job.batch a/x: runs again",
			"warning: lab,prod/c: account.yaml: ServiceAccount a/x: is made again",
			"warning: lab,prod/c: chart c: lacks b",
			"note: lab,prod/c: NOTES.txt: left out",
			"warning: lab,prod/d: Job.batch a/x: has no namespace",
			"note: lab,prod/d: a trifle",
			"warning: prod/c: more.yaml: Job.batch a/x: is made again",
		}},
	} {
		var out strings.Builder
		WriteNotices(&out, results, test.verbose)
		if diff := cmp.Diff(test.want, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" {
			t.Errorf("verbose %v (-want +got):\n%s", test.verbose, diff)
		}
	}
}
