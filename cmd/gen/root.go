package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// streams are where results, messages and input go: results to out, all else to err.
type streams struct {
	out, err io.Writer
	in       io.Reader
}

// terminal reports whether messages go to a person's terminal, where progress may be drawn.
func (s streams) terminal() bool {
	file, ok := s.err.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// global holds the flags that every command knows.
type global struct {
	streams
	root         string
	cache        string
	environments []string
	components   []string
	output       string
	jobs         int
	stall        time.Duration
	verbose      bool
	quiet        bool
	world        string
	fromVariable map[string]bool // the flags that were not given, and that a variable set
}

// run runs one command line and returns the exit code. It prints the error once.
func run(ctx context.Context, args []string, s streams) int {
	out := &results{to: s.out}
	s.out = out
	cmd := newRoot(s)
	cmd.SetArgs(args)
	code, err := codeOf(cmd.ExecuteContext(ctx))
	code, err = out.outcome(code, err)
	if err != nil {
		fmt.Fprintf(s.err, "error: %s\n", strings.ReplaceAll(manifest.VisibleLines(err.Error()), "\n", "\nerror: "))
		if sampleHost(err) {
			fmt.Fprintln(s.err, "hint: hosts under example.internal exist in the embedded world only: add --world demo")
		}
	}
	return code
}

// sampleHost reports that an error is about a host of the sample model, which no DNS server knows.
func sampleHost(err error) bool {
	var unknown *net.DNSError
	return errors.As(err, &unknown) && strings.HasSuffix(unknown.Name, ".example.internal")
}

func newRoot(s streams) *cobra.Command {
	g := &global{streams: s}
	cmd := &cobra.Command{
		Use:           "gen",
		Short:         "Render a fleet for Argo CD, and prove that each cluster can start from nothing",
		Long:          "gen renders every cluster's manifests and Argo CD Applications from one typed model,\nand proves that a cluster can be built from nothing out of them.\n\n" + exitHelp(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return g.prepare(cmd)
		},
	}
	cmd.SetOut(s.out)
	cmd.SetErr(s.err)
	cmd.SetIn(s.in)
	bindGlobal(cmd.PersistentFlags(), g)
	cmd.AddCommand(commands(g)...)
	cmd.CompletionOptions.HiddenDefaultCmd = true
	return cmd
}

func bindGlobal(flags *pflag.FlagSet, g *global) {
	flags.StringVarP(&g.root, "root", "C", "", "folder that holds environments/ and output/ (this one, or the nearest above it in the git repository)")
	flags.StringVar(&g.cache, "cache", defaultCache(), "folder of the caches of this machine")
	flags.StringSliceVarP(&g.environments, "environment", "e", nil, "only these environments (globs, comma-separated)")
	flags.StringSliceVarP(&g.components, "component", "c", nil, "only these components (globs, comma-separated)")
	flags.StringVarP(&g.output, "output", "o", "text", "how results are printed: text, json (prove: mermaid, html too)")
	flags.IntVarP(&g.jobs, "jobs", "j", 0, "how many components are worked on at once (0: as many as processors)")
	flags.DurationVar(&g.stall, "stall", 30*time.Second, "how long a chart repository may fall silent before it is given up")
	flags.BoolVarP(&g.verbose, "verbose", "v", false, "say more: each notice, each file")
	flags.BoolVarP(&g.quiet, "quiet", "q", false, "say nothing but results and errors")
	flags.StringVar(&g.world, "world", "", "\"demo\": *.example.internal is answered by the embedded world")
}

// defaultCache is none where the machine names no folder for caches: one made up could end up in somebody's repository.
func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gen")
}

func exitHelp() string {
	var b strings.Builder
	b.WriteString("Exit codes:\n")
	for _, row := range exitCodes {
		fmt.Fprintf(&b, "  %d  %s\n", row.code, row.meaning)
	}
	return b.String()
}
