package pipeline

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// Deletion budgets, in objects an environment: a cluster that is rebuilt often may lose more at once.
const (
	budgetSeldom = 10
	budgetOften  = 100
)

// withinBudget refuses a commit that removes more objects of an environment than its budget, or a kind whose removal takes other
// things along from a cluster that is seldom rebuilt (argo-cd#3473: all Applications went during an outage of the git host).
func withinBudget(run Run, allowed int) error {
	var problems []error
	for _, result := range run.Results {
		problems = append(problems, overBudget(result.Environment, run.Changes, allowed))
	}
	if err := errors.Join(problems...); err != nil {
		return Refusal{err}
	}
	return nil
}

func overBudget(env *environment.Environment, changes []tree.Change, allowed int) error {
	budget := budgetSeldom
	if env.Rebuilt == "often" {
		budget = budgetOften
	}
	var gone, grave []string
	for _, c := range changes {
		if c.Kind != tree.Removed || c.IsRecord() || !strings.HasPrefix(c.Path, env.Name+"/") {
			continue
		}
		gone = append(gone, c.Path)
		if strings.HasPrefix(path.Base(c.Path), "customresourcedefinition") || strings.HasPrefix(path.Base(c.Path), "namespace_") ||
			strings.HasPrefix(path.Base(c.Path), "persistentvolume") {
			grave = append(grave, c.Path)
		}
	}
	if allowed >= 0 {
		budget, grave = allowed, nil
	}
	if len(gone) <= budget && (len(grave) == 0 || env.Rebuilt == "often") {
		return nil
	}
	listed := gone
	if len(gone) <= budget {
		listed = grave
	}
	return fmt.Errorf("%s: the commit would remove %d objects (the budget is %d; CRDs, Namespaces and volumes count as too many for a cluster that is seldom rebuilt):\n  %s\nif that is meant: gen push --allow-deletions %d",
		env.Name, len(gone), budget, strings.Join(listed, "\n  "), len(gone))
}
