package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/tree"
)

func newCheck(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "check [ENVIRONMENT [COMPONENT]]",
		Short: "Exit 2 unless output/ is what the model renders (for CI)",
		Args:  cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.selectArgs(args)
			setup, closeSetup, err := g.setup(cmd.Context())
			if err != nil {
				return err
			}
			defer closeSetup()
			run, err := setup.CompareOutput(cmd.Context())
			g.notices(run.Results)
			if err != nil {
				return refused(err)
			}
			return g.printCheck(run)
		},
	}
}

// printCheck names every file that differs and the command that mends it.
func (g *global) printCheck(run pipeline.Run) error {
	for _, c := range run.Changes {
		fmt.Fprintf(g.out, "%s/%s: %s\n", pipeline.OutputDir, c.Path, verdict(c))
	}
	if len(run.Changes) == 0 {
		if !g.quiet {
			fmt.Fprintf(g.err, "%s/ is what the model renders\n", pipeline.OutputDir)
		}
		return nil
	}
	return exit{exitDiffers, fmt.Errorf("%d files differ from what the model renders: run `gen render` and commit %s/", len(run.Changes), pipeline.OutputDir)}
}

func verdict(c tree.Change) string {
	switch c.Kind {
	case tree.Added:
		return "missing"
	case tree.Removed:
		return "left over"
	case tree.Foreign:
		return "foreign: no component owns it"
	}
	return "differs"
}
