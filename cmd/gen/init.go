package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

func newInit(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a commented starter into environments/, with real upstreams",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			names, err := start(g.root)
			if err != nil {
				return err
			}
			if err := g.printWritten(names); err != nil {
				return err
			}
			fmt.Fprintf(g.err, "next: read these files, then run `gen charts lock`, `gen images lock` and `gen render`\n")
			return nil
		},
	}
}

// start writes the starter below root, and returns the files that it wrote. All is made beside its place first and appears by rename, so
// that a run which fails or is killed leaves nothing that the next one takes for a model.
func start(root string) ([]string, error) {
	dir, attributes := filepath.Join(root, pipeline.ModelDir), filepath.Join(root, attributesFile)
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty: init writes into a new folder only; -C names another root", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for a model: %w", err)
	} else if _, there := os.Lstat(dir); err != nil && there == nil {
		return nil, fmt.Errorf("%s is a link to nothing: remove it, or make the folder that it names", dir)
	}
	names, err := written(environment.Starter())
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	text, added, err := withAttributes(attributes)
	if err != nil {
		return nil, err
	}
	stage := filepath.Join(root, ".gen-init")
	defer func() { _ = os.RemoveAll(stage) }()
	if err := build(stage, text); err != nil {
		return nil, fmt.Errorf("writing the starter: %w; nothing was changed", err)
	}
	if added {
		if err := os.Rename(filepath.Join(stage, attributesFile), attributes); err != nil {
			return nil, fmt.Errorf("writing the starter: %w; nothing was changed", err)
		}
		names = append(names, attributes)
	}
	if err := moveIn(filepath.Join(stage, pipeline.ModelDir), dir); err != nil {
		return nil, fmt.Errorf("writing the starter: %w; %s stands, and the next run writes the rest", err, attributes)
	}
	return names, nil
}

// build makes all files of the starter in a folder of their own.
func build(stage, attributes string) error {
	if err := os.RemoveAll(stage); err != nil { // of a run that was killed
		return err
	}
	if err := os.CopyFS(filepath.Join(stage, pipeline.ModelDir), environment.Starter()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(stage, attributesFile), []byte(attributes), 0o644)
}

// moveIn renames a folder to a place where nothing is, or an empty folder, or a link to one.
func moveIn(from, to string) error {
	place, err := filepath.EvalSymlinks(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		place = to
	case err != nil:
		return err
	default:
		if err := os.Remove(place); err != nil {
			return err
		}
	}
	return os.Rename(from, place)
}

func (g *global) printWritten(names []string) error {
	if g.output == "json" {
		return report.WriteJSON(g.out, map[string][]string{"written": names})
	}
	for _, name := range names {
		fmt.Fprintln(g.out, name)
	}
	return nil
}

func written(files fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// attributesFile is where git reads how it treats the files of its folder.
const attributesFile = ".gitattributes"

// keepBytes tells git to check output out as it was committed: with core.autocrlf, which git for Windows sets, every file
// would differ from what the model renders.
const keepBytes = pipeline.OutputDir + "/** -text"

// withAttributes is the text of a file of attributes with the line, and whether the line is new to it.
func withAttributes(file string) (string, bool, error) {
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return "", false, fmt.Errorf("%s is no regular file, and git reads no other: remove it, or put the file itself there", file)
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false, fmt.Errorf("reading git's attributes: %w", err)
	}
	text := string(data)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 0 && strings.TrimPrefix(fields[0], "/") == pipeline.OutputDir+"/**" && slices.Contains(fields, "-text") {
			return text, false, nil
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + keepBytes + "\n", true, nil
}
