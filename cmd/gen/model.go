package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/report"
)

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
		Long: "Name, for every value at or below PATH (ingressController.enabled), the layer that states it, its file and line, and the value.\n" +
			"Where several layers state one, they stand lowest first, and the last one wins. A built-in component names the fact that it follows.",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := g.component(cmd, args[0], args[1])
			if err != nil {
				return err
			}
			steps, err := environment.Explain(c.Values, strings.TrimPrefix(strings.Join(args[2:], ""), "values."))
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
	base, part := strings.CutSuffix(name, component.ConfigSuffix)
	var whole *component.Component // of which that may have been split off
	for _, plan := range plans {
		for i, c := range plan.Components {
			switch {
			case c.Name == name:
				return c, nil
			case part && c.Name == base:
				whole = &plan.Components[i]
			}
			names = append(names, c.Name)
		}
	}
	if whole != nil {
		fmt.Fprintf(g.err, "%s is not in the model: what is split off from %s once it is rendered is made of these; `gen graph` lists it\n", name, base)
		return *whole, nil
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
		value, err := inline(s.Value)
		if err != nil {
			return errors.Join(err, table.Flush())
		}
		place, overridden := "-", ""
		if s.Origin.File != "" {
			place = s.Origin.String()
		}
		if !s.Wins {
			overridden = "  (overridden)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s%s\n", s.Path, s.Origin.Layer, place, value, overridden)
	}
	return table.Flush()
}

// inline writes a value on one line: as YAML where that is one line, else as JSON, which YAML reads too.
func inline(value any) (string, error) {
	text, err := manifest.EmitValue(value)
	if err != nil {
		return "", err
	}
	line := strings.TrimSpace(string(text))
	if _, isList := value.([]any); !isList && !strings.Contains(line, "\n") {
		return line, nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("writing the value on one line: %w", err)
	}
	return string(data), nil
}
