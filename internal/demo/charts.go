package demo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Our own stand-ins for the charts of the sample fleet; all: takes the _helpers.tpl along.
//
//go:embed all:charts
var embedded embed.FS

// Chart is one version of a chart as the world publishes it.
type Chart struct {
	Repository string // https://… or oci://…
	Name       string
	Version    string
	URL        string // where the archive is
	Digest     string // sha256 of the archive, in hexadecimal
}

// archive is a packed chart.
type archive struct {
	name, version string
	metadata      string // Chart.yaml
	data          []byte
}

func (a archive) fileName() string { return a.name + "-" + a.version + ".tgz" }

var versionLine = regexp.MustCompile(`(?m)^version: (\S+)$`)

// load packs the stand-in name. Another version than its own differs in that line of Chart.yaml alone.
func load(name, version string) (archive, error) {
	files, err := chartFiles(name)
	if err != nil {
		return archive{}, fmt.Errorf("reading stand-in chart %s: %w", name, err)
	}
	a := archive{name: name, version: version}
	for i, f := range files {
		if f.name != name+"/Chart.yaml" {
			continue
		}
		own := versionLine.FindStringSubmatch(string(f.data))
		if own == nil {
			return archive{}, fmt.Errorf("reading stand-in chart %s: Chart.yaml has no version", name)
		}
		if version == "" {
			a.version = own[1]
		}
		a.metadata = versionLine.ReplaceAllString(string(f.data), "version: "+a.version)
		files[i].data = []byte(a.metadata)
	}
	a.data, err = pack(files)
	return a, err
}

// chartFiles returns a stand-in's files, and what all stand-ins have in common, sorted by their name in the archive.
func chartFiles(name string) ([]file, error) {
	var files []file
	err := fs.WalkDir(embedded, path.Join("charts", name), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(p)
		files = append(files, file{name: strings.TrimPrefix(p, "charts/"), data: data})
		return err
	})
	parts, partsErr := embedded.ReadFile("charts/parts.tpl")
	files = append(files, file{name: name + "/templates/_parts.tpl", data: parts})
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, errors.Join(err, partsErr)
}
