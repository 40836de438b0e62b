package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// prepare takes flags from the environment, and refuses values that no command could follow, all at once.
func (g *global) prepare(cmd *cobra.Command) error {
	given := emptyFlags(cmd.Flags())
	if err := g.flagsFromEnvironment(cmd.Flags()); err != nil {
		return err
	}
	return errors.Join(given, g.checkFlags(), checkFormat(cmd, g.output))
}

// emptyFlags refuses what was given as an empty text, as a script does whose variable is not set: it would count as not given.
func emptyFlags(flags *pflag.FlagSet) error {
	var problems []error
	flags.VisitAll(func(f *pflag.Flag) {
		if empty := f.Value.String() == "" || f.Value.String() == "[]"; f.Changed && empty {
			problems = append(problems, fmt.Errorf("--%s: it is empty: give it a value, or leave it out", f.Name))
		}
	})
	return errors.Join(problems...)
}

// flagsFromEnvironment sets every flag that was not given from GEN_NAME, dashes as underscores. An empty variable is not set.
func (g *global) flagsFromEnvironment(flags *pflag.FlagSet) error {
	var problems []error
	g.fromVariable = map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) {
		name := "GEN_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := os.Getenv(name)
		if f.Changed || value == "" {
			return
		}
		g.fromVariable[f.Name] = true
		if err := flags.Set(f.Name, value); err != nil {
			problems = append(problems, fmt.Errorf("reading %s: %w", name, err))
		}
	})
	return errors.Join(problems...)
}

// checkFlags refuses numbers and names that mean nothing.
func (g *global) checkFlags() error {
	var problems []error
	if g.jobs < 0 {
		problems = append(problems, fmt.Errorf("--jobs %d: it is how many components are worked on at once; 0 is as many as processors", g.jobs))
	}
	if g.stall < 0 {
		problems = append(problems, fmt.Errorf("--stall %s: it is how long a server may fall silent, such as 30s", g.stall))
	}
	return errors.Join(append(problems, g.checkNames())...)
}

// checkNames refuses an empty name in a selection.
func (g *global) checkNames() error {
	var problems []error
	if slices.Contains(g.environments, "") {
		problems = append(problems, fmt.Errorf("--environment %s: one of the names is empty", strings.Join(g.environments, ",")))
	}
	if slices.Contains(g.components, "") {
		problems = append(problems, fmt.Errorf("--component %s: one of the names is empty", strings.Join(g.components, ",")))
	}
	return errors.Join(problems...)
}

// selectArgs takes ENVIRONMENT and COMPONENT as if they were flags. An argument goes before a variable.
func (g *global) selectArgs(args []string) {
	if len(args) > 0 {
		g.environments = append(g.given("environment", g.environments), args[0])
	}
	if len(args) > 1 {
		g.components = append(g.given("component", g.components), args[1])
	}
}

// given is the value of a flag, unless it came from a variable.
func (g *global) given(flag string, value []string) []string {
	if g.fromVariable[flag] {
		return nil
	}
	return value
}

// formats are the formats of a command's results that are not text and JSON.
const formatsKey = "formats"

// prints says in which formats a command prints its results.
func prints(cmd *cobra.Command, formats ...string) *cobra.Command {
	cmd.Annotations = map[string]string{formatsKey: strings.Join(formats, " ")}
	return cmd
}

// checkFormat refuses a format that the command does not print, and names those that it does.
func checkFormat(cmd *cobra.Command, format string) error {
	formats := []string{"text", "json"}
	if own := cmd.Annotations[formatsKey]; own != "" {
		formats = strings.Fields(own)
	}
	return formatOf(cmd.CommandPath(), format, formats)
}

func formatOf(command, format string, formats []string) error {
	if slices.Contains(formats, format) {
		return nil
	}
	list := formats[0]
	if last := len(formats) - 1; last > 0 {
		list = strings.Join(formats[:last], ", ") + " or " + formats[last]
	}
	return fmt.Errorf("--output %s: %s prints %s", format, command, list)
}

// platform is how a platform is written: os/arch or os/arch/variant, as in the index of an image.
var platform = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+(/[a-z0-9]+)?$`)

// checkPlatforms refuses what is no platform: no image could be proven for it.
func checkPlatforms(platforms []string) error {
	var problems []error
	for _, p := range platforms {
		if !platform.MatchString(p) {
			problems = append(problems, fmt.Errorf("--platforms %q: it is no platform: it is written os/arch, such as linux/amd64", p))
		}
	}
	return errors.Join(problems...)
}

// checkBudget refuses a number of deletions that none can be.
func checkBudget(n int) error {
	if n < -1 {
		return fmt.Errorf("--allow-deletions %d: it is how many objects of an environment may go; -1 is the model's budget", n)
	}
	return nil
}
