package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/strvals"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Foreign is a chart or a kustomization that other people wrote, to be looked at and not to be written out.
type Foreign struct {
	Input
	SkipCRDs bool           // charts: leave out crds/
	Changes  map[string]any // kustomizations: fields laid over the kustomization, as Argo CD lays spec.source.kustomize
}

// Seen is what a Foreign gives.
type Seen struct {
	Objects []manifest.Object
	Absent  []string // what it names and is not there: dependencies of a chart, remote bases and charts of a kustomization; sorted
	Missing []string // what a kustomization names in its own folder or beside it and is not there, so that nobody can build it
	Folders []string // those of the kustomizations that were read
	Asks    []Question
}

// Look renders what other people wrote as far as it can be rendered without a network: parts that are absent are left out and
// named. No guard looks at the result.
func (r *Renderer) Look(ctx context.Context, in Foreign) (Seen, error) {
	if err := ctx.Err(); err != nil {
		return Seen{}, fmt.Errorf("rendering: %w", err)
	}
	run := &run{renderer: r, in: in.Input, lenient: true, skipCRDs: in.SkipCRDs}
	var rendered rendering
	var err error
	if in.Chart != nil {
		rendered, err = run.lookAtChart()
	} else {
		rendered, err = run.lookAtKustomization(in.Component.Source.Kustomization, in.Changes)
	}
	slices.Sort(run.absent)
	return Seen{Objects: objectsOf(rendered.objects), Absent: slices.Compact(run.absent), Missing: run.missing, Folders: run.folders, Asks: run.questions}, err
}

// lookAtChart runs the templates once: what is generated is of no interest.
func (r *run) lookAtChart() (rendering, error) {
	read, err := r.renderer.loadChart(r.in.Chart, r.in.ChartKey)
	if err != nil {
		return rendering{}, err
	}
	ready, err := r.prepare(copyOf(read.pristine))
	if err != nil {
		return rendering{}, err
	}
	found, err := r.templates(ready, newWorld(r.in.Component.Environment, r.in.Component.Name, false))
	r.questions = questions(ready.chart, ready.asked.sorted())
	return rendering{objects: r.hooks(found)}, err
}

// dropAbsent takes dependencies that are not there out of a chart.
func (r *run) dropAbsent(c *chart.Chart) {
	c.Metadata.Dependencies = slices.DeleteFunc(slices.Clone(c.Metadata.Dependencies), func(d *chart.Dependency) bool {
		absent := !isDependency(c, d.Name)
		if absent {
			r.absent = append(r.absent, fmt.Sprintf("the chart %s %s of %s", d.Name, d.Version, d.Repository))
		}
		return absent
	})
	for _, d := range c.Dependencies() {
		r.dropAbsent(d)
	}
}

// lookAtKustomization builds what is there, and lays changes over it as a kustomization above does.
func (r *run) lookAtKustomization(name string, changes map[string]any) (rendering, error) {
	name = path.Clean(name)
	seen := &scan{files: r.in.Files, lenient: true, changed: map[string][]byte{}}
	seen.folder(name, name, false)
	r.absent, r.folders, r.missing = append(r.absent, seen.absent...), seen.folders, seen.missing
	if err := errors.Join(seen.mistakes...); err != nil || len(seen.missing) > 0 {
		return rendering{}, err
	}
	copied, err := copyFolders(r.in.Files, seen.folders)
	if err != nil {
		return rendering{}, fmt.Errorf("kustomization %s: copying: %w", name, err)
	}
	for file, data := range seen.changed {
		if err := copied.WriteFile(file, data); err != nil {
			return rendering{}, fmt.Errorf("kustomization %s: copying: %w", name, err)
		}
	}
	if name, err = overlay(copied, name, changes); err != nil {
		return rendering{}, err
	}
	documents, err := build(copied, name, seen.setsOpenAPI)
	if err != nil {
		return rendering{}, fmt.Errorf("kustomization %s: building: %w", name, err)
	}
	return r.built(name, documents)
}

// overlaid are the fields of spec.source.kustomize that change which objects there are and how they are called.
var overlaid = []string{"namePrefix", "nameSuffix", "namespace", "patches", "components", "commonAnnotations", "commonLabels", "replicas"}

// overlay writes a kustomization beside another one that lays changes over it, and returns its folder.
func overlay(files filesys.FileSystem, name string, changes map[string]any) (string, error) {
	fields := map[string]any{}
	for _, key := range overlaid {
		if value, ok := changes[key]; ok {
			fields[key] = value
		}
	}
	if len(fields) == 0 {
		return name, nil
	}
	above := path.Join(path.Dir(name), ".overlay")
	back := path.Base(name)
	if name == "." {
		above, back = ".overlay", ""
	}
	fields["apiVersion"], fields["kind"] = "kustomize.config.k8s.io/v1beta1", "Kustomization"
	fields["resources"] = []any{path.Join("..", back)}
	if components, ok := fields["components"].([]any); ok {
		components = slices.Clone(components)
		for i, c := range components {
			text, _ := c.(string)
			components[i] = path.Join("..", back, text)
		}
		fields["components"] = components
	}
	data, err := manifest.Emit(manifest.New(fields))
	if err != nil {
		return "", fmt.Errorf("writing an overlay: %w", err)
	}
	if err := files.MkdirAll(above); err != nil {
		return "", fmt.Errorf("writing an overlay: %w", err)
	}
	return above, files.WriteFile(path.Join(above, "kustomization.yaml"), data)
}

// Values lays values files, values and parameters over each other as `helm template` does: later ones win. Parameters are
// "name=value" texts; those in strings are set as strings.
func Values(files [][]byte, over map[string]any, parameters, strings []string) (map[string]any, error) {
	out := map[string]any{}
	for _, data := range files {
		objects, _, err := manifest.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("reading values: %w", err)
		}
		for _, o := range objects {
			out = mergeValues(out, o.Fields())
		}
	}
	out = mergeValues(out, over)
	for _, p := range parameters {
		if err := strvals.ParseInto(p, out); err != nil {
			return nil, fmt.Errorf("setting %s: %w", p, err)
		}
	}
	for _, p := range strings {
		if err := strvals.ParseIntoString(p, out); err != nil {
			return nil, fmt.Errorf("setting %s: %w", p, err)
		}
	}
	return out, nil
}

// mergeValues lays over on base as Helm lays values files: maps key by key, all else whole.
func mergeValues(base, over map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range base {
		out[key] = value
	}
	for key, value := range over {
		a, okA := out[key].(map[string]any)
		b, okB := value.(map[string]any)
		if okA && okB {
			out[key] = mergeValues(a, b)
			continue
		}
		out[key] = manifest.Copy(value)
	}
	return out
}

// reduced returns a kustomization file without what is not there.
func reduced(files fs.FS, file string, absent map[string][]string) ([]byte, error) {
	data, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, err
	}
	objects, _, err := manifest.Decode(data)
	if err != nil || len(objects) != 1 {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	fields := manifest.Copy(objects[0].Fields()).(map[string]any)
	absent["bases"] = absent["resources"] // as they were once called
	for key, gone := range absent {
		if list, ok := fields[key].([]any); ok {
			fields[key] = slices.DeleteFunc(list, func(item any) bool { text, _ := item.(string); return slices.Contains(gone, text) })
		}
	}
	if fields["generatorOptions"] == nil {
		fields["generatorOptions"] = map[string]any{} // else kustomize refuses one that nothing is left of
	}
	delete(fields, "helmCharts")
	delete(fields, "helmGlobals")
	return manifest.Emit(manifest.New(fields))
}
