package pipeline

import (
	"errors"
	"fmt"
	"path"

	"github.com/coldstart-gitops/gen/internal/component"
)

// artifacts adds what is derived from the whole environment, each artifact in a folder of its own.
func (s Setup) artifacts(p *part) error {
	in := finished(p.result)
	var problems []error
	for _, a := range s.Artifacts {
		files, err := a.Build(in)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: building %s: %w", p.owner, a.Name, err))
		}
		for _, f := range files {
			p.files = append(p.files, file{path.Join(a.Name, f.Name), f.Data})
		}
	}
	return errors.Join(problems...)
}

// finished is the result as artifacts see it.
func finished(result Result) component.Finished {
	in := component.Finished{
		Environment: result.Environment,
		Bundles:     result.Bundles,
		FileOf:      fileOf,
		FolderOf:    func(name string) string { return path.Join(componentsDir, name) },
	}
	for _, r := range result.Rendered {
		in.Components = append(in.Components, r.Component)
	}
	if result.Applications == nil {
		return in
	}
	in.Root, in.Applications = result.Applications.Root, result.Applications.Children
	if needsHealthFragment(result) {
		in.HealthFragment = healthFile
	}
	return in
}
