package chart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Resolve asks the source for the chart and returns the entry that pins it. It is the network step behind `gen charts lock`; what
// was fetched goes into the cache.
func (s *Store) Resolve(ctx context.Context, source Source) (Entry, error) {
	if err := source.Validate(); err != nil {
		return Entry{}, err
	}
	entry, archive, err := s.resolve(ctx, source)
	if err != nil {
		return Entry{}, err
	}
	content, err := unpack(archive)
	if err == nil {
		err = checkIdentity(source, content)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("reading chart %s from %s: %w", source, entry.URL, err)
	}
	s.cache().put(entry.Digest, archive)
	return entry, nil
}

// resolve fetches by the kind of source.
func (s *Store) resolve(ctx context.Context, source Source) (Entry, []byte, error) {
	if source.isOCI() {
		return s.resolveOCI(ctx, source)
	}
	return s.resolveHTTP(ctx, source)
}

// Open returns exactly the content that the entry pins, as an immutable fs.FS with Chart.yaml at its root: from the vendored archives, else
// from the cache, else from where the entry says that it lies. Content with another digest is an error that names both. However many
// callers ask, one content is fetched once.
func (s *Store) Open(ctx context.Context, source Source, entry Entry) (fs.FS, error) {
	if entry.Source != source {
		return nil, fmt.Errorf("opening chart %s: the lock's entry is for %s; run `%s`", source, entry.Source, LockCommand)
	}
	content, err := s.content.get(ctx, entry.Digest, func() (*files, error) { return s.load(ctx, entry) })
	if err != nil {
		return nil, fmt.Errorf("opening chart %s: %w", source, err)
	}
	return content, nil
}

// load finds the content of an entry.
func (s *Store) load(ctx context.Context, entry Entry) (*files, error) {
	content, err := s.vendored(entry)
	if content != nil || err != nil {
		return content, err
	}
	if content, ok := s.cache().get(entry.Digest); ok {
		return content, nil
	}
	archive, err := s.download(ctx, entry.URL, entry.Digest)
	if err != nil {
		return nil, withMove(entry.Repo, err)
	}
	content, err = contentOf(archive, entry.Digest)
	if err != nil {
		return nil, republished(entry, err)
	}
	s.cache().put(entry.Digest, archive)
	return content, nil
}

// republished explains content that is not what was locked.
func republished(entry Entry, err error) error {
	var other *mismatchError
	if !errors.As(err, &other) {
		return fmt.Errorf("reading %s: %w", entry.URL, err)
	}
	return fmt.Errorf("%s now serves %s, the lock pins %s: the version was published again with other content; look at what changed, then run `%s` to take it, or vendor the old archive from a machine whose cache still has it (`gen charts vendor`)",
		entry.URL, other.got, other.want, LockCommand)
}

// vendoredName is the name of an entry's archive in the folder of vendored archives. It tells people what it is, and by the
// digest it never means two things.
func vendoredName(label, digest string) string {
	return label + "." + digestHex(digest)[:12] + ".tgz"
}

// label names an entry in a file name.
func (e Entry) label() string {
	if e.Name != "" {
		return e.Name + "-" + e.Version
	}
	return path.Base(path.Clean("/" + e.Path + "/" + e.Ref))
}

// vendored opens the vendored archive of an entry, nil if there is none. One with another digest is an error: it lies in git, so
// somebody changed it.
func (s *Store) vendored(entry Entry) (*files, error) {
	if s.options.Root == nil {
		return nil, nil
	}
	at := path.Join(s.options.Vendored, vendoredName(entry.label(), entry.Digest))
	archive, err := fs.ReadFile(s.options.Root, at)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading vendored chart: %w", err)
	}
	content, err := contentOf(archive, entry.Digest)
	if err != nil {
		return nil, fmt.Errorf("reading vendored chart %s: %w; restore it from git, or delete it and run `gen charts vendor`", at, err)
	}
	return content, nil
}

// isOCI says whether the source is in a registry.
func (s Source) isOCI() bool {
	return len(s.Repo) > len(ociScheme) && s.Repo[:len(ociScheme)] == ociScheme
}
