package chart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"
)

// Open returns exactly the content that the entry pins, as an immutable fs.FS with Chart.yaml at its root: from the vendored archives, else
// from the cache, else from where the entry says that it lies. Pinned dependencies lie in charts/. Content with another digest is an error
// that names both. However many callers ask, one content is fetched once.
func (s *Store) Open(ctx context.Context, source Source, entry Entry) (fs.FS, error) {
	if entry.Source != source {
		return nil, fmt.Errorf("opening chart %s: the lock's entry is for %s; run `%s`", source, entry.Source, LockCommand)
	}
	content, err := s.opened.get(ctx, entry.line(), func() (*files, error) { return s.assemble(ctx, entry) })
	if err != nil {
		return nil, fmt.Errorf("opening chart %s: %w", source, err)
	}
	return content, nil
}

// assemble puts the pinned dependencies into their chart.
func (s *Store) assemble(ctx context.Context, entry Entry) (*files, error) {
	pins := entry.pins()
	content, err := s.content.get(ctx, pins[0].digest, func() (*files, error) { return s.load(ctx, pins[0]) })
	if err != nil || len(pins) == 1 {
		return content, err
	}
	data := maps.Clone(content.data)
	for i, p := range pins[1:] {
		part, err := s.content.get(ctx, p.digest, func() (*files, error) { return s.load(ctx, p) })
		if err != nil {
			return nil, fmt.Errorf("its dependency %s: %w", p.label, err)
		}
		for name, file := range part.data {
			data[entry.Dependencies[i].At+"/"+name] = file
		}
	}
	return newFiles(data)
}

// pin is one content to find: of an entry, or of a dependency in it.
type pin struct {
	label  string // names it in files and messages: cilium-1.19.4
	digest string
	repo   string // repositories
	url    string
	git    string // git
	commit string
	path   string // git, or the model's folder
}

// pins returns the entry's own content first, then its dependencies in order.
func (e Entry) pins() []pin {
	own := pin{label: e.label(), digest: e.Digest, repo: e.Repo, url: e.URL, git: e.Git, commit: e.Commit, path: e.Path}
	all := []pin{own}
	for _, d := range e.Dependencies {
		p := pin{label: d.Name + "-" + d.Version, digest: d.Digest, repo: d.Repo, url: d.URL, path: d.Path}
		if d.Path != "" {
			p.git, p.commit = e.Git, e.Commit
		}
		all = append(all, p)
	}
	return all
}

// local says whether the content lies in the model's folder.
func (p pin) local() bool { return p.repo == "" && p.git == "" }

// place says where the content lies, for messages.
func (p pin) place() string {
	switch {
	case p.repo != "":
		return p.url
	case p.git != "":
		return fmt.Sprintf("%s of commit %s of %s", p.path, p.commit, redact(p.git))
	}
	return p.path
}

// Stands says whether an entry may be kept without asking its source: one of a folder or archive in the model's folder while that is what was
// pinned, any other until somebody asks for newer content.
func (s *Store) Stands(entry Entry) bool {
	for _, p := range entry.pins() {
		if !p.local() {
			continue
		}
		if s.options.Root == nil {
			return false
		}
		look, _ := s.local.LoadOrStore(p.path, sync.OnceValues(func() (string, error) { return localDigest(s.options.Root, p.path) }))
		if digest, err := look.(func() (string, error))(); err != nil || digest != p.digest {
			return false
		}
	}
	return true
}

