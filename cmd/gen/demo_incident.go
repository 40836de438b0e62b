package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/coldstart-gitops/gen"
	"github.com/coldstart-gitops/gen/internal/demo"
	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

// incident tells, on a scratch copy of the sample that is thrown away afterwards, what happened to a team: a chart pulls from a registry that
// no mirror covers, although the same bytes stand at a mirror under another name.
type incident struct {
	g     *global
	world *demo.World
	setup pipeline.Setup
}

// demoIncident runs the scene. An error says that it went otherwise than told.
func (g *global) demoIncident(ctx context.Context, world *demo.World) error {
	dir, err := os.MkdirTemp("", "gen-demo-")
	if err != nil {
		return fmt.Errorf("making a scratch folder: %w", err)
	}
	defer os.RemoveAll(dir)
	s := incident{g, world, g.base()}
	s.setup.Root, s.setup.Cache, s.setup.Transport = dir, filepath.Join(dir, ".cache"), world.Transport()
	s.setup.Environments = []string{"lab"}
	fmt.Fprintf(g.out, "\nA scene: the image that no mirror covered. It plays in a scratch copy of the sample; nothing of it is committed.\n")
	for _, step := range []func(context.Context) error{s.prepare, s.list, s.suggest, s.lock, s.render, s.otherBytes} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("the scene of the image that no mirror covered: %w", err)
		}
	}
	return nil
}

func (s incident) tell(text string) {
	fmt.Fprintf(s.g.out, "\n  %s\n", strings.ReplaceAll(text, "\n", "\n  "))
}

// show prints what a command prints, set off from what is told.
func (s incident) show(command string, print func(*bytes.Buffer) error) error {
	var out bytes.Buffer
	err := print(&out)
	fmt.Fprintf(s.g.out, "    $ %s\n", command)
	for line := range strings.Lines(out.String()) {
		fmt.Fprint(s.g.out, "    ", line)
	}
	return err
}

