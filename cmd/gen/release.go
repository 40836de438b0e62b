package main

import (
	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/pipeline"
)

func newRelease(g *global) *cobra.Command {
	release := pipeline.Release{}
	cmd := &cobra.Command{
		Use:   "release ENVIRONMENT",
		Short: "Roll one commit of the output out to a cluster, wave by wave (`rollout: ordered`)",
		Long: "Write the Applications of an environment with `rollout: ordered`, all held on one commit, to the branch that its root reads.\n" +
			"Argo CD then walks the waves: an Application moves to that commit once those of the wave before are healthy on it.\n" +
			"Promotion and going back are the same command: --commit names what is to run.\n\n" +
			"A root whose operation waits for a wave that never gets healthy ignores the next release until that operation is ended:\n" +
			"bootstrap/README.md prints the command.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.selectArgs(args)
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				pushed, err := setup.Release(cmd.Context(), release)
				return g.printPublishing(pushed, err)
			})
		},
	}
	cmd.Flags().StringVar(&release.Commit, "commit", "", "what to release: a commit, branch or tag (the newest output)")
	cmd.Flags().StringVar(&release.Remote, "remote", "", "where the branches are: a remote's name or a URL (origin)")
	return cmd
}
