package transform

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// Served is what one environment brings to the Argo CD that serves it.
type Served struct {
	Environment  string
	Hub          string // names that Argo CD: environments with the same one share it
	Applications *Applications
}

// Clashes returns an error for every Application name that two environments of one Argo CD have: "a-b" with "c" and "a" with
// "b-c" would write one object in turns. All are reported at once, sorted.
func Clashes(fleet []Served) error {
	users := map[[2]string][]string{} // hub and Application to environments
	for _, s := range fleet {
		if s.Applications == nil {
			continue
		}
		for _, app := range append([]argocd.Application{s.Applications.Root}, s.Applications.Children...) {
			key := [2]string{s.Hub, app.Name}
			users[key] = append(users[key], s.Environment)
		}
	}
	var errs []error
	for _, key := range slices.SortedFunc(maps.Keys(users), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if names := users[key]; len(names) > 1 {
			slices.Sort(names)
			errs = append(errs, fmt.Errorf("naming Applications: %s would be an Application of environments %s in one Argo CD; rename a component or an environment", key[1], listed(names)))
		}
	}
	return errors.Join(errs...)
}
