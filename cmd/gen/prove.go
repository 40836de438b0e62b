package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

// proveFlags are the flags of prove.
type proveFlags struct {
	dir, root, given, argocd, settings, clusters, on string
	writeGiven                                       bool
}

// today is the day as of which assumptions count.
func (f proveFlags) today() string { return cmp.Or(f.on, time.Now().Format(time.DateOnly)) }

// checkDay refuses a day that is none: days are compared as text, and any text is before or after any day.
func (f proveFlags) checkDay() error {
	if _, err := time.Parse(time.DateOnly, f.on); f.on != "" && err != nil {
		return fmt.Errorf("--on %s: is no day; write YYYY-MM-DD", f.on)
	}
	return nil
}

func newProve(g *global) *cobra.Command {
	var flags proveFlags
	cmd := &cobra.Command{
		Use:   "prove [ENVIRONMENT | DIR]",
		Short: "Prove that a cluster can be built from nothing (exit 4: it cannot, 5: could not tell)",
		Long: "Simulate Argo CD syncing the output onto an empty cluster, and say how that ends and why.\n" +
			"Proves what the model renders, or whatever Applications stand in a folder: DIR is --dir DIR where it holds a slash, is\n" +
			"\".\", or names a folder and no environment of the model. ApplicationSets (list, git, clusters, matrix, merge) are expanded; charts and\n" +
			"kustomizations that stand in the folder are rendered; what would have to be fetched is UNKNOWN.\n" +
			"Without assumptions of yours, nodes, their network, DNS and Argo CD run, and nothing else.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.checkDay(); err != nil {
				return err
			}
			if flags.root != "" && flags.dir == "" && isDir(flags.root) {
				g.root = flags.root
			}
			if len(args) == 1 && g.fromVariable["dir"] {
				flags.dir = "" // an argument goes before a variable
			}
			if len(args) == 1 && flags.dir == "" && g.isFolder(args[0]) {
				flags.dir, args = args[0], nil
			}
			if err := g.checkProve(flags, args); err != nil {
				return err
			}
			g.selectArgs(args)
			list, err := g.prove(cmd, flags)
			if err != nil {
				return refused(err)
			}
			if flags.writeGiven {
				return g.writeGiven(list)
			}
			if err := g.printProofs(list); err != nil {
				return err
			}
			return proofExit(list)
		},
	}
	cmd.Flags().StringVar(&flags.dir, "dir", "", "prove a folder of rendered manifests and Applications; no model is needed")
	cmd.Flags().StringVarP(&flags.root, "root", "C", "", "folder that holds environments/ and output/; with --dir, the file in it whose Applications a person applies, or a chart or kustomization that makes them (default: every file)")
	cmd.Flags().StringVar(&flags.given, "given", "", "--dir only: file with a list `given:` of what holds before the start")
	cmd.Flags().StringVar(&flags.argocd, "argocd", "", "--dir only: version of Argo CD (3.2)")
	cmd.Flags().StringVar(&flags.settings, "argocd-cm", "", "--dir only: file with the argocd-cm that is in force before the first sync")
	cmd.Flags().StringVar(&flags.clusters, "clusters", "", "--dir only: file with the Secrets of all registered clusters, for clusters generators (default: those in the folder)")
	cmd.Flags().StringVar(&flags.on, "on", "", "count assumptions as of this day, YYYY-MM-DD (default: today)")
	cmd.Flags().BoolVar(&flags.writeGiven, "write-given", false, "print the assumptions that would settle what is UNKNOWN, for the environment's file")
	return prints(cmd, "text", "json", "mermaid", "html")
}

// checkProve refuses what would be left out of account: a folder is proven whole. args are what is left beside a folder.
func (g *global) checkProve(flags proveFlags, args []string) error {
	if flags.writeGiven && g.output != "text" {
		return fmt.Errorf("--output %s: --write-given prints text", g.output)
	}
	if flags.dir == "" {
		return nil
	}
	var problems []error
	if len(args) > 0 {
		problems = append(problems, fmt.Errorf("%s: --dir %s proves that folder and no environment of the model: leave one of them out", args[0], flags.dir))
	}
	if len(g.given("environment", g.environments))+len(g.given("component", g.components)) > 0 {
		problems = append(problems, fmt.Errorf("--environment, --component: they select from the model, and the folder %s is proven whole: leave them out", flags.dir))
	}
	if info, err := os.Stat(flags.dir); err != nil {
		problems = append(problems, fmt.Errorf("proving a folder: %w", err))
	} else if !info.IsDir() {
		problems = append(problems, fmt.Errorf("proving %s: it is a file: name the folder that it stands in", flags.dir))
	}
	return errors.Join(problems...)
}

