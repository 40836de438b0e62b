package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

func newImages(g *global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "images",
		Short: "Prove that mirrors serve the same bytes, and list every image",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newImagesLock(g))
	return cmd
}

func newImagesLock(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "lock",
		Short: "Ask both sides of every image that a mirror covers, and enter what is proven into images.lock",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			setup, closeSetup, err := g.setup(cmd.Context())
			if err != nil {
				return err
			}
			defer closeSetup()
			client, err := g.imageClient(setup)
			if err != nil {
				return err
			}
			checks, removed, err := setup.LockImages(cmd.Context(), client)
			if err != nil {
				return refused(err)
			}
			return g.printChecks(checks, removed, false)
		},
	}
}

// imageClient asks registries with this machine's logins.
func (g *global) imageClient(setup pipeline.Setup) (*image.Client, error) {
	options := image.Options{Transport: setup.Transport, UserAgent: "gen/" + toolVersion()}
	if setup.Transport == nil {
		keychain, err := image.LoadKeychain(os.Getenv)
		if err != nil {
			return nil, err
		}
		cas, err := setup.ImageCAs()
		if err != nil {
			return nil, err
		}
		options.Keychain, options.CAs = keychain, cas
	}
	return image.New(options), nil
}

// printChecks prints what changed in the lock and what could not be proven; the latter is a refusal. terse leaves out what went well.
func (g *global) printChecks(checks []pipeline.ImageCheck, removed []image.Entry, terse bool) error {
	table := tabwriter.NewWriter(g.out, 0, 0, 2, ' ', 0)
	counts := map[image.Outcome]int{}
	refusals := 0
	for _, c := range checks {
		counts[c.Outcome]++
		if c.Outcome == image.Refused || c.Outcome == image.Unproven {
			refusals++
		}
		if g.verbose || c.Outcome != image.Unchanged && !(terse && c.Outcome == image.Added) {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Outcome, c.Result.Verdict, c.Result.Request.Ref, c.Message)
		}
	}
	for _, entry := range removed {
		fmt.Fprintf(table, "removed\t%s\t\tno environment names it\n", entry.Source)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var parts []string
	for _, outcome := range []image.Outcome{image.Added, image.Renewed, image.Unchanged, image.Kept, image.Refused, image.Unproven} {
		if counts[outcome] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[outcome], outcome))
		}
	}
	fmt.Fprintf(g.out, "%d images: %s\n", len(checks), strings.Join(parts, ", "))
	if refusals > 0 {
		return exit{exitRefused, fmt.Errorf("%d images are not proven: they are not written to %s", refusals, pipeline.ImagesLock)}
	}
	return nil
}
