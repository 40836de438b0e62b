package render

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// prepared is a chart with its dependencies processed and its values laid out: templates can be run over it, more than once.
type prepared struct {
	chart  *chart.Chart
	values map[string]any
	caps   *capabilities
	asked  *probes
}

// chart renders the component's chart into objects.
func (r *run) chart() ([]located, error) {
	if r.in.Chart == nil {
		return nil, errors.New("rendering a chart: its content was not given")
	}
	read, err := r.renderer.loadChart(r.in.Chart)
	if err != nil {
		return nil, err
	}
	ready, err := r.prepare(copyOf(read.pristine))
	if err != nil {
		return nil, fmt.Errorf("chart %s %s: %w", read.pristine.Name(), read.pristine.Metadata.Version, err)
	}
	files, err := r.templates(ready)
	if err != nil {
		return nil, err
	}
	return r.decodeFiles(files)
}

// prepare processes the dependencies of c, which it changes, and checks what Helm checks before it runs templates.
func (r *run) prepare(c *chart.Chart) (*prepared, error) {
	if strings.EqualFold(c.Metadata.Type, "library") {
		return nil, errors.New("it is a library chart, which renders nothing by itself: name the chart that uses it")
	}
	values := plainValues(r.in.Component.Merged)
	if err := r.dependencies(c, values); err != nil {
		return nil, err
	}
	caps, asked, err := newCapabilities(r.in.Component.KubeVersion, r.in.APIVersions)
	if err != nil {
		return nil, err
	}
	if err := checkKubeVersion(c, caps); err != nil {
		return nil, err
	}
	lay := &coalescer{}
	if err := lay.chart(c, values, ""); err != nil {
		return nil, err
	}
	for _, warning := range lay.warnings {
		r.notice(Notice{Topic: TopicValues, Source: "chart " + c.Name(), Message: "values: " + warning})
	}
	return &prepared{chart: c, values: values, caps: caps, asked: asked}, nil
}

// checkKubeVersion compares the cluster with the kubeVersion of Chart.yaml, as Helm does, for the chart alone and not for its
// dependencies.
func checkKubeVersion(c *chart.Chart, caps *capabilities) error {
	want := c.Metadata.KubeVersion
	if want == "" || chartutil.IsCompatibleRange(want, caps.KubeVersion.String()) {
		return nil
	}
	return fmt.Errorf("it wants Kubernetes %q and the environment has %s: choose another version of the chart, or of Kubernetes", want, caps.KubeVersion.Version)
}

// plainValues returns a copy of values with all numbers as float64: Helm reads values files in this way, and what a template
// prints (1e+06) and compares depends on it.
func plainValues(values map[string]any) map[string]any {
	if values == nil {
		return map[string]any{}
	}
	return plain(values).(map[string]any)
}

func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = plain(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = plain(item)
		}
		return out
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return value
}

// templates runs the chart's templates once and returns what they print, by file, crds/ included.
func (r *run) templates(p *prepared) (map[string]string, error) {
	component := r.in.Component
	top := common.Values{
		"Chart":        map[string]any{}, // the engine fills it for each chart
		"Capabilities": p.caps,
		"Release": map[string]any{
			"Name": component.Release, "Namespace": component.Namespace, "Service": "Helm", "Revision": 1, "IsInstall": true, "IsUpgrade": false,
		},
		"Values": common.Values(manifest.Copy(p.values).(map[string]any)),
	}
	files, err := engine.Engine{}.Render(p.chart, top)
	if err != nil {
		return nil, fmt.Errorf("chart %s %s: running templates: %w%s", p.chart.Name(), p.chart.Metadata.Version, err, r.valuesFrom())
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(files, name)
		}
	}
	for _, crd := range p.chart.CRDObjects() {
		files[path.Clean(crd.Filename)] = string(crd.File.Data)
	}
	return files, nil
}

// valuesFrom names the files of the model that the component's values come from, for an error that a value may have caused.
func (r *run) valuesFrom() string {
	var files []string
	for _, layer := range r.in.Component.Values {
		if place := layer.Origin.String(); place != "" && !slices.Contains(files, place) {
			files = append(files, place)
		}
	}
	if len(files) == 0 {
		return ""
	}
	return " (values from " + strings.Join(files, ", ") + ")"
}
