package source

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// mistake writes one mistake of an object as file:line:column, the object and what is wrong; without a place where a tool has
// rendered the object.
func (l *loader) mistake(file string, o manifest.Object, m argocd.Mistake) string {
	id := o.ID()
	name := id.Kind + " " + id.Name
	if id.Name == "" {
		name = id.Kind
	}
	return manifest.Visible(l.place(file, o, m.Path) + ": " + name + ": " + m.String())
}

// place returns file:line:column of a field of an object in a file, or as much of it as there is.
func (l *loader) place(file string, o manifest.Object, at []string) string {
	data, err := readFile(l.fsys, file)
	if err != nil {
		return file
	}
	for _, d := range cut(data) {
		list, _, err := manifest.Decode(d.text)
		if err != nil || len(list) != 1 || list[0].ID() != o.ID() {
			continue
		}
		var node yaml.Node
		if yaml.Unmarshal(d.text, &node) == nil && len(node.Content) == 1 {
			line, column := position(node.Content[0], at)
			return file + ":" + strconv.Itoa(d.line+line-1) + ":" + strconv.Itoa(column)
		}
	}
	return file
}

// position returns where the deepest part of a path stands that there is.
func position(node *yaml.Node, at []string) (line, column int) {
	for len(at) > 0 {
		next := childOf(node, at[0])
		if next == nil {
			break
		}
		node, at = next, at[1:]
	}
	return node.Line, node.Column
}

// childOf returns the value under a key or an index.
func childOf(node *yaml.Node, key string) *yaml.Node {
	if node.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(key); err == nil && i < len(node.Content) {
			return node.Content[i]
		}
		return nil
	}
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// holder returns the file of a folder of plain manifests that an object stands in, or the folder.
func (l *loader) holder(in plain, o manifest.Object) string {
	found := in.dir
	_ = fs.WalkDir(l.fsys, in.dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isManifest(name) || !in.holds(name) {
			return nil
		}
		objects, err := file(l.fsys, name)
		for _, other := range objects {
			if err == nil && other.ID() == o.ID() {
				found = name
				return fs.SkipAll
			}
		}
		return nil
	})
	return found
}

// kustomized reports whether a kustomization stands beside a file or above it: the file may be a patch, which is no whole object.
func (l *loader) kustomized(file string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, m := range markers {
			if _, err := fs.Stat(l.fsys, path.Join(dir, m.file)); err == nil && m.tool == "kustomize" {
				return true
			}
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}

// isKustomization reports whether a file is one by which kustomize knows its folder.
func isKustomization(file string) bool {
	for _, m := range markers {
		if m.tool == "kustomize" && m.file == path.Base(file) {
			return true
		}
	}
	return false
}

// inChart reports whether a file is a template of a chart.
func (l *loader) inChart(file string) bool {
	dir, _, ok := strings.Cut("/"+file, "/templates/")
	if !ok {
		return false
	}
	_, err := fs.Stat(l.fsys, path.Join(strings.TrimPrefix(dir, "/"), "Chart.yaml"))
	return err == nil
}
