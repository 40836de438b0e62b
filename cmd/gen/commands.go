package main

import "github.com/spf13/cobra"

// commands lists every subcommand, one file each, in the order of help.
func commands(g *global) []*cobra.Command {
	return []*cobra.Command{
		newRender(g),
		newCheck(g),
		newDiff(g),
		newPush(g),
		newCharts(g),
		newImages(g),
		newList(g),
		newGraph(g),
		newDemo(g),
		newVersion(g),
	}
}
