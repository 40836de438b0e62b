package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
	"github.com/coldstart-gitops/gen/internal/tree"
)

func newCheck(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "check [ENVIRONMENT [COMPONENT]]",
		Short: "Exit 2 unless output/ is what the model renders (for CI)",
		Args:  cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.selectArgs(args)
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				run, err := setup.CompareOutput(cmd.Context())
				g.notices(run.Results)
				if err != nil {
					return refused(err)
				}
				return g.printCheck(run)
			})
		},
	}
}

// checkedFile is one file that differs, for programs.
type checkedFile struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"` // missing, left over, foreign, differs
	Remedy string `json:"remedy"`
}

// printCheck names every file that differs; the error names the cure of each kind of difference.
func (g *global) printCheck(run pipeline.Run) error {
	rows := []checkedFile{}
	for _, c := range run.Changes {
		rows = append(rows, checkedFile{pipeline.OutputDir + "/" + c.Path, verdict(c), remedy(c)})
	}
	if err := g.printChecked(rows); err != nil {
		return err
	}
	if len(rows) == 0 {
		if !g.quiet {
			fmt.Fprintf(g.err, "%s/ is what the model renders\n", pipeline.OutputDir)
		}
		return nil
	}
	return exit{exitDiffers, cures(rows)}
}

func (g *global) printChecked(rows []checkedFile) error {
	if g.output == "json" {
		return report.WriteJSON(g.out, rows)
	}
	for _, row := range rows {
		note := ""
		if row.Kind == foreign {
			note = ": no component owns it"
		}
		report.Print(g.out, "%s: %s%s\n", row.Path, row.Kind, note)
	}
	return nil
}

// cures says of each kind of difference how many files there are, and what mends them.
func cures(rows []checkedFile) error {
	strange := 0
	for _, row := range rows {
		if row.Kind == foreign {
			strange++
		}
	}
	var problems []error
	if n := len(rows) - strange; n > 0 {
		problems = append(problems, fmt.Errorf("%d files differ from what the model renders: %s", n, renderAgain))
	}
	if strange > 0 {
		problems = append(problems, fmt.Errorf("%d files are foreign: `gen render` leaves them alone: %s", strange, takeAway))
	}
	return errors.Join(problems...)
}

const (
	foreign     = "foreign"
	renderAgain = "run `gen render` and commit " + pipeline.OutputDir + "/"
	takeAway    = "remove them, or move them out of " + pipeline.OutputDir + "/"
)

func verdict(c tree.Change) string {
	switch c.Kind {
	case tree.Added:
		return "missing"
	case tree.Removed:
		return "left over"
	case tree.Foreign:
		return foreign
	}
	return "differs"
}

func remedy(c tree.Change) string {
	if c.Kind == tree.Foreign {
		return takeAway
	}
	return renderAgain
}
