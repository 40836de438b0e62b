package render

import (
	"errors"
	"fmt"
	"slices"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
)

// dependencies processes conditions, tags, aliases and imported values of c, which it changes. A dependency that Chart.yaml
// declares, that its condition switches on, and that is not in charts/ is an error; switched off, a notice. (Helm refuses both.)
func (r *run) dependencies(c *chart.Chart, values map[string]any) error {
	absent := absentDependencies(c)
	if err := chartutil.ProcessDependencies(c, values); err != nil {
		return fmt.Errorf("processing dependencies: %w", err)
	}
	if r.lenient {
		r.dropAbsent(c)
	}
	if err := missingDependencies(c); err != nil {
		return err
	}
	for _, d := range absent {
		message := fmt.Sprintf("dependency %s %s is absent from charts/, and switched off%s", d.Name, d.Version, switchedBy(d))
		if isDependency(c, d.Name) {
			message = fmt.Sprintf("charts/ holds another version of dependency %s than %s: it is rendered whatever conditions and tags say", d.Name, d.Version)
		}
		r.notice(Notice{Topic: TopicDependency, Source: "chart " + c.Name(), Message: message})
	}
	return nil
}

// missingDependencies returns an error for each dependency that is switched on in the processed chart c, or in a dependency of
// it, and that charts/ does not hold.
func missingDependencies(c *chart.Chart) error {
	var mistakes []error
	for _, d := range c.Metadata.Dependencies {
		if !isDependency(c, d.Name) {
			mistakes = append(mistakes, fmt.Errorf("dependency %s %s of %s is declared in Chart.yaml and absent from charts/: vendor the chart with its dependencies, or switch this one off%s",
				d.Name, d.Version, c.ChartPath(), switchedBy(d)))
		}
	}
	for _, d := range c.Dependencies() {
		mistakes = append(mistakes, missingDependencies(d))
	}
	return errors.Join(mistakes...)
}

func switchedBy(d *chart.Dependency) string {
	if d.Condition == "" {
		return ""
	}
	return fmt.Sprintf(" by its condition %q", d.Condition)
}

// absentDependencies returns what c declares and does not hold in a version that satisfies it, in the order of Chart.yaml.
func absentDependencies(c *chart.Chart) []*chart.Dependency {
	var absent []*chart.Dependency
	for _, d := range c.Metadata.Dependencies {
		held := slices.ContainsFunc(c.Dependencies(), func(h *chart.Chart) bool {
			return h.Name() == d.Name && chartutil.IsCompatibleRange(d.Version, h.Metadata.Version)
		})
		if !held {
			absent = append(absent, d)
		}
	}
	return absent
}