// refused shows a command that must end with exit code 3.
func (s incident) refused(command string, print func(*bytes.Buffer) error) error {
	err := s.show(command, print)
	code, left := codeOf(refused(err))
	if code != exitRefused {
		return fmt.Errorf("%s ends with exit code %d instead of %d: %w", command, code, exitRefused, err)
	}
	if left != nil {
		for line := range strings.Lines(left.Error()) {
			fmt.Fprintf(s.g.out, "    error: %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	fmt.Fprintf(s.g.out, "    (exit code %d)\n", code)
	return nil
}

// own are the lines of the sample that keep the chart from its own registry.
var own = regexp.MustCompile(`(?m)^ .*ghcr\.example\.internal/external-secrets/external-secrets\}.*\n`)

// proven is the line of the lock that the scene has entered.
var proven = regexp.MustCompile(`(?m)^oci\.external-secrets.*\n`)

// prepare copies the sample, without the values that name the image at a mirrored registry.
func (s incident) prepare(context.Context) error {
	if err := os.CopyFS(s.setup.Root, gen.Samples); err != nil {
		return fmt.Errorf("copying the sample: %w", err)
	}
	places := 0
	err := s.edit("fleet.yaml", func(text string) string {
		places = len(own.FindAllString(text, -1))
		return own.ReplaceAllString(text, "")
	})
	if err == nil && places != 3 {
		err = fmt.Errorf("the sample names the image in %d places instead of 3", places)
	}
	s.tell("The sample tells the chart external-secrets, in three places, to pull from ghcr.example.internal. Without these three lines it pulls\n" +
		"from its own registry. A running cluster does not show it: the image is on every node already.")
	return err
}

func (s incident) edit(name string, change func(string) string) error {
	file := filepath.Join(s.setup.Root, pipeline.ModelDir, name)
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("editing the scratch copy: %w", err)
	}
	if err := os.WriteFile(file, []byte(change(string(data))), 0o644); err != nil {
		return fmt.Errorf("editing the scratch copy: %w", err)
	}
	return nil
}

func (s incident) list(ctx context.Context) error {
	setup := s.setup
	setup.Components = []string{"external-secrets"}
	return s.show("gen images list -v -e lab -c external-secrets", func(out *bytes.Buffer) error {
		list, err := setup.ListImages(ctx)
		if err != nil {
			return err
		}
		return report.Images(out, list, report.Style{Verbose: true})
	})
}

// suggest shows where a mirror holds the same bytes, and adds the line that it prints to the model.
func (s incident) suggest(ctx context.Context) error {
	s.tell("Nobody mirrors that registry: the first cluster built from nothing waits for it. Do the same bytes stand somewhere else?")
	line := ""
	err := s.show("gen images suggest -e lab", func(out *bytes.Buffer) error {
		client, err := s.g.imageClient(s.setup)
		if err != nil {
			return err
		}
		suggestions, err := s.setup.SuggestImages(ctx, client)
		if err != nil {
			return err
		}
		for _, suggestion := range suggestions {
			line = suggestion.Line
		}
		return report.Suggestions(out, suggestions, "")
	})
	if err == nil && line == "" {
		err = errors.New("no line was suggested")
	}
	if err != nil {
		return err
	}
	s.tell("The line goes into environments/sites/dc1.yaml, below facts.mirrors. A line proves nothing: the lock does, by the mirror's bytes.")
	return s.edit("sites/dc1.yaml", func(text string) string {
		return strings.Replace(text, "  mirrors:\n", "  mirrors:\n    "+line+"\n", 1)
	})
}

func (s incident) lock(ctx context.Context) error {
	return s.show("gen images lock", func(out *bytes.Buffer) error { return s.locked(ctx, out) })
}

func (s incident) locked(ctx context.Context, out *bytes.Buffer) error {
	client, err := s.g.imageClient(s.setup)
	if err != nil {
		return err
	}
	checks, removed, err := s.setup.LockImages(ctx, client, pipeline.Look{})
	if err != nil {
		return err
	}
	if err := report.ImageChecks(out, checks, removed, report.Style{}); err != nil {
		return err
	}
	return notProven(checks, func(c pipeline.ImageCheck) bool { return c.Outcome == image.Refused || c.Outcome == image.Unproven })
}

// render shows that the reference is rewritten in all places, in what is written.
func (s incident) render(ctx context.Context) error {
	s.tell("From here on nobody has to remember three places: every place that names the image is rewritten, or none.")
	return s.show("gen render -e lab; grep -rh oci.external-secrets output/lab; grep -rh external-secrets/external-secrets: output/lab", func(out *bytes.Buffer) error {
		if _, err := s.setup.WriteOutput(ctx); err != nil {
			return err
		}
		if left, err := s.grep(demo.HostAlias); err != nil || len(left) > 0 {
			return fmt.Errorf("the output still names %s: %v, %w", demo.HostAlias, left, err)
		}
		lines, err := s.grep("external-secrets/external-secrets:")
		if err == nil && len(lines) != 3 {
			err = fmt.Errorf("%d places are written instead of 3", len(lines))
		}
		fmt.Fprintln(out, strings.Join(lines, "\n"))
		return err
	})
}

// grep returns the lines of the output that hold text.
func (s incident) grep(text string) ([]string, error) {
	var out []string
	root := os.DirFS(filepath.Join(s.setup.Root, pipeline.OutputDir))
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, path)
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, text) {
				out = append(out, strings.TrimSpace(line))
			}
		}
		return err
	})
	return out, err
}

// otherBytes lets the mirror serve other bytes: what was proven is kept and told, and what never was proven stops the render.
func (s incident) otherBytes(ctx context.Context) error {
	s.world.Break(demo.HostMirror, demo.Lie("/external-secrets/manifests/"))
	defer s.world.Up(demo.HostMirror)
	s.tell("And if the mirror served something else? One byte of its answer changes.")
	err := s.refused("gen images lock", func(out *bytes.Buffer) error { return s.locked(ctx, out) })
	if err != nil {
		return err
	}
	s.tell("The lock keeps what was proven, and the output stays. Had it never been proven, the same answer would enter nothing, and render would\n" +
		"refuse and write nothing:")
	if err := s.edit(pipeline.ImagesLock, func(text string) string { return proven.ReplaceAllString(text, "") }); err != nil {
		return err
	}
	if code, _ := codeOf(s.locked(ctx, &bytes.Buffer{})); code != exitRefused {
		return fmt.Errorf("gen images lock ends with exit code %d instead of %d", code, exitRefused)
	}
	return s.refused("gen render -e lab", func(*bytes.Buffer) error {
		_, err := s.setup.WriteOutput(ctx)
		return err
	})
}
