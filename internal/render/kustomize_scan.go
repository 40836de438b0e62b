package render

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// scan reads kustomization files before kustomize does, and finds what would leave the folder: remote bases and files, Helm,
// and programs. Kustomize would fetch and run them while it builds.
type scan struct {
	files       fs.FS
	folders     []string // the folders with a kustomization that were visited, in order
	configs     []string // those among them whose objects configure plugins
	setsOpenAPI bool
	mistakes    []error

	lenient bool              // what is not there is absent, no mistake
	absent  []string          // what was left out
	missing []string          // what nobody can find
	changed map[string][]byte // kustomization files without it
	gone    map[string][]string
}

func (s *scan) mistake(format string, args ...any) {
	s.mistakes = append(s.mistakes, fmt.Errorf(format, args...))
}

// folder scans one kustomization and all that it names; from says who names it. Where it is a folder of generators or of
// transformers, its objects configure plugins.
func (s *scan) folder(name, from string, config bool) {
	if config && !slices.Contains(s.configs, name) {
		s.configs = append(s.configs, name)
	} else if slices.Contains(s.folders, name) {
		return
	}
	file, ok := s.kustomizationFile(name, from)
	if !ok {
		return
	}
	s.folders = append(s.folders, name)
	data, err := fs.ReadFile(s.files, file)
	if err != nil {
		s.mistake("%s: reading: %w", file, err)
		return
	}
	k := &types.Kustomization{}
	if err := k.Unmarshal(data); err != nil {
		s.mistake("%s: %w", file, err)
		return
	}
	k.FixKustomization()
	s.setsOpenAPI = s.setsOpenAPI || len(k.OpenAPI) > 0
	if s.lenient {
		defer s.reduce(file)
	}
	s.helm(file, k)
	for _, field := range remoteFields(k) {
		for _, value := range field.values {
			if isRemote(value) && !s.drop(file, field.name, value, value) {
				s.mistake("%s: %s: %s is remote: rendering opens no connection; store it in the model's folder", file, field.name, value)
			}
		}
	}
	s.children(name, file, k, config)
}

// kustomizationFile returns the one kustomization file of a folder, in any of its three spellings.
func (s *scan) kustomizationFile(folder, from string) (string, bool) {
	var found []string
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if info, err := fs.Stat(s.files, path.Join(folder, name)); err == nil && !info.IsDir() {
			found = append(found, path.Join(folder, name))
		}
	}
	switch len(found) {
	case 0:
		s.mistake("%s: kustomization: the folder %s holds no kustomization.yaml", from, folder)
	case 1:
		return found[0], true
	default:
		s.mistake("%s: kustomization: the folder %s holds more than one kustomization file: %s", from, folder, strings.Join(found, ", "))
	}
	return "", false
}

func (s *scan) helm(file string, k *types.Kustomization) {
	if s.lenient {
		for _, c := range k.HelmCharts {
			s.drop(file, "helmCharts", c.Name, fmt.Sprintf("the chart %s %s of %s", c.Name, c.Version, c.Repo))
		}
		return
	}
	if len(k.HelmCharts) > 0 || k.HelmGlobals != nil {
		s.mistake("%s: helmCharts: kustomize would run the helm program: declare the chart as a component of its own, and change its objects by `patches`", file)
	}
}

// children scans what a kustomization names: other folders, and the configuration of plugins.
func (s *scan) children(folder, file string, k *types.Kustomization, config bool) {
	visit := s.child
	if config {
		visit = s.plugin
	}
	for _, name := range k.Resources {
		visit(reference{folder, file, "resources", name})
	}
	for _, name := range k.Components {
		visit(reference{folder, file, "components", name})
	}
	plugins := []field{{"generators", k.Generators}, {"transformers", k.Transformers}, {"validators", k.Validators}}
	for _, plugin := range plugins {
		for _, entry := range plugin.values {
			s.plugin(reference{folder, file, plugin.name, entry})
		}
	}
}

// reference is what a kustomization names: in which folder and file, in which field, and what.
type reference struct{ folder, file, field, name string }

func (r reference) target() string { return path.Join(r.folder, r.name) }

// child follows a name that is a file or a folder with a kustomization.
func (s *scan) child(r reference) { s.follow(r, false) }

func (s *scan) follow(r reference, config bool) {
	if isRemote(r.name) {
		return // a mistake already
	}
	target := r.target()
	info, err := fs.Stat(s.files, target)
	switch {
	case path.IsAbs(r.name) || target == ".." || strings.HasPrefix(target, "../"):
		s.mistake("%s: %s: %s leaves the model's folder", r.file, r.field, r.name)
	case err == nil && info.IsDir():
		s.folder(target, r.file, config)
	case err != nil && errors.Is(err, fs.ErrNotExist) && isHosted(r.name) && s.drop(r.file, r.field, r.name, r.name):
	case err != nil && errors.Is(err, fs.ErrNotExist) && s.lenient && !isHosted(r.name):
		s.missing = append(s.missing, fmt.Sprintf("%s: %s: there is no %s", r.file, r.field, r.name))
	case err != nil && errors.Is(err, fs.ErrNotExist):
		s.mistake("%s: %s: %s is neither a file nor a folder here; a remote base is not fetched: store it in the model's folder", r.file, r.field, r.name)
	case err != nil:
		s.mistake("%s: %s: %s: %w", r.file, r.field, r.name, err)
	}
}

