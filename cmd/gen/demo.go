package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen"
	"github.com/coldstart-gitops/gen/internal/demo"
	"github.com/coldstart-gitops/gen/internal/git"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

func newDemo(g *global) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole line on an embedded world: lock, prove, render, commit",
		Long: "Start chart repositories, registries, a mirror and a git remote in process and on loopback, and run the line over the sample\n" +
			"model: pin the charts, prove that the mirror serves the same images, render both environments, commit and push. A second\n" +
			"run commits nothing. Change the model in DIR/fleet/environments, and run it again.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.runDemo(cmd.Context(), dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".gen-demo", "folder of the demo's work tree and remote; it is kept between runs")
	return cmd
}

// demoResult is what the demo did in its fleet, for programs: the results of the three commands it runs there.
type demoResult struct {
	Fleet  string              `json:"fleet"`
	Charts []lockedRow         `json:"charts"`
	Images []report.ImageCheck `json:"images"`
	Pushed []pushedRow         `json:"pushed"`
}

// runDemo tells the demo on stdout; where programs read that, it is told on stderr, and its results follow as JSON.
func (g *global) runDemo(ctx context.Context, dir string) error {
	told := *g
	if g.output == "json" {
		told.output, told.out = "text", g.err
		if g.quiet {
			told.out = io.Discard
		}
	}
	var result demoResult
	if err := told.demo(ctx, dir, &result); err != nil || g.output != "json" {
		return err
	}
	return report.WriteJSON(g.out, result)
}

func (g *global) demo(ctx context.Context, dir string, result *demoResult) error {
	world, err := demo.Start(ctx, demo.Options{Dir: filepath.Join(dir, "remote")})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	fleet := filepath.Join(dir, "fleet")
	if err := world.Checkout(ctx, fleet, gen.Samples); err != nil {
		return err
	}
	g.root, g.environments, g.components = fleet, nil, nil
	setup := g.base()
	result.Fleet = filepath.ToSlash(fleet)
	setup.Transport = world.Transport()
	fmt.Fprintf(g.out, "The embedded world is up: %d hosts under *.example.internal, all on loopback.\n\n", len(world.Hosts()))
	if err := g.demoLocks(ctx, setup, world, result); err != nil {
		return refused(err)
	}
	if err := g.demoPush(ctx, setup, result); err != nil {
		return err
	}
	if err := g.demoIncident(ctx, world); err != nil {
		return err
	}
	fmt.Fprintf(g.out, "\nThe model is in %s, what Argo CD would read in %s.\n", filepath.Join(fleet, pipeline.ModelDir), filepath.Join(fleet, pipeline.OutputDir))
	return nil
}

// demoLocks pins charts and proves images; what is new in the locks is committed with the model.
func (g *global) demoLocks(ctx context.Context, setup pipeline.Setup, world *demo.World, result *demoResult) error {
	charts, err := setup.LockCharts(ctx, false)
	if err != nil {
		return err
	}
	result.Charts = lockedRows(charts)
	fmt.Fprintf(g.out, "gen charts lock: %d lines of charts.lock changed\n", len(charts))
	client, err := g.imageClient(setup)
	if err != nil {
		return err
	}
	checks, removed, err := setup.LockImages(ctx, client, pipeline.Look{})
	if err != nil {
		return err
	}
	result.Images = report.NewImageChecks(checks, removed)
	fmt.Fprint(g.out, "gen images lock: ")
	if err := g.printChecks(checks, removed); err != nil {
		return err
	}
	return world.Checkout(ctx, setup.Root, gen.Samples)
}

func (g *global) demoPush(ctx context.Context, setup pipeline.Setup, result *demoResult) error {
	pushed, err := setup.Push(ctx, pipeline.Push{AllowDeletions: -1})
	for _, p := range pushed {
		fmt.Fprintln(g.out)
		g.notices(p.Run.Results)
		report.WriteRun(g.out, report.NewRun(p.Run))
	}
	result.Pushed = pushedRows(pushed)
	fmt.Fprint(g.out, "\ngen push: ")
	printErr := g.printPushed(pushed)
	if err != nil {
		return refused(err)
	}
	if printErr != nil {
		return printErr
	}
	for _, p := range pushed {
		if p.Outcome.Kind == git.Unchanged {
			fmt.Fprintln(g.out, "Nothing to commit: the output is what the model renders.")
		}
	}
	return nil
}
