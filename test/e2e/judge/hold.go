package judge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// skipReconcile lets Argo CD leave an Application alone.
const skipReconcile = "argocd.argoproj.io/skip-reconcile"

// hold makes the Applications that are to be late, with a mark under which Argo CD does not look at them.
func (st *Stage) hold(ctx context.Context, s Scenario, dir string) error {
	if len(s.Hold) == 0 {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "app", "*.yaml"))
	if err != nil {
		return fmt.Errorf("looking for Applications to hold: %w", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading an Application to hold: %w", err)
		}
		objects, err := kube.Decode(b)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if !s.holds(o.GetName()) {
				continue
			}
			annotations := o.GetAnnotations()
			annotations[skipReconcile] = "true"
			o.SetAnnotations(annotations)
			if err := st.Client.Apply(ctx, "gen-e2e", o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s Scenario) holds(name string) bool {
	return slices.ContainsFunc(s.Hold, func(h string) bool { return s.Name+"-"+h == name })
}

// release waits until every other Application but the root has ended or failed once, and lets the held ones go.
func (st *Stage) release(ctx context.Context, s Scenario, watch *Watch) error {
	if len(s.Hold) == 0 {
		return nil
	}
	_, err := watch.Await(ctx, s.limit(), func(list []Application) bool {
		others := 0
		for _, a := range list {
			if a.Name == s.Name || s.holds(a.Name) {
				continue
			}
			if !a.settled() && !a.Failed {
				return false
			}
			others++
		}
		return others > 0
	})
	if err != nil {
		return err
	}
	for _, name := range s.Hold {
		o := object("argoproj.io/v1alpha1", "Application", "argocd", s.Name+"-"+name, nil)
		patch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{skipReconcile: nil, refreshAnnotation: "normal"}}}
		if err := st.Client.Merge(ctx, o, patch); err != nil {
			return err
		}
	}
	return nil
}
