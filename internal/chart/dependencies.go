package chart

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// maxNesting is how deep file:// dependencies may lead to further ones.
const maxNesting = 8

// holder is the place of a chart whose dependencies are looked for.
type holder struct {
	tree   fs.FS
	path   string // of its folder in tree
	under  string // where it is put in the chart that is opened: "" or "charts/common-0.1.0/"
	nested int
}

// resolveDependencies pins what a chart declares and does not hold in charts/. Whether a dependency is wanted depends on values, which are
// not known here: all are pinned, and rendering leaves out what a condition switches off.
func (s *Store) resolveDependencies(ctx context.Context, h holder, content *files) ([]Dependency, error) {
	m, err := readMetadata(content)
	if err != nil {
		return nil, err
	}
	locked, err := readChartLock(content)
	if err != nil {
		return nil, err
	}
	held := heldCharts(content)
	var all []Dependency
	var problems []error
	for _, d := range m.Dependencies {
		if versions, ok := held[d.Name]; ok {
			problems = append(problems, d.checkHeld(versions))
			continue
		}
		found, err := s.resolveDependency(ctx, h, d, locked)
		if err != nil {
			problems = append(problems, fmt.Errorf("dependency %s: %w", d.Name, err))
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b Dependency) int { return strings.Compare(a.At, b.At) })
	return slices.Compact(all), errors.Join(problems...)
}

// checkHeld refuses a chart in charts/ whose version the declaration does not take: Helm would leave it out without a word.
func (d declared) checkHeld(versions []string) error {
	for _, version := range versions {
		if ok, err := d.accepts(version); err != nil || ok {
			return err
		}
	}
	return fmt.Errorf("dependency %s: charts/ holds %s, %s asks for %q; run `helm dependency update`, or take it out of charts/", d.Name, strings.Join(versions, ", "), chartFile, d.Version)
}

// accepts says whether the declaration takes a version.
func (d declared) accepts(version string) (bool, error) {
	constraint, err := semver.NewConstraint(cmp.Or(d.Version, "*"))
	if err != nil {
		return false, fmt.Errorf("dependency %s: version %q is no range: %w", d.Name, d.Version, err)
	}
	v, err := semver.NewVersion(version)
	return err == nil && constraint.Check(v), nil
}

// resolveDependency pins one dependency, and what it needs in turn if it is a folder.
func (s *Store) resolveDependency(ctx context.Context, h holder, d declared, locked map[string]string) ([]Dependency, error) {
	switch {
	case d.Name == "" || strings.ContainsAny(d.Name, `/\`):
		return nil, fmt.Errorf("%q is no name of a chart", d.Name)
	case d.Repository == "":
		return nil, fmt.Errorf("%s names no repository, and charts/ does not hold it; put it there, or name its repository", chartFile)
	case strings.HasPrefix(d.Repository, "@"), strings.HasPrefix(d.Repository, "alias:"):
		return nil, fmt.Errorf("repository %q is a name of the helm program on one machine; write its URL", d.Repository)
	case strings.HasPrefix(d.Repository, "file://"):
		return s.resolveNeighbour(ctx, h, d)
	}
	version, err := s.choose(ctx, d, locked[d.Name])
	if err != nil {
		return nil, err
	}
	entry, err := s.Resolve(ctx, Source{Repo: d.Repository, Name: d.Name, Version: version})
	if err != nil {
		return nil, err
	}
	return []Dependency{{
		At: h.at(d.Name, version), Repo: d.Repository, Name: d.Name, Version: version, Digest: entry.Digest, URL: entry.URL,
	}}, nil
}

// at is where a dependency is put.
func (h holder) at(name, version string) string { return h.under + "charts/" + name + "-" + version }

// resolveNeighbour pins a chart that lies in the same file system.
func (s *Store) resolveNeighbour(ctx context.Context, h holder, d declared) ([]Dependency, error) {
	at := path.Join(h.path, strings.TrimPrefix(d.Repository, "file://"))
	if h.nested == maxNesting {
		return nil, fmt.Errorf("%s: dependencies lead on for more than %d folders; do they lead in a circle?", d.Repository, maxNesting)
	}
	if err := validPath(at); err != nil || strings.HasPrefix(d.Repository, "file:///") {
		return nil, fmt.Errorf("%s: it leaves the folder that all paths start in; move the chart there, or put it into charts/", d.Repository)
	}
	content, digest, err := readLocal(h.tree, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Repository, err)
	}
	m, err := readMetadata(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Repository, err)
	}
	if err := d.checkHeld([]string{m.Version}); err != nil || m.Name != d.Name {
		return nil, cmp.Or(err, fmt.Errorf("%s holds chart %s", d.Repository, m.Name))
	}
	own := Dependency{At: h.at(m.Name, m.Version), Path: at, Name: m.Name, Version: m.Version, Digest: digest}
	if !isTree(digest) {
		return []Dependency{own}, nil
	}
	rest, err := s.resolveDependencies(ctx, holder{tree: h.tree, path: at, under: own.At + "/", nested: h.nested + 1}, content)
	return append([]Dependency{own}, rest...), err
}

// choose returns the version of a dependency: what Chart.lock says, else an exact version as it stands, else the newest that is accepted.
func (s *Store) choose(ctx context.Context, d declared, locked string) (string, error) {
	if locked != "" {
		ok, err := d.accepts(locked)
		if err == nil && !ok {
			err = fmt.Errorf("Chart.lock says %s, %s asks for %q; run `helm dependency update`", locked, chartFile, d.Version)
		}
		return locked, err
	}
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(d.Version, "v")); err == nil {
		return d.Version, nil
	}
	constraint, err := semver.NewConstraint(cmp.Or(d.Version, "*"))
	if err != nil {
		return "", fmt.Errorf("version %q is no range: %w", d.Version, err)
	}
	versions, err := s.versions(ctx, Source{Repo: d.Repository, Name: d.Name, Version: "*"})
	if err != nil {
		return "", err
	}
	best := newestOf(versions, constraint.Check)
	if best == "" {
		return "", fmt.Errorf("%s has no version of it that fits %q", redact(d.Repository), d.Version)
	}
	return best, nil
}

// versions lists the versions of a chart in its repository.
func (s *Store) versions(ctx context.Context, source Source) ([]string, error) {
	if err := source.Validate(); err != nil {
		return nil, err
	}
	if strings.HasPrefix(source.Repo, ociScheme) {
		return s.tags(ctx, source)
	}
	x, err := s.readIndex(ctx, source.Repo)
	if err != nil {
		return nil, err
	}
	listed, err := x.versions(source.Name)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, v := range listed {
		all = append(all, v.Version)
	}
	return all, nil
}

// heldCharts returns the versions of each chart that lies in charts/ as a folder or archive, by name. What cannot be read there is
// rendering's to complain about.
func heldCharts(content *files) map[string][]string {
	held := map[string][]string{}
	for _, name := range content.names {
		rest, ok := strings.CutPrefix(name, "charts/")
		if !ok {
			continue
		}
		var inner *files
		var err error
		switch folder, file, nested := strings.Cut(rest, "/"); {
		case strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "_"):
			continue // Helm leaves these out
		case nested && file == chartFile:
			inner, err = newFiles(map[string][]byte{chartFile: bytes.Clone(content.data["charts/"+folder+"/"+chartFile])})
		case !nested && path.Ext(rest) == ".tgz":
			inner, err = unpack(content.data[name])
		default:
			continue
		}
		if err != nil {
			continue
		}
		if m, err := readMetadata(inner); err == nil {
			held[m.Name] = append(held[m.Name], m.Version)
		}
	}
	return held
}
