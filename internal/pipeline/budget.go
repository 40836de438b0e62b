package pipeline

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// Deletion budgets, in objects an environment: a cluster that is rebuilt often may lose more at once.
const (
	budgetSeldom = 10
	budgetOften  = 100
)

// Gone is an environment whose output goes as a whole: the run answers for its folder, and the model has it no longer.
type Gone struct {
	Environment string
	Files       int // ownership records left out
}

// Gone returns the environments that the run's changes remove as a whole, sorted.
func (r Run) Gone() []Gone {
	names := r.names()
	var out []Gone
	for _, c := range r.Changes {
		env, _, _ := strings.Cut(c.Path, "/")
		if c.Kind != tree.Removed || slices.Contains(names, env) {
			continue
		}
		if len(out) == 0 || out[len(out)-1].Environment != env { // changes are sorted by path
			out = append(out, Gone{Environment: env})
		}
		if !c.IsRecord() {
			out[len(out)-1].Files++
		}
	}
	return out
}

// guarded refuses a commit for all that a guard has against it, at once.
func guarded(run Run, push Push) error {
	problems := withinBudget(run, push.AllowDeletions)
	if !push.LeaveObjects {
		problems = append(problems, leavesNothing(run)...)
	}
	if err := errors.Join(problems...); err != nil {
		return Refusal{err}
	}
	return nil
}

// withinBudget refuses a commit that removes more objects of an environment than its budget, or a kind whose removal takes other
// things along from a cluster that is seldom rebuilt (argo-cd#3473: all Applications went during an outage of the git host). No
// budget covers an environment that goes as a whole: the model does not say any more how often its cluster is rebuilt.
func withinBudget(run Run, allowed int) []error {
	var problems []error
	for _, result := range run.Results {
		problems = append(problems, overBudget(result.Environment, run.Changes, allowed))
	}
	for _, g := range run.Gone() {
		if allowed < g.Files {
			problems = append(problems, fmt.Errorf("%s: the commit would remove the whole environment, which the model no longer renders to this branch; its %d files go:\n  %s\nif that is meant: gen push --allow-deletions %d",
				g.Environment, g.Files, strings.Join(goes(run.Changes, g.Environment), "\n  "), g.Files))
		}
	}
	return problems
}

func overBudget(env *environment.Environment, changes []tree.Change, allowed int) error {
	budget := budgetSeldom
	if env.Rebuilt == "often" {
		budget = budgetOften
	}
	if allowed >= 0 {
		budget = allowed
	}
	gone := goes(changes, env.Name)
	if len(gone) > budget {
		return fmt.Errorf("%s: the commit would remove %d objects, and the budget is %d:\n  %s\nif that is meant: gen push --allow-deletions %d",
			env.Name, len(gone), budget, strings.Join(gone, "\n  "), len(gone))
	}
	grave := slices.DeleteFunc(slices.Clone(gone), func(name string) bool { return !isGrave(name) })
	if len(grave) == 0 || allowed >= 0 || env.Rebuilt == "often" {
		return nil
	}
	return fmt.Errorf("%s: the commit would remove %d objects, and of these not one may go from a cluster that is seldom rebuilt (CRDs, Namespaces and volumes take others along):\n  %s\nif that is meant: gen push --allow-deletions %d",
		env.Name, len(gone), strings.Join(grave, "\n  "), len(gone))
}

// goes returns the files of an environment that are removed, ownership records left out.
func goes(changes []tree.Change, env string) []string {
	var out []string
	for _, c := range changes {
		if c.Kind == tree.Removed && !c.IsRecord() && strings.HasPrefix(c.Path, env+"/") {
			out = append(out, c.Path)
		}
	}
	return out
}

// isGrave reports whether the file holds an object whose removal takes others along, or data.
func isGrave(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "customresourcedefinition") || strings.HasPrefix(base, "namespace_") || strings.HasPrefix(base, "persistentvolume")
}
