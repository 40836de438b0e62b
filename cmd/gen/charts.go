package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/pipeline"
)

func newCharts(g *global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "charts",
		Short: "Pin, verify, store and compare the charts that the model names",
		Args:  cobra.NoArgs,
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
			setup, closeSetup, err := g.setup(cmd.Context())
			if err != nil {
				return err
			}
			defer closeSetup()
			changes, err := setup.LockCharts(cmd.Context(), renew)
			if err != nil {
				return err
			}
			for _, c := range changes {
				fmt.Fprintln(g.out, chartLine(c))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&renew, "renew", false, "ask every source again, also for charts that are pinned")
	return cmd
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
