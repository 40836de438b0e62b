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
func (r *run) chart() (rendering, error) {
	if r.in.Chart == nil {
		return rendering{}, errors.New("rendering a chart: its content was not given")
	}
	read, err := r.renderer.loadChart(r.in.Chart, r.in.ChartKey)
	if err != nil {
		return rendering{}, err
	}
	ready, err := r.prepare(copyOf(read.pristine))
	if err != nil {
		return rendering{}, fmt.Errorf("chart %s %s: %w", read.pristine.Name(), read.pristine.Metadata.Version, err)
	}
	seen := newWorld(r.in.Component.Environment, r.in.Component.Name, false)
	found, err := r.templates(ready, seen)
	if err != nil {
		return rendering{}, err
	}
	r.reportWorld(ready, seen)
	made, err := r.generated(ready, seen, found)
	return rendering{objects: r.hooks(found), generated: made}, err
}

// generated runs the templates once more in another world, if the first run generated something.
func (r *run) generated(ready *prepared, first *world, found []located) (*generated, error) {
	if len(first.generated) == 0 {
		return nil, nil
	}
	again := &run{renderer: r.renderer, in: r.in} // its notices are those of the first run
	other, err := again.templates(ready, newWorld(r.in.Component.Environment, r.in.Component.Name, true))
	if err != nil {
		return nil, err
	}
	leaves, err := compareRuns(found, other)
	return &generated{functions: slices.Sorted(maps.Keys(first.generated)), leaves: leaves, ready: ready}, err
}

// reportWorld says what templates asked of a cluster or of the network, and which APIs they missed.
func (r *run) reportWorld(ready *prepared, seen *world) {
	chart := "chart " + ready.chart.Name()
	for _, question := range slices.Sorted(maps.Keys(seen.asked)) {
		r.notice(Notice{Topic: TopicLookup, Source: chart, Message: question + ": answered with nothing, since rendering asks no cluster: set the chart's value that states what it looks for"})
	}
	r.absentAPIs = ready.asked.sorted()
	for _, version := range r.absentAPIs {
		r.notice(Notice{Level: Note, Topic: TopicAPI, Source: chart, Message: fmt.Sprintf(
			"a template asks whether the cluster serves %s: no, unless a component among `needs` provides it or `apiVersions` states it", version)})
	}
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
	if err := r.checkSchemas(c, values); err != nil {
		return nil, err
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

// templates runs the chart's templates once in a world and decodes what they print, and crds/.
func (r *run) templates(p *prepared, seen *world) ([]located, error) {
	component := r.in.Component
	top := common.Values{
		"Chart":        map[string]any{}, // the engine fills it for each chart
		"Capabilities": p.caps,
		"Release": map[string]any{
			"Name": component.Release, "Namespace": component.Namespace, "Service": "Helm", "Revision": 1, "IsInstall": true, "IsUpgrade": false,
		},
		"Values": common.Values(manifest.Copy(p.values).(map[string]any)),
	}
	functions := seen.functions()
	if r.lenient {
		maps.Copy(functions, Bounded())
	}
	printed, err := engine.Engine{CustomTemplateFuncs: functions}.Render(p.chart, top)
	if err != nil {
		return nil, fmt.Errorf("chart %s %s: running templates: %w%s", p.chart.Name(), p.chart.Metadata.Version, folded(err), r.valuesFrom())
	}
	return r.decodeFiles(r.printed(p.chart, printed))
}

// printed returns what templates printed, without notes, and the files of crds/, which are no templates.
func (r *run) printed(c *chart.Chart, printed map[string]string) []file {
	var files []file
	for _, name := range slices.Sorted(maps.Keys(printed)) {
		switch content := printed[name]; {
		case isBlank(content):
		case strings.HasSuffix(name, "NOTES.txt"):
			r.notice(Notice{Level: Note, Topic: TopicDropped, Source: name, Message: "left out: notes for a person"})
		default:
			files = append(files, file{name: name, content: content, rendered: true})
		}
	}
	for _, crd := range c.CRDObjects() {
		if r.skipCRDs {
			break
		}
		files = append(files, file{name: path.Clean(crd.Filename), content: string(crd.File.Data)})
	}
	return files
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
