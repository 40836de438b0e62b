package chart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// Resolve asks the source for the chart and returns the entry that pins it, with the dependencies that the chart declares but does not
// hold. It is the network step behind `gen charts lock`, and asks once for each source; what was fetched goes into the cache.
func (s *Store) Resolve(ctx context.Context, source Source) (Entry, error) {
	if err := source.Validate(); err != nil {
		return Entry{}, err
	}
	return s.resolved.get(ctx, source, func() (Entry, error) { return s.resolve(ctx, source) })
}

// resolve resolves by the kind of source.
func (s *Store) resolve(ctx context.Context, source Source) (Entry, error) {
	switch {
	case source.Repo != "":
		return s.keep(s.ask(ctx, source))
	case source.Git != "":
		return s.resolveGit(ctx, source)
	}
	if s.options.Root == nil {
		return Entry{}, fmt.Errorf("reading chart %s: no folder was given to look in", source)
	}
	return s.resolveTree(ctx, s.options.Root, Entry{Source: source})
}

// keep reads a fetched archive and stores it.
func (s *Store) keep(entry Entry, archive []byte, err error) (Entry, error) {
	if err != nil {
		return Entry{}, err
	}
	content, err := unpack(archive)
	if err == nil {
		err = checkIdentity(entry.Source, content)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("reading chart %s from %s: %w", entry.Source, entry.URL, err)
	}
	s.cache().put(entry.Digest, archive)
	return entry, nil
}

// checkIdentity refuses an archive that is another chart than its address says.
func checkIdentity(source Source, content *files) error {
	m, err := readMetadata(content)
	if err != nil {
		return err
	}
	if m.Name != source.Name || !sameVersion(m.Version, source.Version) {
		return fmt.Errorf("the archive holds chart %s %s; tell who runs the repository", m.Name, m.Version)
	}
	return nil
}

// resolveGit reads the chart at the ref, and pins the ref's commit.
func (s *Store) resolveGit(ctx context.Context, source Source) (Entry, error) {
	var entry Entry
	s.fetches.Add(1)
	err := checkout(ctx, source.Git, source.Ref, func(tree fs.FS, commit string) error {
		var err error
		if entry, err = s.resolveTree(ctx, tree, Entry{Source: source, Commit: commit}); err != nil {
			return err
		}
		return s.keepTree(tree, entry)
	})
	return entry, err
}

// keepTree stores what an entry takes from a git repository.
func (s *Store) keepTree(tree fs.FS, entry Entry) error {
	for _, p := range entry.pins() {
		if p.git == "" {
			continue
		}
		content, _, err := readLocal(tree, p.path)
		if err != nil {
			return err
		}
		archive, err := archiveOf(tree, p, content)
		if err != nil {
			return err
		}
		s.cache().put(p.digest, archive)
	}
	return nil
}

// resolveTree completes an entry whose chart lies in a folder. An archive holds its dependencies, or does so on purpose not.
func (s *Store) resolveTree(ctx context.Context, tree fs.FS, entry Entry) (Entry, error) {
	content, digest, err := readLocal(tree, entry.Path)
	if err != nil {
		return Entry{}, fmt.Errorf("reading chart %s: %w", entry.Source, err)
	}
	if _, err := readMetadata(content); err != nil {
		return Entry{}, fmt.Errorf("reading chart %s: %w", entry.Source, err)
	}
	entry.Digest = digest
	if !isTree(digest) {
		return entry, nil
	}
	entry.Dependencies, err = s.resolveDependencies(ctx, holder{tree: tree, path: path.Clean(entry.Path)}, content)
	if err != nil {
		return Entry{}, fmt.Errorf("resolving the dependencies of chart %s: %w", entry.Source, err)
	}
	return entry, nil
}

// readLocal reads a chart that lies in a file system, as a folder or an archive, with its digest.
func readLocal(tree fs.FS, at string) (*files, string, error) {
	at = path.Clean(at)
	about, err := fs.Stat(tree, at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%s: no such file or folder", at)
	}
	if err != nil {
		return nil, "", err
	}
	if about.IsDir() {
		content, err := readFolder(tree, at)
		if err != nil {
			return nil, "", err
		}
		return content, treeDigest(content), nil
	}
	archive, err := readArchive(tree, at, about)
	if err != nil {
		return nil, "", err
	}
	content, err := unpack(archive)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", at, err)
	}
	return content, archiveDigest(archive), nil
}

// localDigest is the digest that readLocal returns, without unpacking an archive for it.
func localDigest(tree fs.FS, at string) (string, error) {
	at = path.Clean(at)
	about, err := fs.Stat(tree, at)
	if err != nil {
		return "", err
	}
	if about.IsDir() {
		_, digest, err := readLocal(tree, at)
		return digest, err
	}
	archive, err := readArchive(tree, at, about)
	if err != nil {
		return "", err
	}
	return archiveDigest(archive), nil
}

func readArchive(tree fs.FS, at string, about fs.FileInfo) ([]byte, error) {
	if about.Size() > maxArchive {
		return nil, tooLarge(at, maxArchive)
	}
	return fs.ReadFile(tree, at)
}