func (g *global) prove(cmd *cobra.Command, flags proveFlags) ([]pipeline.Proved, error) {
	if flags.dir == "" {
		if flags.root != "" && !isDir(flags.root) {
			return nil, fmt.Errorf("--root %s: without a DIR it must be the folder that holds %s/", flags.root, pipeline.ModelDir)
		}
		setup, closeSetup, err := g.setup(cmd.Context())
		if err != nil {
			return nil, err
		}
		defer closeSetup()
		setup.Today = flags.today()
		return setup.Prove(cmd.Context())
	}
	around := pipeline.Surroundings{Version: flags.argocd}
	var err error
	if flags.root != "" {
		if around.Root, err = within(flags.dir, flags.root); err != nil {
			return nil, err
		}
	}
	if flags.given != "" {
		if around.Given, err = readGiven(flags.given); err != nil {
			return nil, err
		}
	}
	if flags.settings != "" {
		if around.Settings, err = readSettings(flags.settings); err != nil {
			return nil, err
		}
	}
	if flags.clusters != "" {
		if around.Clusters, err = readClusters(flags.clusters); err != nil {
			return nil, err
		}
	}
	setup := g.base()
	setup.Today = flags.today()
	folder, err := os.OpenRoot(flags.dir) // links that lead out of it lead nowhere
	if err != nil {
		return nil, fmt.Errorf("proving %s: %w", flags.dir, err)
	}
	defer folder.Close()
	proved, err := setup.ProveFolder(cmd.Context(), folder.FS(), around)
	if err != nil {
		return nil, fmt.Errorf("proving %s: %w", flags.dir, err)
	}
	proved.Name = flags.dir
	return []pipeline.Proved{proved}, nil
}

// isFolder reports whether an argument of prove means a folder and no environment.
func (g *global) isFolder(arg string) bool {
	if arg == "." || strings.ContainsRune(arg, filepath.Separator) {
		return true
	}
	if !isDir(arg) {
		return false
	}
	_, err := os.Stat(filepath.Join(g.root, pipeline.ModelDir, arg+".yaml"))
	return err != nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// within returns the path of a file inside a folder; the file is named from there or from here.
func within(dir, name string) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
		return filepath.ToSlash(filepath.Clean(name)), nil
	}
	from, errDir := filepath.Abs(dir)
	to, errName := filepath.Abs(name)
	inside, err := filepath.Rel(from, to)
	if _, statErr := os.Stat(name); errDir != nil || errName != nil || err != nil || statErr != nil || !filepath.IsLocal(inside) {
		return "", fmt.Errorf("--root %s: there is no such file in %s", name, dir)
	}
	return filepath.ToSlash(inside), nil
}

// readSettings reads the argocd-cm that is in force before the first sync.
func readSettings(name string) (manifest.Object, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return manifest.Object{}, fmt.Errorf("reading --argocd-cm: %w", err)
	}
	settings, err := pipeline.ReadSettings(data)
	if err != nil {
		return manifest.Object{}, fmt.Errorf("reading --argocd-cm %s: %w", name, err)
	}
	return settings, nil
}

// readClusters reads the Secrets of registered clusters.
func readClusters(name string) ([]manifest.Object, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading --clusters: %w", err)
	}
	clusters, err := pipeline.ReadClusters(data)
	if err != nil {
		return nil, fmt.Errorf("reading --clusters %s: %w", name, err)
	}
	return clusters, nil
}

// readGiven reads a list of assumptions, as the environment's file has them.
func readGiven(name string) ([]coldstart.Given, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading --given: %w", err)
	}
	stated, err := environment.LoadGiven(data, name)
	if err != nil {
		return nil, err
	}
	var list []coldstart.Given
	for _, g := range stated {
		list = append(list, coldstart.Given(g))
	}
	return list, nil
}

// proofExit turns the worst verdict into an exit code.
func proofExit(list []pipeline.Proved) error {
	code := exitDone
	for _, p := range list {
		switch {
		case p.Proof.Verdict.Good():
		case p.Proof.Verdict != coldstart.Unknown:
			return exit{code: exitNoStart}
		default:
			code = exitUnknown
		}
	}
	if code == exitDone {
		return nil
	}
	return exit{code: code}
}

// writeGiven prints the drafts of what is not stated yet.
func (g *global) writeGiven(list []pipeline.Proved) error {
	for _, p := range list {
		if len(p.Proof.Drafts) == 0 {
			fmt.Fprintf(g.out, "# %s: nothing is UNKNOWN that an assumption would settle\ngiven: []\n", p.Name)
			continue
		}
		fmt.Fprintf(g.out, "# %s: why does it hold before the start, and who sees to it?\ngiven:\n", p.Name)
		for _, fact := range p.Proof.Drafts {
			fmt.Fprintf(g.out, "  - {fact: %q} # add reason, owner, and expires: \"YYYY-MM-DD\"\n", fact)
		}
	}
	return nil
}

func (g *global) printProofs(list []pipeline.Proved) error {
	switch g.output {
	case "json":
		return report.WriteJSON(g.out, report.Proofs(list))
	case "html":
		return report.WriteProofPage(g.out, list)
	case "mermaid":
		return report.WriteProofMermaid(g.out, list)
	}
	return report.WriteProofs(g.out, list, g.verbose)
}
