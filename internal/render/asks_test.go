package render

import (
	"fmt"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// TestQuestions states which templates are named for the APIs that they ask for in vain.
func TestQuestions(t *testing.T) {
	file := func(name, text string) *common.File { return &common.File{Name: name, Data: []byte(text)} }
	top := &chart.Chart{Metadata: &chart.Metadata{Name: "top"}, Templates: []*common.File{
		file("templates/b.yaml", `{{ if .Capabilities.APIVersions.Has "example.com/v1" }}`), file("templates/a.yaml", `{{ has "example.com/v1" }}`), file("templates/c.yaml", "x"),
	}}
	top.AddDependency(&chart.Chart{Metadata: &chart.Metadata{Name: "sub"}, Templates: []*common.File{file("templates/s.yaml", "example.net/v1/Gadget")}})
	for api, want := range map[string]string{
		"example.com/v1":            "[{templates/a.yaml example.com/v1} {templates/b.yaml example.com/v1}]",
		"example.net/v1/Gadget":     "[{charts/sub/templates/s.yaml example.net/v1/Gadget}]",
		"example.org/v1":            "[{templates example.org/v1}]",
		"policy/v1beta1":            "[]",
		"networking.k8s.io/v1beta1": "[]",
	} {
		if got := fmt.Sprint(questions(top, []string{api})); got != want {
			t.Errorf("%s: %s, want %s", api, got, want)
		}
	}
}
