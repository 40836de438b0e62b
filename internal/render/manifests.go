package render

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// manifests reads plain objects: a file, or all YAML and JSON files of a folder and of the folders in it.
func (r *run) manifests(name string) (rendering, error) {
	if r.in.Files == nil {
		return rendering{}, errors.New("reading manifests: the model's folder was not given")
	}
	name = path.Clean(name)
	var files []file
	err := fs.WalkDir(r.in.Files, name, func(at string, entry fs.DirEntry, err error) error {
		odd := err == nil && entry.Type()&fs.ModeIrregular != 0 // a submodule in a commit: reading it says so
		if err != nil || entry.IsDir() || at != name && !isManifest(at) && !odd {
			return err
		}
		data, err := fs.ReadFile(r.in.Files, at)
		files = append(files, file{name: at, content: strings.TrimPrefix(string(data), "\ufeff")})
		return err
	})
	if err != nil {
		return rendering{}, fmt.Errorf("%s: manifests: %w", r.in.Component.Origin, unreadable(err))
	}
	if len(files) == 0 {
		return rendering{}, fmt.Errorf("%s: manifests: %s holds no file that ends in .yaml, .yml or .json", r.in.Component.Origin, name)
	}
	objects, err := r.decodeFiles(files)
	return rendering{objects: objects}, err
}

// unreadable names the file of the model that cannot be read, and why.
func unreadable(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return fmt.Errorf("%s cannot be read: %w", file.Path, file.Err)
	}
	return err
}

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(path.Ext(name)))
}
