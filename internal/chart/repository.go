package chart

import (
	"context"
	"fmt"
	"net/url"
	"strings"
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
	case strings.ContainsAny(s.Version, `/\ <>=~^|,`):
		return fmt.Errorf("reading chart repository %s: chart %s: %q is no exact version; ranges change under a rebuild", s.Repo, s.Name, s.Version)
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
		return Entry{}, nil, &lieError{source: source, at: at, said: archivePrefix + said, got: entry.Digest}
	}
	return entry, archive, nil
}

// lieError says that an index and the archive that it names contradict each other.
type lieError struct {
	source        Source
	at, said, got string
}

// Error names both digests.
func (e *lieError) Error() string {
	return fmt.Sprintf("fetching chart %s: the index says %s, the archive at %s is %s: one of them was changed after it was published; ask who runs the repository, or vendor a copy that you trust", e.source, e.said, e.at, e.got)
}

// ask looks a chart up in its repository and fetches it.
func (s *Store) ask(ctx context.Context, source Source) (Entry, []byte, error) {
	if strings.HasPrefix(source.Repo, ociScheme) {
		return s.resolveOCI(ctx, source)
	}
	return s.resolveHTTP(ctx, source)
}

// download reads an archive from where it lies. A digest, if known, lets a registry answer by content.
func (s *Store) download(ctx context.Context, at, digest string) ([]byte, error) {
	s.fetches.Add(1)
	if strings.HasPrefix(at, ociScheme) {
		return s.pull(ctx, at, digest)
	}
	return s.http.get(ctx, wanted{address: at, limit: maxArchive, asStored: true})
}
