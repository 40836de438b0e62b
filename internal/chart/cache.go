package chart

import (
	"os"
	"path/filepath"
)

// cache is a folder of archives named by their digest. Processes share it without locks: a file appears whole, by rename, and
// is believed only after its content has been hashed. A folder that cannot be written is a cache that stays as it is.
type cache struct{ folder string }

// cache returns the store's cache.
func (s *Store) cache() cache { return cache{s.options.Cache} }

// file is where the archive of a digest lies.
func (c cache) file(digest string) string {
	kind := "sha256"
	if isTree(digest) {
		kind = "tree-sha256"
	}
	return filepath.Join(c.folder, kind, digestHex(digest)+".tgz")
}

// get returns the content of a digest.
func (c cache) get(digest string) (*files, bool) {
	_, content, ok := c.read(digest)
	return content, ok
}

// archive returns the archive of a digest.
func (c cache) archive(digest string) ([]byte, bool) {
	archive, _, ok := c.read(digest)
	return archive, ok
}

// read reads an archive. What is missing, unreadable or not what its name says is not there: it is fetched again.
func (c cache) read(digest string) ([]byte, *files, bool) {
	if c.folder == "" {
		return nil, nil, false
	}
	archive, err := os.ReadFile(c.file(digest))
	if err != nil {
		return nil, nil, false
	}
	content, err := contentOf(archive, digest)
	return archive, content, err == nil
}

// put stores an archive. That it could not is no error: the next run fetches again.
func (c cache) put(digest string, archive []byte) {
	if c.folder == "" {
		return
	}
	_ = writeWhole(c.file(digest), archive)
}

// writeWhole writes a file so that nobody ever sees a part of it.
func writeWhole(name string, data []byte) error {
	folder := filepath.Dir(name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(folder, ".part-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(temp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}
