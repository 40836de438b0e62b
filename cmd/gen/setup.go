package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/generators"
	"github.com/coldstart-gitops/gen/internal/argoapi"
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/chart"
	"github.com/coldstart-gitops/gen/internal/demo"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// demoWorld is the --world that answers for *.example.internal in process.
const demoWorld = "demo"

// base is what the pipeline works with under these flags, whichever world answers.
func (g *global) base() pipeline.Setup {
	return pipeline.Setup{
		Root:              g.rootFolder(),
		Cache:             g.cache,
		Version:           releaseVersion(),
		Build:             buildID(),
		Jobs:              g.jobs,
		Stall:             g.stall,
		Definitions:       generators.All(),
		Artifacts:         generators.Artifacts(),
		EncodeApplication: argoapi.Encode,
		EncodeProject:     argoapi.EncodeProject,
		Judge:             judge,
		Environments:      g.environments,
		Components:        g.components,
	}
}

// rootFolder is the root that was named, else the nearest folder upwards that holds a model, as far as the git repository goes;
// where none does it is the folder itself, of which the error then speaks.
func (g *global) rootFolder() string {
	if g.root != "" {
		return g.root
	}
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		if isThere(filepath.Join(dir, pipeline.ModelDir, "fleet.yaml")) {
			return dir
		}
		absolute, err := filepath.Abs(dir)
		if err != nil || isThere(filepath.Join(dir, ".git")) || absolute == filepath.Dir(absolute) {
			return "."
		}
	}
}

func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// judge tells health as one Argo CD does.
func judge(version argocd.Version, settings manifest.Object) (func(manifest.Object) (*argocd.Health, error), error) {
	j, err := argoapi.NewJudge(version, settings)
	if err != nil {
		return nil, err
	}
	return j.Health, nil
}

// setup is what the pipeline works with under these flags. The closer ends the embedded world, where one was started.
func (g *global) setup(ctx context.Context) (pipeline.Setup, func(), error) {
	s := g.base()
	if err := g.checkNames(); err != nil { // arguments are names too
		return s, nil, err
	}
	g.sayUncached()
	switch g.world {
	case "":
		credentials, err := netrc()
		s.Credentials = credentials
		return s, func() {}, err
	case demoWorld:
		world, err := demo.Start(ctx, demo.Options{})
		if err != nil {
			return s, nil, fmt.Errorf("starting the demo world: %w", err)
		}
		s.Transport = world.Transport()
		return s, func() { _ = world.Close() }, nil
	}
	return s, nil, otherWorld(g.world)
}

// inSetup runs a command's work with what the pipeline works with, and ends the embedded world after it.
func (g *global) inSetup(cmd *cobra.Command, work func(pipeline.Setup) error) error {
	setup, closeSetup, err := g.setup(cmd.Context())
	if err != nil {
		return err
	}
	defer closeSetup()
	return work(setup)
}

func otherWorld(name string) error {
	return fmt.Errorf("--world %s: there is only the world %q", name, demoWorld)
}

// sayUncached says that nothing is kept between runs, where nobody says where.
func (g *global) sayUncached() {
	if _, err := os.UserCacheDir(); err != nil && g.cache == "" && !g.quiet {
		fmt.Fprintf(g.err, "warning: finding a folder for caches: %v: nothing is kept between runs; --cache names a folder\n", err)
	}
}

// netrc reads the logins for chart repositories from the file that curl and git read: $NETRC, else ~/.netrc.
func netrc() (chart.Credentials, error) {
	name := os.Getenv("NETRC")
	if name == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, nil // no home, no logins
		}
		name = filepath.Join(home, ".netrc")
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading logins: %w", err)
	}
	return chart.Netrc(data, name)
}
