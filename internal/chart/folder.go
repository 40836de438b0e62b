package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// maxDepth of folders in a chart; beyond, links go round in a circle.
const maxDepth = 64

// folderReader reads the files of a chart's folder.
type folderReader struct {
	fsys  fs.FS
	root  string // of the chart
	rules ignoreRules
	data  map[string][]byte
	total int64
}

// readFolder reads a chart's folder as Helm does: without what .helmignore drops, following links, as far as fsys lets them lead.
func readFolder(fsys fs.FS, root string) (*files, error) {
	ignored, err := fs.ReadFile(fsys, path.Join(root, ignoreFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading chart folder: %w", err)
	}
	rules, err := readIgnore(ignored)
	if err != nil {
		return nil, fmt.Errorf("reading chart folder %s: %w", root, err)
	}
	r := &folderReader{fsys: fsys, root: root, rules: rules, data: map[string][]byte{}}
	if err := r.folder("", 0); err != nil {
		return nil, fmt.Errorf("reading chart folder %s: %w", root, err)
	}
	if _, ok := r.data[chartFile]; !ok {
		return nil, fmt.Errorf("reading chart folder %s: it holds no %s", root, chartFile)
	}
	return newFiles(r.data)
}

// folder reads a folder of the chart; name is its path in it.
func (r *folderReader) folder(name string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: folders lie deeper than %d; does a link lead back up?", name, maxDepth)
	}
	entries, err := fs.ReadDir(r.fsys, path.Join(r.root, name))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := r.entry(path.Join(name, entry.Name()), depth); err != nil {
			return err
		}
	}
	return nil
}

// entry reads a file or folder unless it is ignored. fs.Stat follows links.
func (r *folderReader) entry(name string, depth int) error {
	full := path.Join(r.root, name)
	about, err := fs.Stat(r.fsys, full)
	if err != nil {
		return fmt.Errorf("%w; a link must lead to a file below the folder that all paths start in", err)
	}
	if r.rules.ignores(name, about.IsDir()) {
		return nil
	}
	if about.IsDir() {
		return r.folder(name, depth+1)
	}
	if !about.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a file nor a folder (%s)", name, about.Mode().Type())
	}
	r.total += about.Size()
	switch {
	case about.Size() > maxFile:
		return fmt.Errorf("%s is larger than %d MiB, which Helm refuses too; does it belong into %s?", name, maxFile>>20, ignoreFile)
	case r.total > maxUnpacked:
		return fmt.Errorf("the files up to %s are larger than %d MiB; does it belong into %s?", name, maxUnpacked>>20, ignoreFile)
	case len(r.data) == maxCount:
		return fmt.Errorf("%s is file %d; no chart has as many", name, maxCount+1)
	}
	r.data[name], err = fs.ReadFile(r.fsys, full)
	return err
}

// packFiles makes an archive of a chart's files: the same bytes for the same files.
func packFiles(f *files, folder string) ([]byte, error) {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	writer := tar.NewWriter(zipped)
	for _, name := range f.names {
		header := &tar.Header{Name: folder + "/" + name, Mode: 0o644, Size: int64(len(f.data[name])), Format: tar.FormatPAX}
		if err := writer.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("packing %s: %w", name, err)
		}
		if _, err := writer.Write(f.data[name]); err != nil {
			return nil, fmt.Errorf("packing %s: %w", name, err)
		}
	}
	if err := errors.Join(writer.Close(), zipped.Close()); err != nil {
		return nil, fmt.Errorf("packing chart: %w", err)
	}
	return out.Bytes(), nil
}

// Folder returns the files of a chart's folder as Helm reads them: without what .helmignore drops, following links.
func Folder(fsys fs.FS, root string) (fs.FS, error) { return readFolder(fsys, root) }
