package render

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
)

// loaded is a chart as it was read. Nobody changes it: Helm's processing of dependencies does change the chart it is given, so
// each render works on a copy.
type loaded struct {
	pristine *chart.Chart
}

// loadChart reads the chart at the root of fsys, at most once for each content. A key that is not empty stands for the content.
func (r *Renderer) loadChart(fsys fs.FS, key string) (*loaded, error) {
	if key != "" {
		return r.charts.get(sha256.Sum256([]byte("key "+key)), 0, func() (*loaded, error) { return r.loadChart(fsys, "") })
	}
	files, err := readFiles(fsys)
	if err != nil {
		return nil, fmt.Errorf("reading the chart: %w", err)
	}
	hash, size := contentOf(files)
	return r.charts.get(hash, size, func() (*loaded, error) {
		read, err := loader.LoadFiles(files)
		if err != nil {
			return nil, fmt.Errorf("reading the chart: %w", err)
		}
		sortDependencies(read)
		return &loaded{pristine: read}, nil
	})
}

// readFiles returns the files of a chart in the order of their names, as Helm's loaders give them.
func readFiles(fsys fs.FS) ([]*archive.BufferedFile, error) {
	var files []*archive.BufferedFile
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		files = append(files, &archive.BufferedFile{Name: name, Data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))})
		return nil
	})
	return files, err
}

// contentOf returns a key for names and bytes of files, and how many bytes these are.
func contentOf(files []*archive.BufferedFile) (key content, size int) {
	hash := sha256.New()
	for _, file := range files {
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(file.Name))))
		hash.Write([]byte(file.Name))
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(file.Data))))
		hash.Write(file.Data)
		size += len(file.Data)
	}
	return content(hash.Sum(nil)), size
}

// sortDependencies puts the charts in charts/ in order, which Helm reads in the order of a map: where two carry one name, the
// first one that satisfies the declared version serves.
func sortDependencies(c *chart.Chart) {
	dependencies := slices.Clone(c.Dependencies())
	slices.SortFunc(dependencies, func(a, b *chart.Chart) int {
		return cmp.Or(cmp.Compare(a.Name(), b.Name()), cmp.Compare(b.Metadata.Version, a.Metadata.Version))
	})
	for _, dependency := range dependencies {
		sortDependencies(dependency)
	}
	c.SetDependencies(dependencies...)
}

// copyOf returns a copy of c that Helm may change. Values, templates and files are shared: Helm replaces these lists and maps,
// and copies values before it changes them.
func copyOf(c *chart.Chart) *chart.Chart {
	out := *c
	metadata := *c.Metadata
	metadata.Dependencies = nil
	for _, declared := range c.Metadata.Dependencies {
		dependency := *declared
		dependency.ImportValues = slices.Clone(declared.ImportValues)
		metadata.Dependencies = append(metadata.Dependencies, &dependency)
	}
	out.Metadata = &metadata
	out.SetDependencies()
	for _, dependency := range c.Dependencies() {
		out.AddDependency(copyOf(dependency))
	}
	return &out
}
