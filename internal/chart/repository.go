package chart

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/Masterminds/semver/v3"
	"go.yaml.in/yaml/v3"
)

// validateRepo checks the forms in which a repository can be written.
func (s Source) validateRepo() error {
	u, err := url.Parse(s.Repo)
	switch {
	case err != nil:
		return fmt.Errorf("reading chart repository %q: it is no URL; write https://… or oci://…", redact(s.Repo))
	case u.User != nil:
		return fmt.Errorf("reading chart repository %s: it holds a login, which would stand in git; put the login into the netrc file", redact(s.Repo))
	case s.Name == "" || strings.ContainsAny(s.Name, `/\:@ `):
		return fmt.Errorf("reading chart repository %s: %q is no name of a chart", s.Repo, s.Name)
	case s.Version == "":
		return fmt.Errorf("reading chart repository %s: chart %s has no version; state an exact one", s.Repo, s.Name)
	case u.Scheme == "oci":
		return s.validateOCI(u)
	case (u.Scheme == "https" || u.Scheme == "http") && u.Host != "":
		return s.validateHTTP(u)
	}
	return fmt.Errorf("reading chart repository %q: it has no scheme that is known; write https://… for a repository with an index.yaml, oci://%s for a registry", s.Repo, strings.TrimPrefix(s.Repo, u.Scheme+"://"))
}

// resolveHTTP looks a chart up in its repository's index, fetches it and compares it with what the index says of it.
func (s *Store) resolveHTTP(ctx context.Context, source Source) (Entry, []byte, error) {
	x, err := s.readIndex(ctx, source.Repo)
	if err != nil {
		return Entry{}, nil, err
	}
	found, err := x.find(source.Name, source.Version)
	if err != nil {
		return Entry{}, nil, err
	}
	at, err := x.location(found)
	if err != nil {
		return Entry{}, nil, err
	}
	archive, err := s.download(ctx, at, "")
	if err != nil {
		return Entry{}, nil, fmt.Errorf("fetching chart %s: %w", source, err)
	}
	entry := Entry{Source: source, Digest: archiveDigest(archive), URL: at}
	if said := strings.TrimPrefix(found.Digest, archivePrefix); said != "" && said != digestHex(entry.Digest) {
		return Entry{}, nil, fmt.Errorf("fetching chart %s: the index says %s%s, the archive at %s is %s: one of them was changed after it was published; ask who runs the repository, or vendor a copy that you trust",
			source, archivePrefix, said, at, entry.Digest)
	}
	return entry, archive, nil
}

// download reads an archive from where it lies. A digest, if known, lets a registry answer by content.
func (s *Store) download(ctx context.Context, at, digest string) ([]byte, error) {
	s.fetches.Add(1)
	if strings.HasPrefix(at, ociScheme) {
		return s.pull(ctx, at, digest)
	}
	return s.http.get(ctx, wanted{address: at, limit: maxArchive, asStored: true})
}

// metadata is what is needed of a Chart.yaml.
type metadata struct {
	APIVersion   string     `yaml:"apiVersion"`
	Name         string     `yaml:"name"`
	Version      string     `yaml:"version"`
	Dependencies []declared `yaml:"dependencies"`
}

// readMetadata reads Chart.yaml, and requirements.yaml of charts that still have one.
func readMetadata(f *files) (metadata, error) {
	var m metadata
	for _, name := range []string{chartFile, "requirements.yaml"} {
		data, ok := f.data[name]
		if !ok && name != chartFile {
			continue
		}
		if err := yaml.Unmarshal(data, &m); err != nil {
			return m, fmt.Errorf("reading %s: %w", name, err)
		}
	}
	if m.Name == "" || m.Version == "" {
		return m, fmt.Errorf("reading %s: it has no name or no version", chartFile)
	}
	return m, nil
}

// checkIdentity refuses an archive that is another chart than its address says.
func checkIdentity(source Source, f *files) error {
	m, err := readMetadata(f)
	if err != nil || source.Repo == "" {
		return err
	}
	if m.Name != source.Name || !sameVersion(m.Version, source.Version) {
		return fmt.Errorf("the archive holds chart %s %s", m.Name, m.Version)
	}
	return nil
}

// sameVersion compares two versions as texts, then by meaning.
func sameVersion(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := semver.NewVersion(a)
	y, errY := semver.NewVersion(b)
	return errX == nil && errY == nil && x.Equal(y) && x.Metadata() == y.Metadata()
}

// declared is one dependency in Chart.yaml.
type declared struct {
	Name       string `yaml:"name"`
	Version    string `yaml:"version"`
	Repository string `yaml:"repository"`
	Alias      string `yaml:"alias"`
	Condition  string `yaml:"condition"`
}
