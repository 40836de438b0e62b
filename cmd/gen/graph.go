package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

// edge is one need between components, for programs.
type edge struct {
	Environment string `json:"environment"`
	From        string `json:"from"`
	To          string `json:"to"`
	Why         string `json:"why"`
}

func newGraph(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "graph [ENVIRONMENT]",
		Short: "Show the sync waves, and for each component why it stands in its wave",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.selectArgs(args)
			setup, closeSetup, err := g.setup(cmd.Context())
			if err != nil {
				return err
			}
			defer closeSetup()
			plans, err := setup.Load()
			if err != nil {
				return err
			}
			results, err := setup.Finish(cmd.Context(), plans)
			if err != nil {
				return refused(err)
			}
			return g.printGraph(results, setup)
		},
	}
}

func (g *global) printGraph(results []pipeline.Result, setup pipeline.Setup) error {
	var edges []edge
	for _, result := range results {
		for _, e := range result.Order.Edges {
			if setup.Wants(e.From) {
				edges = append(edges, edge{result.Environment.Name, e.From, e.To, e.String()})
			}
		}
	}
	if g.output == "json" {
		return report.WriteJSON(g.out, edges)
	}
	for _, result := range results {
		fmt.Fprintf(g.out, "%s\n", result.Environment.Name)
		for _, name := range result.Order.Names() {
			if !setup.Wants(name) {
				continue
			}
			fmt.Fprintf(g.out, "  wave %d  %s\n", result.Order.Waves[name], name)
			for _, e := range edges {
				if e.Environment == result.Environment.Name && e.From == name {
					fmt.Fprintf(g.out, "          %s\n", e.Why)
				}
			}
		}
	}
	return nil
}
