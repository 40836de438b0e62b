package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/render"
	"github.com/coldstart-gitops/gen/internal/report"
	"github.com/coldstart-gitops/gen/internal/tree"
)

func newRender(g *global) *cobra.Command {
	var stage string
	var strict bool
	cmd := &cobra.Command{
		Use:   "render [ENVIRONMENT [COMPONENT]]",
		Short: "Render the model into output/",
		Long: "Render every environment (or those of -e) into output/. Nothing is written unless all went well; unchanged files are\n" +
			"not touched, and only files that an earlier run wrote are removed. --stage render prints one component's objects as its\n" +
			"chart renders them, before namespaces, images and waves.",
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.selectArgs(args)
			switch stage {
			case "":
				if err := formatOf(cmd.CommandPath(), g.output, []string{"text", "json"}); err != nil {
					return err
				}
				return g.render(cmd, strict)
			case "render", "final":
				return g.printStage(cmd, stage)
			}
			return fmt.Errorf("--stage %s: the stages are render and final", stage)
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "refuse (exit 3) while a place that names a mirrored registry is neither proven nor rewritten")
	cmd.Flags().StringVar(&stage, "stage", "", "print the objects of a stage instead of writing: render (as the chart says), final (as written)")
	return prints(cmd, "text", "json", "yaml") // yaml is that of --stage
}

func (g *global) render(cmd *cobra.Command, strict bool) error {
	return g.inSetup(cmd, func(setup pipeline.Setup) error {
		setup.Strict = strict
		setup.Waits = func() {
			if !g.quiet {
				fmt.Fprintf(g.err, "another gen is writing %s: waiting until it is done\n", filepath.Join(setup.Root, pipeline.OutputDir))
			}
		}
		run, err := setup.WriteOutput(cmd.Context())
		g.notices(run.Results)
		if err != nil {
			return refused(err)
		}
		g.warnLeftBehind(run)
		return g.printRun(run)
	})
}

// warnLeftBehind says of each component that goes without its objects what that leaves in the cluster. Push refuses to do so.
func (g *global) warnLeftBehind(run pipeline.Run) {
	orphans, _ := pipeline.Leavings(run.Changes)
	for _, o := range orphans {
		fmt.Fprintf(g.err, "warning: %s\n", o)
	}
}

// printRun prints what a run rendered and wrote.
func (g *global) printRun(run pipeline.Run) error {
	summary := report.NewRun(run)
	if g.output == "json" {
		return report.WriteJSON(g.out, summary)
	}
	report.WriteRun(g.out, summary)
	for _, c := range run.Changes {
		if c.Kind == tree.Foreign {
			fmt.Fprintf(g.err, "warning: %s/%s: nobody owns this file; it was left alone: remove it, or move it out of %s/\n", pipeline.OutputDir, c.Path, pipeline.OutputDir)
		} else if g.verbose {
			fmt.Fprintf(g.err, "%s %s\n", c.Kind, c.Path)
		}
	}
	return nil
}

// notices prints what a person should know of a render that went well: warnings always, the rest with --verbose.
func (g *global) notices(results []pipeline.Result) {
	if !g.quiet {
		report.WriteNotices(g.err, results, g.verbose)
	}
}

// refused gives an error its exit code: a guard's refusal is no mistake in the input.
func refused(err error) error {
	var refusal pipeline.Refusal
	var secrets *render.Refusal
	if errors.As(err, &refusal) || errors.As(err, &secrets) {
		return exit{exitRefused, err}
	}
	return err
}

// printStage prints objects as YAML, or as one list of JSON, one component or many.
func (g *global) printStage(cmd *cobra.Command, stage string) error {
	return g.inSetup(cmd, func(setup pipeline.Setup) error {
		bundles, err := setup.Stage(cmd.Context(), stage)
		if err != nil {
			return refused(err)
		}
		if g.output == "json" {
			return g.printObjects(bundles)
		}
		for _, b := range bundles {
			for _, o := range b.Objects {
				data, err := manifest.Emit(o)
				if err != nil {
					return err
				}
				fmt.Fprintf(g.out, "---\n%s", data)
			}
		}
		return nil
	})
}

// printObjects prints objects as one list, for programs.
func (g *global) printObjects(bundles []manifest.Bundle) error {
	list := []map[string]any{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			list = append(list, o.Fields())
		}
	}
	return report.WriteJSON(g.out, list)
}
