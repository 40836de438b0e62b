package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/coldstart-gitops/gen/internal/git"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

// printPublishing prints how each branch ended, and returns what a person has to look at: the error that ended the publishing first.
func (g *global) printPublishing(pushed []pipeline.Pushed, err error) error {
	printErr := g.printPushed(pushed)
	if err != nil {
		return refused(err)
	}
	return printErr
}

// printPushed prints how publishing each branch ended. What a person has to look at is an error.
func (g *global) printPushed(pushed []pipeline.Pushed) error {
	rows := pushedRows(pushed)
	var problems []error
	for _, p := range pushed {
		if o := p.Outcome; o.Kind == git.Refused {
			problems = append(problems, fmt.Errorf("%s: %s: %s", whose(p), o.Reason, o.Help))
		}
	}
	if g.output == "json" {
		return errors.Join(append(problems, report.WriteJSON(g.out, rows))...)
	}
	for _, r := range rows {
		line := r.Action
		if r.Branch != "" {
			line += " " + r.Branch
		}
		if r.Commit != "" {
			line += fmt.Sprintf(" %.12s", r.Commit)
		}
		fmt.Fprintf(g.out, "%s (%s)\n", line, strings.Join(r.Environments, ", "))
		for _, gone := range r.Gone {
			fmt.Fprintf(g.out, "  %s: the whole environment was removed: the model no longer renders it to this branch\n", gone)
		}
		if r.Action != string(git.Refused) {
			for _, more := range []string{r.Reason, r.Help} {
				if more != "" {
					fmt.Fprintf(g.out, "  %s\n", more)
				}
			}
		}
	}
	return errors.Join(problems...)
}

func pushedRows(pushed []pipeline.Pushed) []pushedRow {
	rows := []pushedRow{}
	for _, p := range pushed {
		if o := p.Outcome; o.Kind != "" { // else it ended in an error, which is printed as such
			row := pushedRow{Environments: append([]string{}, p.Environments...), Action: string(o.Kind), Branch: o.Branch, Commit: o.Commit, Reason: o.Reason, Help: o.Help}
			if o.Kind == git.Committed {
				for _, gone := range p.Run.Gone() {
					row.Gone = append(row.Gone, gone.Environment)
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// whose names what was to be published: the branch, or the environments where no branch is known.
func whose(p pipeline.Pushed) string {
	if p.Outcome.Branch != "" {
		return "branch " + p.Outcome.Branch
	}
	return strings.Join(p.Environments, ", ")
}
