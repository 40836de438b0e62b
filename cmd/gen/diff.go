package main

import (
	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

func newDiff(g *global) *cobra.Command {
	var base string
	var exitCode, summaryOnly bool
	cmd := &cobra.Command{
		Use:   "diff [ENVIRONMENT [COMPONENT]]",
		Short: "Show what rendering the model changes: a summary, then unified text",
		Long: "Without --base, output/ on disk is compared with what the model renders. With --base REV, what REV's branch has is compared:\n" +
			"the newest commit that HEAD and REV share. Values of Secrets are never shown.",
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.selectArgs(args)
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				var run pipeline.Run
				var err error
				if base == "" {
					run, err = setup.CompareOutput(cmd.Context())
				} else {
					run, err = setup.CompareBase(cmd.Context(), base)
				}
				g.notices(run.Results)
				if err != nil {
					return refused(err)
				}
				return g.printDiff(report.NewSummary(run.Changes), summaryOnly, exitCode)
			})
		},
	}
	cmd.Flags().StringVar(&base, "base", "", "compare with this revision instead of the folder: main, origin/main, a tag")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 2 if anything differs")
	cmd.Flags().BoolVar(&summaryOnly, "summary", false, "print the summary alone")
	return cmd
}

func (g *global) printDiff(s report.Summary, summaryOnly, exitCode bool) error {
	if g.output == "json" {
		if err := report.WriteJSON(g.out, s); err != nil {
			return err
		}
	} else {
		report.WriteSummary(g.out, s)
		if !summaryOnly {
			report.WriteDiff(g.out, s)
		}
	}
	if exitCode && len(s.Differences) > 0 {
		return exit{code: exitDiffers}
	}
	return nil
}

func newPush(g *global) *cobra.Command {
	push := pipeline.Push{}
	cmd := &cobra.Command{
		Use:   "push",
		Short: "Render the committed model and push its output",
		Long: "Render what HEAD holds (not the files of the work tree), commit the output and push it, with git's own author, signing and\n" +
			"credentials. Nothing is committed where the output is the same already. Where others were faster, their commit is rendered\n" +
			"instead; nothing is ever merged as text.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkBudget(push.AllowDeletions); err != nil {
				return err
			}
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				pushed, err := setup.Push(cmd.Context(), push)
				return g.printPublishing(pushed, err)
			})
		},
	}
	cmd.Flags().StringVar(&push.Remote, "remote", "", "where to push: a remote's name or a URL (origin)")
	cmd.Flags().StringVar(&push.Branch, "branch", "", "the branch that HEAD's commit is on, where HEAD is detached as continuous integration checks out")
	cmd.Flags().IntVar(&push.AllowDeletions, "allow-deletions", -1, "let the commit remove so many objects of an environment (-1: the budget)")
	cmd.Flags().BoolVar(&push.LeaveObjects, "leave-objects", false, "let Applications go without the objects that they made")
	return cmd
}

// pushedRow is one published branch, for programs.
type pushedRow struct {
	Environments []string `json:"environments"`
	Action       string   `json:"action"`
	Branch       string   `json:"branch"`
	Commit       string   `json:"commit,omitempty"`
	Reason       string   `json:"reason,omitempty"`
	Help         string   `json:"help,omitempty"`

	Gone []string `json:"gone,omitempty"` // the environments that the commit removes as a whole
}
