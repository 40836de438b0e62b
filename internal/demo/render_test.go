package demo_test

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"

	"github.com/coldstart-gitops/gen/internal/demo"
)

// object is a rendered object, as far as these tests look.
type object map[string]any

func (o object) at(fields ...string) any {
	var value any = map[string]any(o)
	for _, field := range fields {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[field]
	}
	return value
}

func (o object) text(fields ...string) string {
	s, _ := o.at(fields...).(string)
	return s
}

// archiveOf fetches a stand-in that the world publishes over HTTP.
func archiveOf(t *testing.T, w *demo.World, name, version string) []byte {
	t.Helper()
	for _, c := range w.Charts() {
		if c.Name == name && c.Version == version && strings.HasPrefix(c.URL, "https://") {
			body, status, err := get(t.Context(), w, withPassword(c.URL))
			if err != nil || status != http.StatusOK {
				t.Fatal(status, err)
			}
			return body
		}
	}
	t.Fatalf("the world has no chart %s %s", name, version)
	return nil
}

// render renders an archive with values as Helm does, release and namespace named.
func render(t *testing.T, archive []byte, release, namespace, values string) []object {
	t.Helper()
	chart, err := loader.LoadArchive(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	var given map[string]any
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		t.Fatal(err)
	}
	if err := chartutil.ProcessDependencies(chart, given); err != nil {
		t.Fatal(err)
	}
	options := common.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(chart, given, options, common.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range chart.CRDObjects() {
		files[crd.Filename] = string(crd.File.Data)
	}
	var objects []object
	for name, text := range files {
		if ext := path.Ext(name); ext == ".yaml" {
			objects = append(objects, decode(t, name, text)...)
		}
	}
	return objects
}

// decode splits and decodes YAML documents.
func decode(t *testing.T, name, text string) []object {
	t.Helper()
	var objects []object
	for _, document := range strings.Split("\n"+text, "\n---") {
		var o object
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, document)
		}
		if len(o) > 0 {
			objects = append(objects, o)
		}
	}
	return objects
}
