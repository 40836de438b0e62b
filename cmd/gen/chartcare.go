package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/chart"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

func newChartsVerify(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Ask every chart's source whether it still serves the very bytes that charts.lock pins",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				checks, err := setup.VerifyCharts(cmd.Context())
				if err != nil {
					return err
				}
				if err := g.printVerdicts(checks); err != nil {
					return err
				}
				return verdictError(checks)
			})
		},
	}
}

// checked is one row of `gen charts verify`.
type checked struct {
	Chart  string      `json:"chart"`
	State  chart.State `json:"state"` // empty where it could not be told
	Found  string      `json:"found,omitempty"`
	Detail string      `json:"detail,omitempty"`
	By     []string    `json:"by"`
}

func (g *global) printVerdicts(checks []pipeline.ChartCheck) error {
	rows := []checked{}
	for _, c := range checks {
		row := checked{Chart: c.Use.Source.String(), State: c.Verdict.State, Found: c.Verdict.Found, Detail: c.Verdict.Detail, By: append([]string{}, c.Use.By...)}
		if c.Err != nil {
			row.Detail = c.Err.Error()
		}
		rows = append(rows, row)
	}
	if g.output == "json" {
		return report.WriteJSON(g.out, rows)
	}
	for _, row := range rows {
		report.Print(g.out, "%-9s  %s (%s)\n", cmp.Or(row.State, "unknown"), row.Chart, strings.Join(row.By, ", "))
		if row.Detail != "" {
			report.Print(g.out, "           %s\n", row.Detail)
		}
	}
	return nil
}

// verdictError is nil if every source serves what is pinned. A branch that went on still serves it.
func verdictError(checks []pipeline.ChartCheck) error {
	bad := 0
	for _, c := range checks {
		if c.Err != nil || c.Verdict.State != chart.Served && c.Verdict.State != chart.Moved {
			bad++
		}
	}
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d charts are not known to be served as they are locked: see above", bad, len(checks))
}

func newChartsVendor(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "vendor",
		Short: "Store the locked archives in environments/charts/, so that no repository is needed to render",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				done, err := setup.VendorCharts(cmd.Context())
				return errors.Join(err, g.printVendored(done))
			})
		},
	}
}

// vendored is what `gen charts vendor` did, for programs.
type vendored struct {
	Added   []string `json:"added"`
	Kept    []string `json:"kept"`
	Removed []string `json:"removed"`
}

func (g *global) printVendored(done chart.Vendored) error {
	if g.output == "json" {
		return report.WriteJSON(g.out, vendored{append([]string{}, done.Written...), append([]string{}, done.Kept...), append([]string{}, done.Removed...)})
	}
	for _, name := range done.Written {
		report.Print(g.out, "added    %s\n", name)
	}
	for _, name := range done.Removed {
		report.Print(g.out, "removed  %s\n", name)
	}
	return nil
}

func newChartsOutdated(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "outdated",
		Short: "List the newer stable versions of each chart in its repository",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				news, err := setup.OutdatedCharts(cmd.Context())
				if err != nil {
					return err
				}
				return g.printNews(news)
			})
		},
	}
}

// outdated is one row of `gen charts outdated`.
type outdated struct {
	Chart      string   `json:"chart"`
	Version    string   `json:"version"`
	Patch      string   `json:"patch,omitempty"`
	Minor      string   `json:"minor,omitempty"`
	Latest     string   `json:"latest,omitempty"`
	Deprecated bool     `json:"deprecated,omitempty"`
	By         []string `json:"by"`
}

// printNews prints the charts that have something newer; all of them with --verbose and as JSON.
func (g *global) printNews(news []pipeline.ChartNews) error {
	rows := []outdated{}
	var problems []error
	for _, n := range news {
		source := n.Use.Source
		if n.Err != nil {
			problems = append(problems, n.Err)
			continue
		}
		row := outdated{
			Chart: cmp.Or(source.Name, source.Path, source.Git), Version: cmp.Or(source.Version, source.Ref, "-"),
			Patch: n.Newer.Patch, Minor: n.Newer.Minor, Latest: n.Newer.Latest, Deprecated: n.Newer.Deprecated, By: append([]string{}, n.Use.By...),
		}
		if g.verbose || g.output == "json" || row.Latest != "" || row.Deprecated {
			rows = append(rows, row)
		}
	}
	if g.output == "json" {
		return errors.Join(append(problems, report.WriteJSON(g.out, rows))...)
	}
	table := tabwriter.NewWriter(g.out, 0, 0, 2, ' ', 0)
	for i, r := range rows {
		if i == 0 {
			fmt.Fprintln(table, "CHART\tIN USE\tPATCH\tMINOR\tLATEST\tUSED BY")
		}
		note := ""
		if r.Deprecated {
			note = " (deprecated)"
		}
		fmt.Fprintf(table, "%s%s\t%s\t%s\t%s\t%s\t%s\n", r.Chart, note, r.Version, cmp.Or(r.Patch, "-"), cmp.Or(r.Minor, "-"), cmp.Or(r.Latest, "-"), strings.Join(r.By, ", "))
	}
	return errors.Join(append(problems, table.Flush())...)
}
