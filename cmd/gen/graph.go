package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

// edge is one need between components, for programs.
type edge struct {
	Environment string `json:"environment"`
	From        string `json:"from"`
	To          string `json:"to"`
	Wave        int    `json:"wave"`   // of From
	ToWave      int    `json:"toWave"` // of To
	Why         string `json:"why"`
}

func newGraph(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "graph [ENVIRONMENT]",
		Short: "Show the sync waves, and for each component why it stands in its wave",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.selectArgs(args)
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				plans, err := setup.Load()
				if err != nil {
					return err
				}
				results, err := setup.Finish(cmd.Context(), plans)
				if err != nil {
					return refused(err)
				}
				return g.printGraph(results, setup)
			})
		},
	}
}

func (g *global) printGraph(results []pipeline.Result, setup pipeline.Setup) error {
	edges := []edge{}
	for _, result := range results {
		for _, e := range result.Order.Edges {
			if setup.Wants(e.From) {
				edges = append(edges, edge{result.Environment.Name, e.From, e.To, result.Order.Waves[e.From], result.Order.Waves[e.To], e.String()})
			}
		}
	}
	if g.output == "json" {
		return report.WriteJSON(g.out, edges)
	}
	for _, result := range results {
		report.Print(g.out, "%s\n", result.Environment.Name)
		for _, name := range result.Order.Names() {
			if !setup.Wants(name) {
				continue
			}
			report.Print(g.out, "  wave %d  %s: %s\n", result.Order.Waves[name], name, because(result, name))
			for _, m := range result.MovesOf(name) {
				report.Print(g.out, "          split off from %s: %s %s\n", m.From, m.Object, m.Reason)
			}
			for _, e := range edges {
				if e.Environment == result.Environment.Name && e.From == name {
					report.Print(g.out, "          %s\n", e.Why)
				}
			}
		}
	}
	return nil
}

// because says why a component starts in its wave, and how its pods come by their network where that is brought in no earlier one.
func because(result pipeline.Result, name string) string {
	all := result.Components()
	at := slices.IndexFunc(all, func(c component.Component) bool { return c.Name == name })
	if at < 0 {
		return "is made for the environment"
	}
	text := result.Order.Why(all[at], all)
	network := bringsNetwork(result.Bundles)
	if network != "" && network != name && result.Order.Waves[network] >= result.Order.Waves[name] && slices.ContainsFunc(result.Bundles, func(b manifest.Bundle) bool {
		return b.Name == name && slices.ContainsFunc(b.Objects, wantsNetwork)
	}) {
		text += "; the network of its pods is that of " + network + ", which is applied at bootstrap, before Argo CD starts any wave"
	}
	return text
}

// bringsNetwork names the component that is applied at bootstrap because nodes have no network without it.
func bringsNetwork(bundles []manifest.Bundle) string {
	for _, b := range bundles {
		if slices.ContainsFunc(b.Objects, needs.GivesNetwork) {
			return b.Name
		}
	}
	return ""
}

// wantsNetwork reports whether an object runs pods that have an address of their own.
func wantsNetwork(o manifest.Object) bool {
	spec := needs.PodSpec(o)
	return spec != nil && spec["hostNetwork"] != true
}
