package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
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
			for _, name := range names {
				fmt.Fprintln(g.out, filepath.Join(dir, filepath.FromSlash(name)))
			}
			fmt.Fprintf(g.err, "next: read these files, then run `gen charts lock`, `gen images lock` and `gen render`\n")
			return nil
		},
	}
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

func newSchema(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [Fleet|Group|Site|Environment]",
		Short: "Print the JSON Schema of the model, for editors",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := environment.Schema(strings.Join(args, ""))
			if err != nil {
				return err
			}
			_, err = g.out.Write(data)
			return err
		},
	}
}

// explained is one layer's say about one value, for programs.
type explained struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
	Layer string `json:"layer"`
	Place string `json:"place,omitempty"`
	Wins  bool   `json:"wins"`
}

func newExplain(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "explain ENVIRONMENT COMPONENT [PATH]",
		Short: "Name the layer and file:line of a component's values",
		Long:  "Name, for every value at or below PATH (ingressController.enabled), the layers that state it, lowest first; * marks the one that wins.",
		Args:  cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := g.component(cmd, args[0], args[1])
			if err != nil {
				return err
			}
			steps, err := environment.Explain(c.Values, strings.Join(args[2:], ""))
			if err != nil {
				return fmt.Errorf("%s/%s: %w", args[0], args[1], err)
			}
			return g.printSteps(steps)
		},
	}
}

// component finds one component of one environment.
func (g *global) component(cmd *cobra.Command, env, name string) (component.Component, error) {
	g.environments = []string{env}
	setup, closeSetup, err := g.setup(cmd.Context())
	if err != nil {
		return component.Component{}, err
	}
	defer closeSetup()
	plans, err := setup.Load()
	if err != nil {
		return component.Component{}, err
	}
	var names []string
	for _, plan := range plans {
		for _, c := range plan.Components {
			if c.Name == name {
				return c, nil
			}
			names = append(names, c.Name)
		}
	}
	return component.Component{}, fmt.Errorf("%s has no component %s; it has %s", env, name, strings.Join(names, ", "))
}

func (g *global) printSteps(steps []environment.Step) error {
	if g.output == "json" {
		rows := []explained{}
		for _, s := range steps {
			row := explained{Path: s.Path, Value: s.Value, Layer: s.Origin.Layer, Wins: s.Wins}
			if s.Origin.File != "" {
				row.Place = s.Origin.String()
			}
			rows = append(rows, row)
		}
		return report.WriteJSON(g.out, rows)
	}
	table := tabwriter.NewWriter(g.out, 0, 0, 2, ' ', 0)
	for _, s := range steps {
		value, err := manifest.EmitValue(s.Value)
		if err != nil {
			return errors.Join(err, table.Flush())
		}
		mark := ""
		if s.Wins {
			mark = "*"
		}
		place := ""
		if s.Origin.File != "" {
			place = s.Origin.String()
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", mark, s.Path, strings.Join(strings.Fields(string(value)), " "), s.Origin.Layer, place)
	}
	return table.Flush()
}