// plugin looks at the configuration of plugins: a file, a folder, or YAML written in place.
func (s *scan) plugin(r reference) {
	text := r.name
	if !strings.Contains(r.name, "\n") {
		s.follow(r, true)
		data, err := fs.ReadFile(s.files, r.target())
		if err != nil {
			return // a folder, or a mistake already
		}
		text = string(data)
	}
	for _, document := range splitYAML(text) {
		objects, _, err := manifest.Decode([]byte(document))
		if err != nil {
			s.mistake("%s: %s: %w", r.file, r.field, err)
			continue
		}
		for _, object := range objects {
			if isPlugin(object) || namesRemote(object.Fields()) {
				if s.drop(r.file, r.field, r.name, "the plugin "+object.ID().String()) {
					continue
				}
				s.mistake("%s: %s: %s runs a program or reads a remote file: rendering does neither", r.file, r.field, object.ID())
			}
		}
	}
}

// drop leaves out what a field of a kustomization file names, where that is asked for and possible.
func (s *scan) drop(file, field, value, what string) bool {
	if !s.lenient || !slices.Contains([]string{"resources", "components", "generators", "transformers", "validators", "helmCharts"}, field) {
		return false
	}
	if s.gone == nil {
		s.gone = map[string][]string{}
	}
	s.gone[file+" "+field] = append(s.gone[file+" "+field], value)
	s.absent = append(s.absent, what)
	return true
}

// reduce remembers a kustomization file without what was dropped.
func (s *scan) reduce(file string) {
	absent := map[string][]string{}
	for key, values := range s.gone {
		if of, field, _ := strings.Cut(key, " "); of == file {
			absent[field] = values
		}
	}
	if len(absent) == 0 {
		return
	}
	data, err := reduced(s.files, file, absent)
	if err != nil {
		s.mistakes = append(s.mistakes, err)
		return
	}
	s.changed[file] = data
}

// field is a field of a kustomization file and the files or folders that it names.
type field struct {
	name   string
	values []string
}

// remoteFields returns the fields whose values kustomize would fetch.
func remoteFields(k *types.Kustomization) []field {
	fields := []field{
		{"resources", k.Resources},
		{"components", k.Components},
		{"crds", k.Crds},
		{"configurations", k.Configurations},
		{"generators", k.Generators},
		{"transformers", k.Transformers},
		{"validators", k.Validators},
		{"openapi.path", []string{k.OpenAPI["path"]}},
	}
	//nolint:staticcheck // deprecated for people who write it; whoever still does must be scanned all the same
	for _, patch := range append(slices.Clone(k.Patches), k.PatchesJson6902...) {
		fields = append(fields, field{"patches", []string{patch.Path}})
	}
	for _, patch := range k.PatchesStrategicMerge { //nolint:staticcheck // the same
		fields = append(fields, field{"patchesStrategicMerge", []string{string(patch)}})
	}
	for _, replacement := range k.Replacements {
		fields = append(fields, field{"replacements", []string{replacement.Path}})
	}
	for _, generator := range k.ConfigMapGenerator {
		fields = append(fields, field{"configMapGenerator", slices.Concat(generator.FileSources, generator.EnvSources)})
	}
	for _, generator := range k.SecretGenerator {
		fields = append(fields, field{"secretGenerator", slices.Concat(generator.FileSources, generator.EnvSources)})
	}
	return fields
}

// isRemote reports whether kustomize would ask the network for a name: a URL, or a git repository in scp's notation. A file
// source may stand behind "key=".
func isRemote(name string) bool {
	if _, source, ok := strings.Cut(name, "="); ok && !strings.Contains(name, "?") {
		name = source
	}
	name = strings.ToLower(strings.TrimSpace(name))
	return !strings.Contains(name, "\n") && (strings.Contains(name, "://") || strings.HasPrefix(name, "git@") || strings.HasPrefix(name, "git::") ||
		strings.Contains(name, "?ref="))
}

// isHosted reports whether a name begins like a host: "github.com/org/repo" is a git repository to kustomize, where there is no such folder.
func isHosted(name string) bool {
	host, _, deeper := strings.Cut(name, "/")
	return deeper && strings.Trim(host, ".") != "" && strings.ContainsAny(host, ".:")
}

// namesRemote reports whether a plugin's configuration names a remote file.
func namesRemote(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"path", "paths", "files", "envs", "env"} {
			if holdsRemote(v[key]) {
				return true
			}
		}
		for _, item := range v {
			if namesRemote(item) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, namesRemote)
	}
	return false
}

func holdsRemote(value any) bool {
	switch v := value.(type) {
	case string:
		return isRemote(v)
	case []any:
		return slices.ContainsFunc(v, holdsRemote)
	}
	return false
}
