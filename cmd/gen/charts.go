package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

func newCharts(g *global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "charts",
		Short: "Pin, verify, store and compare the charts that the model names",
		Args:  subcommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newChartsLock(g), newChartsVerify(g), newChartsVendor(g), newChartsOutdated(g))
	return cmd
}

func newChartsLock(g *global) *cobra.Command {
	var renew bool
	cmd := &cobra.Command{
		Use:   "lock",
		Short: "Pin every chart of the model by the digest of its content, in charts.lock",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				changes, err := setup.LockCharts(cmd.Context(), renew)
				if err != nil {
					return err
				}
				return g.printLocked(changes)
			})
		},
	}
	cmd.Flags().BoolVar(&renew, "renew", false, "ask every source again, also for charts that are pinned")
	return cmd
}

// lockedRow is one line of charts.lock that changed, for programs.
type lockedRow struct {
	Action string   `json:"action"` // added, changed or removed
	Chart  string   `json:"chart"`
	Before string   `json:"before,omitempty"` // the digest
	Digest string   `json:"digest,omitempty"`
	By     []string `json:"by"`
}

func lockedRows(changes []pipeline.ChartChange) []lockedRow {
	rows := []lockedRow{}
	for _, c := range changes {
		row := lockedRow{"changed", c.New.Source.String(), c.Old.Digest, c.New.Digest, append([]string{}, c.Use.By...)}
		switch {
		case c.New.Digest == "":
			row.Action, row.Chart = "removed", c.Old.Source.String()
		case c.Old.Digest == "":
			row.Action = "added"
		}
		rows = append(rows, row)
	}
	return rows
}

func (g *global) printLocked(changes []pipeline.ChartChange) error {
	if len(changes) == 0 && !g.quiet {
		fmt.Fprintln(g.err, "nothing changed: charts.lock pins every chart of the model")
	}
	if g.output == "json" {
		return report.WriteJSON(g.out, lockedRows(changes))
	}
	for _, c := range changes {
		fmt.Fprintln(g.out, chartLine(c))
	}
	return nil
}

// subcommand refuses what is no subcommand of a group, and names those that there are.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("%s has no subcommand %q: there are %s", cmd.CommandPath(), args[0], strings.Join(names, ", "))
}

func chartLine(c pipeline.ChartChange) string {
	users := strings.Join(c.Use.By, ", ")
	switch {
	case c.New.Digest == "":
		return fmt.Sprintf("removed  %s: no environment names it", c.Old.Source)
	case c.Old.Digest == "":
		return fmt.Sprintf("added    %s %s (%s)", c.New.Source, c.New.Digest, users)
	}
	return fmt.Sprintf("changed  %s %s → %s (%s)", c.New.Source, cmp.Or(c.Old.Digest, "nothing"), c.New.Digest, users)
}
