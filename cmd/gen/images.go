package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

func newImages(g *global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "images",
		Short: "List images, prove that mirrors serve the same bytes, and rewrite what is proven",
		Args:  subcommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newImagesList(g), newImagesLock(g), newImagesVerify(g), newImagesSuggest(g), newImagesRewrite(g))
	return cmd
}

func newImagesList(g *global) *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every image of the model with its places and what images.lock knows; nobody is asked",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				list, err := setup.ListImages(cmd.Context())
				if err != nil {
					return refused(err)
				}
				if err := report.Images(g.out, list, report.Style{Format: g.output, Verbose: g.verbose}); err != nil {
					return err
				}
				if left := list.Left(); strict && len(left) > 0 {
					return exit{exitRefused, fmt.Errorf("%d places name an image at a mirrored registry and cannot be rewritten: they are listed above", len(left))}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "refuse (exit 3) while a place that names a mirrored registry cannot be rewritten")
	return cmd
}

func newImagesLock(g *global) *cobra.Command {
	var deep bool
	cmd := &cobra.Command{
		Use:   "lock",
		Short: "Ask sources and mirrors about every mirrored image, and enter what is proven into images.lock",
		Long: "Each image is entered only after the bytes fetched from the mirror hash to the digest that the source answers, for every\n" +
			"platform of the nodes. What was proven stays proven while registries are silent; other bytes are refused with both digests.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.withClient(cmd, true, func(setup pipeline.Setup, client *image.Client) error {
				checks, removed, err := setup.LockImages(cmd.Context(), client, pipeline.Look{Deep: deep})
				if err != nil {
					return err
				}
				return g.printChecks(checks, removed)
			})
		},
	}
	cmd.Flags().BoolVar(&deep, "deep", false, deepHelp)
	return cmd
}

const deepHelp = "also ask whether the mirror holds every layer and attestation (one request each; a pull-through mirror may fetch them then)"

func newImagesVerify(g *global) *cobra.Command {
	var source string
	var deep bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Look again whether mirrors serve what the sources answer; nothing is changed",
		Long: "Nothing is changed. Exit code 3: a mirror serves other bytes, lacks an image, or one is not proven; exit code 5: somebody could not\n" +
			"be asked, and images.lock holds the proof: try again.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if source != "registry" && source != "lock" {
				return fmt.Errorf("--source %s: the source's side is taken from the registry or from the lock", source)
			}
			return g.withClient(cmd, false, func(setup pipeline.Setup, client *image.Client) error {
				checks, err := setup.VerifyImages(cmd.Context(), client, pipeline.Look{Deep: deep, FromLock: source == "lock"})
				if err != nil {
					return err
				}
				if err := report.ImageChecks(g.out, checks, nil, report.Style{Format: g.output, Verbose: g.verbose}); err != nil {
					return err
				}
				if err := notProven(checks, disproven); err != nil {
					return err
				}
				return notAsked(checks)
			})
		},
	}
	cmd.Flags().BoolVar(&deep, "deep", false, deepHelp)
	cmd.Flags().StringVar(&source, "source", "registry", "where the source's digest comes from: registry, or lock (for a network that reaches only the mirror)")
	return cmd
}

func newImagesSuggest(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "suggest",
		Short: "For images outside every mirror, look for the same digest where a mirror stands, and print the lines to add",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.withClient(cmd, false, func(setup pipeline.Setup, client *image.Client) error {
				suggestions, err := setup.SuggestImages(cmd.Context(), client)
				if err != nil {
					return err
				}
				return report.Suggestions(g.out, suggestions, g.output)
			})
		},
	}
}

// printChecks prints what became of the lock; what is not proven is a refusal.
func (g *global) printChecks(checks []pipeline.ImageCheck, removed []image.Entry) error {
	if err := report.ImageChecks(g.out, checks, removed, report.Style{Format: g.output, Verbose: g.verbose}); err != nil {
		return err
	}
	return notProven(checks, func(c pipeline.ImageCheck) bool { return c.Outcome == image.Refused || c.Outcome == image.Unproven })
}

// notProven is the refusal where a check failed; all about it has been printed.
func notProven(checks []pipeline.ImageCheck, failed func(pipeline.ImageCheck) bool) error {
	n := 0
	for _, c := range checks {
		if failed(c) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return exit{exitRefused, fmt.Errorf("%d of %d images are not proven; each is printed with its reason", n, len(checks))}
}

// disproven is a check that time does not mend: all but a proven image about which somebody could not be asked.
func disproven(c pipeline.ImageCheck) bool {
	return c.Result.Verdict != image.Same && c.Outcome != image.Unchanged && !unasked(c)
}

func unasked(c pipeline.ImageCheck) bool {
	return c.Result.Verdict == image.Unknown && c.Outcome == image.Kept
}

// notAsked is the answer where nothing is wrong but that somebody could not be asked.
func notAsked(checks []pipeline.ImageCheck) error {
	n := 0
	for _, c := range checks {
		if unasked(c) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return exit{exitUnknown, fmt.Errorf("%d of %d images could not be asked about; images.lock holds what was proven before", n, len(checks))}
}

// withClient runs a command that asks registries, for what is selected or for the whole model.
func (g *global) withClient(cmd *cobra.Command, whole bool, run func(pipeline.Setup, *image.Client) error) error {
	return g.inSetup(cmd, func(setup pipeline.Setup) error {
		if whole {
			setup = setup.WholeModel()
		}
		client, err := g.imageClient(setup)
		if err != nil {
			return err
		}
		return refused(run(setup, client))
	})
}

// imageClient is the client for the model's registries.
func (g *global) imageClient(setup pipeline.Setup) (*image.Client, error) {
	cas, err := setup.ImageCAs()
	if err != nil {
		return nil, err
	}
	return g.newImageClient(setup.Transport, cas)
}

// newImageClient makes the client for one run: with this machine's credentials in the real world, with none in an embedded one.
func (g *global) newImageClient(transport http.RoundTripper, cas map[string]string) (*image.Client, error) {
	options := image.Options{Transport: transport, CAs: cas, UserAgent: "gen/" + toolVersion(), Progress: g.progress("images")}
	if transport == nil {
		keychain, err := image.LoadKeychain(os.Getenv)
		if err != nil {
			return nil, err
		}
		options.Keychain = keychain
	}
	return image.New(options), nil
}

// progress draws "images 12/74" on a person's terminal, and nothing elsewhere.
func (g *global) progress(what string) func(done, total int) {
	if g.quiet || !g.terminal() {
		return nil
	}
	return func(done, total int) {
		fmt.Fprintf(g.err, "\r%s %d/%d", what, done, total)
		if done == total {
			fmt.Fprint(g.err, "\r\033[K")
		}
	}
}
