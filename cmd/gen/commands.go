package main

import "github.com/spf13/cobra"

// commands lists every subcommand, one file each, in the order of help.
func commands(g *global) []*cobra.Command {
	return []*cobra.Command{
		newInit(g),
		newSchema(g),
		newList(g),
		newExplain(g),
		newCharts(g),
		newImages(g),
		newRender(g),
		newGraph(g),
		newProve(g),
		newCheck(g),
		newDiff(g),
		newPush(g), newRelease(g), newRemove(g),
		newDemo(g),
		newVersion(g),
	}
}
