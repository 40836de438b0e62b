// Package pipeline knows the order of stages and nothing else: load, resolve, render, images, waves, Applications, emit.
package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/chart"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// The names that the layout fixes, below the root.
const (
	ModelDir   = "environments"
	OutputDir  = "output"
	ChartsLock = "charts.lock"
	ImagesLock = "images.lock"
)

// Setup is what a run works with. It is a plain value, and nobody changes it.
type Setup struct {
	Root        string // folder that holds environments/ and output/
	Model       fs.FS  // the model's folder, where it is not that of Root: the model of a commit
	Cache       string // folder of this machine's caches; none where it says nothing
	Version     string // of the tool, as the model's gen.version states it
	Build       string // changes with every build of the tool: part of the key of whatever is cached; no render cache where it says nothing
	Jobs        int    // components worked on at once; GOMAXPROCS where it is 0
	Definitions []component.Definition
	Artifacts   []component.Artifact
	Transport   http.RoundTripper // for chart repositories and registries; http.DefaultTransport where it says nothing
	Credentials chart.Credentials // for chart repositories; may be nil
	Stall       time.Duration     // how long a chart repository may fall silent; the chart package's own where it is 0

	// Argo CD's own types stand behind these, so that nothing but the binary links them.
	EncodeApplication func(argocd.Application) (manifest.Object, error)
	EncodeProject     func(argocd.Project) (manifest.Object, error)

	Judge func(argocd.Version, manifest.Object) (func(manifest.Object) (*argocd.Health, error), error)

	Today string // YYYY-MM-DD: assumptions of before count for nothing; all count where it is empty

	Waits func() // called when a run that writes has to wait for another one to end; may be nil

	Strict bool // refuse to finish while a place that names an image at a mirrored registry is neither proven nor rewritten

	Environments []string // globs; all where empty
	Components   []string // globs; all where empty
}

func (s Setup) jobs() int {
	if s.Jobs > 0 {
		return s.Jobs
	}
	return runtime.GOMAXPROCS(0)
}

func (s Setup) outputDir() string { return filepath.Join(s.Root, OutputDir) }

// partial reports whether only some components are wanted.
func (s Setup) partial() bool { return len(s.Components) > 0 }

// Wants reports whether the component is one of those that the run was asked for. NAME takes NAME-config along: whether anything is
// split off is known only once all is rendered.
func (s Setup) Wants(name string) bool {
	base, _ := strings.CutSuffix(name, component.ConfigSuffix)
	return !s.partial() || matches(s.Components, name) || matches(s.Components, base)
}

// Plan is one environment and the components that it resolves to.
type Plan struct {
	Environment *environment.Environment
	Components  []component.Component // sorted by name
}

// Load reads the model and resolves the environments that the setup selects, sorted by name. Every mistake of every file is joined.
func (s Setup) Load() ([]Plan, error) {
	model, closeModel, err := s.model()
	if err != nil {
		return nil, err
	}
	defer closeModel()
	environments, err := environment.Load(model, environment.Options{
		Known:       component.Known(s.Definitions),
		ToolVersion: s.Version,
		Folder:      ModelDir,
		Select:      s.Environments,
	})
	if err != nil {
		return nil, err
	}
	plans := make([]Plan, len(environments))
	problems := make([]error, len(environments))
	for i, env := range environments {
		components, err := component.Resolve(env, s.Definitions)
		plans[i], problems[i] = Plan{env, components}, err
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return plans, errors.Join(checkImageFields(plans), s.checkComponents(plans))
}

// checkComponents refuses a selection that selects nothing: a misspelt name would look like success.
func (s Setup) checkComponents(plans []Plan) error {
	for _, glob := range s.Components {
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("--component %s: %w", glob, err)
		}
		one := Setup{Components: []string{glob}}
		found := slices.ContainsFunc(plans, func(p Plan) bool {
			return slices.ContainsFunc(p.Components, func(c component.Component) bool {
				return one.Wants(c.Name) || one.Wants(c.Name+component.ConfigSuffix)
			})
		})
		if !found {
			return fmt.Errorf("--component %s: no component of the selected environments has such a name: see `gen list`", glob)
		}
	}
	return nil
}

// model opens the model's folder so that no link in it leads out.
func (s Setup) model() (fs.FS, func(), error) {
	if s.Model != nil {
		return s.Model, func() {}, nil
	}
	root, err := os.OpenRoot(filepath.Join(s.Root, ModelDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s has no folder %s: `gen init` writes a starter, -C names another folder", s.Root, ModelDir)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("opening the model: %w", err)
	}
	return regularFiles{root.FS()}, func() { _ = root.Close() }, nil
}

// readModelFile reads a lock; one that is not there is empty.
func (s Setup) readModelFile(name string) ([]byte, error) {
	model, closeModel, err := s.model()
	if err != nil {
		return nil, err
	}
	defer closeModel()
	data, err := fs.ReadFile(model, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s/%s: %w", ModelDir, name, err)
	}
	return data, nil
}

// writeModelFile replaces a lock in one step.
func (s Setup) writeModelFile(name string, data []byte) error {
	target := filepath.Join(s.Root, ModelDir, name)
	if err := replaceFile(target, data); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}
