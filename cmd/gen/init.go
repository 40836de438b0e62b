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
			dir := filepath.Join(g.root, pipeline.ModelDir)
			if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
				return fmt.Errorf("%s is not empty: init writes into a new folder only; -C names another root", dir)
			}
			if err := os.CopyFS(dir, environment.Starter()); err != nil {
				return fmt.Errorf("writing the starter: %w", err)
			}
			names, err := written(environment.Starter())
			if err != nil {
				return err
			}
			for i, name := range names {
				names[i] = filepath.Join(dir, filepath.FromSlash(name))
			}
			attributes := filepath.Join(g.root, attributesFile)
			if added, err := addAttributes(attributes); err != nil {
				return fmt.Errorf("writing %s: %w", attributes, err)
			} else if added {
				names = append(names, attributes)
			}
			if err := g.printWritten(names); err != nil {
				return err
			}
			fmt.Fprintf(g.err, "next: read these files, then run `gen charts lock`, `gen images lock` and `gen render`\n")
			return nil
		},
	}
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

// addAttributes adds the line to a file of attributes, and keeps what is there.
func addAttributes(file string) (bool, error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	text := string(data)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 0 && strings.TrimPrefix(fields[0], "/") == pipeline.OutputDir+"/**" && slices.Contains(fields, "-text") {
			return false, nil
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return true, os.WriteFile(file, []byte(text+keepBytes+"\n"), 0o644)
}
