package main

import (
	"cmp"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/report"
)

// listed is one row of `gen list`.
type listed struct {
	Environment string   `json:"environment"`
	Component   string   `json:"component"`
	Namespace   string   `json:"namespace"`
	Source      string   `json:"source"`
	Version     string   `json:"version,omitempty"`
	Needs       []string `json:"needs,omitempty"`
}

func newList(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List environments and their components, without rendering",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := g.list(cmd)
			if err != nil {
				return err
			}
			if g.output == "json" {
				return report.WriteJSON(g.out, rows)
			}
			table := tabwriter.NewWriter(g.out, 0, 0, 2, ' ', 0)
			for _, r := range rows {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.Environment, r.Component, r.Namespace, cmp.Or(r.Version, "-"), r.Source)
			}
			return table.Flush()
		},
	}
}

func (g *global) list(cmd *cobra.Command) ([]listed, error) {
	setup, closeSetup, err := g.setup(cmd.Context())
	if err != nil {
		return nil, err
	}
	defer closeSetup()
	plans, err := setup.Load()
	if err != nil {
		return nil, err
	}
	rows := []listed{}
	for _, plan := range plans {
		for _, c := range plan.Components {
			if setup.Wants(c.Name) {
				rows = append(rows, row(c))
			}
		}
	}
	return rows, nil
}

func row(c component.Component) listed {
	r := listed{Environment: c.Environment, Component: c.Name, Namespace: c.Namespace, Needs: c.Needs, Source: "objects of the model"}
	if len(c.Own) > 0 && len(c.Objects) == 0 {
		r.Source = "objects made from facts"
	}
	switch s := c.Source; {
	case s.Chart != nil && s.Chart.Git != nil:
		r.Source, r.Version = s.Chart.Git.URL, s.Chart.Git.Ref
	case s.Chart != nil:
		r.Source, r.Version = cmp.Or(s.Chart.Repo, s.Chart.Path), s.Chart.Version
	case s.Kustomization != "":
		r.Source = s.Kustomization
	case s.Manifests != "":
		r.Source = s.Manifests
	}
	return r
}
