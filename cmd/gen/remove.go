package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/report"
)

// removalRow is a removal, for programs.
type removalRow struct {
	Environment string   `json:"environment"`
	Component   string   `json:"component"`
	Removal     string   `json:"removal,omitempty"`
	Blocked     []string `json:"blocked"`
	Goes        []string `json:"goes"`
	Stays       []string `json:"stays"`
}

func newRemove(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "remove ENVIRONMENT COMPONENT",
		Short: "Say what taking a component out of a cluster does, and the next step towards it",
		Long: "An Application that just goes leaves its objects in the cluster, with nobody to look after them. So a component is taken out in\n" +
			"two commits: the first gives its Application the finalizer by which Argo CD deletes the objects (removal: objects, or everything),\n" +
			"the second takes the component out. This command says who still needs the component (exit 3), what goes, what stays, and which of\n" +
			"the two steps comes next. It changes nothing.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.inSetup(cmd, func(setup pipeline.Setup) error {
				r, err := setup.Removal(cmd.Context(), args[0], args[1])
				if err != nil {
					return refused(err)
				}
				if err := g.printRemoval(r); err != nil || len(r.Blocked) == 0 {
					return err
				}
				return exit{exitRefused, fmt.Errorf("%s/%s is needed: take out what needs it first", r.Environment, r.Component)}
			})
		},
	}
}

func (g *global) printRemoval(r pipeline.Removal) error {
	if g.output == "json" {
		return report.WriteJSON(g.out, removalRow{r.Environment, r.Component, r.Asked, append([]string{}, r.Blocked...), texts(r.Goes), texts(r.Stays)})
	}
	report.Print(g.out, "%s/%s: %d objects go, %d stay\n", r.Environment, r.Component, len(r.Goes), len(r.Stays))
	for _, id := range r.Goes {
		report.Print(g.out, "  goes   %s\n", id)
	}
	for _, id := range r.Stays {
		report.Print(g.out, "  stays  %s\n", id)
	}
	for _, reason := range r.Blocked {
		report.Print(g.out, "  needed: %s\n", reason)
	}
	if len(r.Blocked) == 0 {
		nextStep(g.out, r)
	}
	return nil
}

// nextStep writes what a person does now.
func nextStep(w io.Writer, r pipeline.Removal) {
	switch {
	case len(r.Parts) == 0:
		fmt.Fprintf(w, "next: no Argo CD reads this environment: take the component out of the model, and delete the objects by hand\n")
	case r.Asked == "":
		fmt.Fprintf(w, "next: 1. write into %s (everything instead of objects takes along what stays, but for CRDs and namespaces of others)\n\n", r.File)
		fmt.Fprintf(w, "        components:\n          %s: {removal: objects}\n\n", r.Component)
		// Not the root alone: until its own Application is synced too, what stays is marked as it was before.
		fmt.Fprintf(w, "      2. commit and push it, and wait until Argo CD has synced the root, and then %s, at that commit\n      3. run this command again\n", strings.Join(r.Parts, " and "))
	default:
		fmt.Fprintf(w, "next: 1. once that is pushed, and the root and %s are synced at that commit, replace it in %s by\n\n", strings.Join(r.Parts, " and "), r.File)
		fmt.Fprintf(w, "        components:\n          %s: {enabled: false}\n\n", r.Component)
		fmt.Fprintf(w, "      2. commit and push it (gen push --allow-deletions N, where it asks for that): Argo CD deletes the objects with the Application\n")
		for _, part := range r.Parts {
			fmt.Fprintf(w, "      3. it is done when `kubectl get applications.argoproj.io -A` shows no %s any more\n", part)
		}
		byHand(w, r)
	}
}

// byHand names what Argo CD leaves where everything is to go: it deletes no CRD with an Application.
func byHand(w io.Writer, r pipeline.Removal) {
	for _, id := range r.Stays {
		if r.Asked == "everything" && id.Kind == "CustomResourceDefinition" {
			fmt.Fprintf(w, "      4. Argo CD deletes no CRD; once nobody wants an object of its kind: kubectl delete customresourcedefinitions.apiextensions.k8s.io %s\n", id.Name)
		}
	}
}

func texts(ids []manifest.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}
