package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/demo"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/imagefield"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

// rewriting is what the filter was asked for.
type rewriting struct {
	file, mirrors string
	platforms     []string
	strict        bool
}

func newImagesRewrite(g *global) *cobra.Command {
	var r rewriting
	cmd := &cobra.Command{
		Use:   "rewrite -f FILE --mirrors FILE",
		Short: "Rewrite the proven references of a YAML stream, and keep every other byte",
		Long: "A filter that needs no model: helm template … | gen images rewrite -f - --mirrors mirrors.yaml\n" +
			"mirrors.yaml is a list as under facts.mirrors. Each reference that a mirror covers is verified by its bytes; the stream is\n" +
			"printed with the proven ones rewritten, and the command exits 3 when any is not proven, or a document cannot be read.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.rewriteImages(cmd, r) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&r.file, "file", "f", "", "the YAML stream; - is standard input")
	flags.StringVar(&r.mirrors, "mirrors", "", "the mirror map")
	flags.StringSliceVar(&r.platforms, "platforms", []string{"linux/amd64"}, "platforms of the nodes")
	flags.BoolVar(&r.strict, "strict", false, "exit 3 also while a place that names a mirrored registry cannot be rewritten")
	_ = cmd.MarkFlagRequired("file")
	_ = cmd.MarkFlagRequired("mirrors")
	return prints(cmd, "text")
}

func (g *global) rewriteImages(cmd *cobra.Command, r rewriting) error {
	policy, err := r.policy()
	if err != nil {
		return err
	}
	data, err := g.readStream(r.file)
	if err != nil {
		return err
	}
	client, closeWorld, err := g.rewriteClient(cmd.Context(), policy)
	if err != nil {
		return err
	}
	defer closeWorld()
	text, options := imagefield.ParseText(data), imagefield.Options{Hosts: policy.Rules.Hosts()}
	hits := text.Find(options)
	lock := &image.Lock{}
	updates := lock.Update(client.Verify(cmd.Context(), image.Requests(references(hits), policy)))
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	out, changes := text.Rewrite(options, func(reference string) (string, bool) {
		written, status := lock.Lookup(reference, policy)
		return written, status != image.NotProven
	})
	if _, err := g.out.Write(out); err != nil {
		return fmt.Errorf("writing the stream: %w", err)
	}
	return g.rewriteVerdict(rewritten{text, hits, changes, updates, policy, lock}, r.strict)
}

// rewritten is what the filter did.
type rewritten struct {
	text    *imagefield.Text
	hits    []imagefield.Hit
	changes []imagefield.Change
	updates []image.Update
	policy  image.Policy
	lock    *image.Lock
}

// rewriteVerdict says on stderr what was not proven, what was left, and what to mind; the error is the refusal.
func (g *global) rewriteVerdict(r rewritten, strict bool) error {
	var failed []pipeline.ImageCheck
	for _, update := range r.updates {
		if update.Outcome == image.Unproven {
			failed = append(failed, pipeline.ImageCheck{Update: update})
		}
	}
	if err := report.ImageChecks(g.err, failed, nil, report.Style{Brief: true}); err != nil {
		return err
	}
	var problems []error
	for _, p := range r.text.Problems() {
		problems = append(problems, fmt.Errorf("%w; it was left as it is, and whether it names an image is not known: mend the stream, or leave the document out", p))
	}
	left := r.left()
	for _, hit := range left {
		fmt.Fprintf(g.err, "left  %s: %s: %s: %s\n", hit.Object, hit.Path, hit.Reference, hit.Note)
	}
	for _, w := range r.warnings() {
		fmt.Fprintf(g.err, "mind  %s: %s: %s\n", w.Object, w.Path, w.Message)
	}
	blocked := r.blocked()
	for _, reference := range blocked {
		problems = append(problems, fmt.Errorf("%s: proven, but it shares a text with what is not, or cannot be edited in place: it was left everywhere", reference))
	}
	if strict && len(left) > 0 {
		problems = append(problems, fmt.Errorf("%d places name a mirrored registry and cannot be rewritten", len(left)))
	}
	if len(failed) > 0 {
		problems = append(problems, fmt.Errorf("%d images are not proven", len(failed)))
	}
	if len(problems) == 0 {
		return nil
	}
	return exit{exitRefused, errors.Join(problems...)}
}

// left returns the places that name a mirrored registry and cannot be rewritten.
func (r rewritten) left() []imagefield.Hit {
	return slices.DeleteFunc(slices.Clone(r.hits), func(hit imagefield.Hit) bool {
		ref, err := image.Parse(hit.Reference)
		return hit.Rewritable || err != nil || !r.policy.Rules.Covered(ref)
	})
}

// blocked returns the proven references that stayed, sorted.
func (r rewritten) blocked() []string {
	changed := map[string]bool{}
	for _, change := range r.changes {
		changed[change.Hit.Reference] = true
	}
	var out []string
	for _, reference := range references(r.hits) {
		if written, status := r.lock.Lookup(reference, r.policy); status == image.Proven && written != reference && !changed[reference] {
			out = append(out, reference)
		}
	}
	return out
}

func (r rewritten) warnings() []imagefield.Warning {
	var out []imagefield.Warning
	for _, o := range r.text.Objects() {
		out = append(out, imagefield.Warnings(o, r.policy.Rules.Hosts())...)
	}
	return out
}

// references returns the references of rewritable places, sorted, each once.
func references(hits []imagefield.Hit) []string {
	var out []string
	for _, hit := range hits {
		if hit.Rewritable {
			out = append(out, hit.Reference)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// policy reads the mirror map.
func (r rewriting) policy() (image.Policy, error) {
	if err := checkPlatforms(r.platforms); err != nil {
		return image.Policy{}, err
	}
	data, err := os.ReadFile(r.mirrors)
	if err != nil {
		return image.Policy{}, fmt.Errorf("reading the mirror map: %w", err)
	}
	mirrors, err := environment.LoadMirrors(data, r.mirrors)
	if err != nil {
		return image.Policy{}, err
	}
	policy := image.Policy{Platforms: r.platforms}
	for _, mirror := range mirrors {
		policy.Rules = append(policy.Rules, image.Rule(mirror))
	}
	if problems := policy.Rules.Check(); len(problems) > 0 {
		return policy, fmt.Errorf("%s: %w", r.mirrors, errors.Join(problems...))
	}
	return policy, nil
}

func (g *global) readStream(file string) ([]byte, error) {
	if file == "-" {
		data, err := io.ReadAll(g.in)
		if err != nil {
			return nil, fmt.Errorf("reading standard input: %w", err)
		}
		return data, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the stream: %w", err)
	}
	return data, nil
}

// rewriteClient is the client of the filter, which has no model to set up.
func (g *global) rewriteClient(ctx context.Context, policy image.Policy) (*image.Client, func(), error) {
	if g.world == "" {
		client, err := g.newImageClient(nil, policy.Rules.CAs())
		return client, func() {}, err
	}
	if g.world != demoWorld {
		return nil, nil, otherWorld(g.world)
	}
	world, err := demo.Start(ctx, demo.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("starting the demo world: %w", err)
	}
	client, err := g.newImageClient(world.Transport(), nil)
	return client, func() { _ = world.Close() }, err
}
