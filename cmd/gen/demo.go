package main

import (
	"context"
	"fmt"
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
			return g.demo(cmd.Context(), dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".gen-demo", "folder of the demo's work tree and remote; it is kept between runs")
	return cmd
}

func (g *global) demo(ctx context.Context, dir string) error {
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
	setup.Transport = world.Transport()
	fmt.Fprintf(g.out, "The embedded world is up: %d hosts under *.example.internal, all on loopback.\n\n", len(world.Hosts()))
	if err := g.demoLocks(ctx, setup, world); err != nil {
		return refused(err)
	}
	if err := g.demoPush(ctx, setup); err != nil {
		return err
	}
	if err := g.demoIncident(ctx, world); err != nil {
		return err
	}
	fmt.Fprintf(g.out, "\nThe model is in %s, what Argo CD would read in %s.\n", filepath.Join(fleet, pipeline.ModelDir), filepath.Join(fleet, pipeline.OutputDir))
	return nil
}

// demoLocks pins charts and proves images; what is new in the locks is committed with the model.
func (g *global) demoLocks(ctx context.Context, setup pipeline.Setup, world *demo.World) error {
	charts, err := setup.LockCharts(ctx, false)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, "gen charts lock: %d lines of charts.lock changed\n", len(charts))
	client, err := g.imageClient(setup)
	if err != nil {
		return err
	}
	checks, removed, err := setup.LockImages(ctx, client, pipeline.Look{})
	if err != nil {
		return err
	}
	fmt.Fprint(g.out, "gen images lock: ")
	if err := g.printChecks(checks, removed); err != nil {
		return err
	}
	return world.Checkout(ctx, setup.Root, gen.Samples)
}

func (g *global) demoPush(ctx context.Context, setup pipeline.Setup) error {
	pushed, err := setup.Push(ctx, pipeline.Push{AllowDeletions: -1})
	for _, p := range pushed {
		fmt.Fprintln(g.out)
		g.notices(p.Run.Results)
		report.WriteRun(g.out, report.NewRun(p.Run))
	}
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