// Intact says whether all that lies in the model's folder is what the entry pins: local charts as in Stands, and vendored archives, which
// somebody may have changed since they were stored. What another folder's cache holds must not hide that.
func (s *Store) Intact(entry Entry) bool {
	if !s.Stands(entry) {
		return false
	}
	for _, p := range entry.pins() {
		if p.local() || s.options.Root == nil {
			continue
		}
		at := path.Join(s.options.Vendored, p.vendoredName())
		look, _ := s.local.LoadOrStore(at, sync.OnceValues(func() (string, error) {
			if digest, err := localDigest(s.options.Root, at); errors.Is(err, fs.ErrNotExist) || err == nil && digest == p.digest {
				return "", nil
			}
			_, err := s.vendored(p) // the digest may be that of the content, not of the archive
			return "", err
		}))
		if _, err := look.(func() (string, error))(); err != nil {
			return false
		}
	}
	return true
}

// load finds the content of a pin.
func (s *Store) load(ctx context.Context, p pin) (*files, error) {
	if p.local() {
		return s.loadLocal(p)
	}
	content, err := s.vendored(p)
	if content != nil || err != nil {
		return content, err
	}
	if content, ok := s.cache().get(p.digest); ok {
		return content, nil
	}
	archive, content, err := s.fetch(ctx, p)
	if err != nil {
		return nil, err
	}
	s.cache().put(p.digest, archive)
	return content, nil
}

// loadLocal reads a folder or archive of the model's folder, which must be as it was when it was locked.
func (s *Store) loadLocal(p pin) (*files, error) {
	content, digest, err := readLocal(s.options.Root, p.path)
	if err != nil {
		return nil, err
	}
	if digest != p.digest {
		return nil, fmt.Errorf("%s is %s, the lock pins %s: it changed since it was locked; run `%s`", p.path, digest, p.digest, LockCommand)
	}
	return content, nil
}

// fetch reads a pin's content from where it lies, and verifies it.
func (s *Store) fetch(ctx context.Context, p pin) ([]byte, *files, error) {
	if p.git != "" {
		return s.fetchGit(ctx, p)
	}
	archive, err := s.download(ctx, p.url, p.digest)
	if err != nil {
		return nil, nil, s.explain(ctx, p, err)
	}
	content, err := contentOf(archive, p.digest)
	if err != nil {
		return nil, nil, republished(p, err)
	}
	return archive, content, nil
}

// explain says why locked content cannot be had: its repository is gone, or a registry holds other content under its tag now.
func (s *Store) explain(ctx context.Context, p pin, err error) error {
	if !gone(err) || !strings.HasPrefix(p.url, ociScheme) {
		return whetherDead(p.repo, err)
	}
	now, tagErr := s.layerAt(ctx, p.url)
	if tagErr != nil || now == p.digest {
		return whetherDead(p.repo, err)
	}
	return republished(p, &mismatchError{want: p.digest, got: now})
}

// fetchGit reads a pin's content from its commit, and verifies it.
func (s *Store) fetchGit(ctx context.Context, p pin) ([]byte, *files, error) {
	var archive []byte
	var content *files
	s.fetches.Add(1)
	err := checkout(ctx, p.git, p.commit, func(tree fs.FS, _ string) error {
		read, digest, err := readLocal(tree, p.path)
		if err != nil {
			return err
		}
		if digest != p.digest {
			return republished(p, &mismatchError{want: p.digest, got: digest})
		}
		content = read
		archive, err = archiveOf(tree, p, read)
		return err
	})
	return archive, content, err
}

// archiveOf returns the bytes to store of a content: the archive itself where there is one, else the packed folder.
func archiveOf(tree fs.FS, p pin, content *files) ([]byte, error) {
	if isTree(p.digest) {
		return packFiles(content, p.label)
	}
	return fs.ReadFile(tree, p.path)
}

// republished explains content that is not what was locked.
func republished(p pin, err error) error {
	var other *mismatchError
	if !errors.As(err, &other) {
		return fmt.Errorf("reading %s: %w", p.place(), err)
	}
	return fmt.Errorf("%s now serves %s, the lock pins %s: the version was published again with other content; look at what changed, then run `%s` to take it, or vendor the old archive from a machine whose cache still has it (`gen charts vendor`)",
		p.place(), other.got, other.want, RenewCommand)
}
