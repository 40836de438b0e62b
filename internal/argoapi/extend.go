package argoapi

import (
	"errors"
	"fmt"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// extend adds what the types of 2.14 cannot say: a false that is meant, a limit of 0, and retry.refresh of 3.2.
func extend(fields map[string]any, app argocd.Application) {
	if a := app.Automated; a != nil {
		put(fields, a.Prune, "spec", "syncPolicy", "automated", "prune")
		put(fields, a.SelfHeal, "spec", "syncPolicy", "automated", "selfHeal")
	}
	if r := app.Retry; r != nil {
		put(fields, r.Limit, "spec", "syncPolicy", "retry", "limit")
		if r.Refresh {
			put(fields, true, "spec", "syncPolicy", "retry", "refresh")
		}
	}
}

// put sets a value in place and makes the maps on its way.
func put(fields map[string]any, value any, path ...string) {
	for _, key := range path[:len(path)-1] {
		next, ok := fields[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			fields[key] = next
		}
		fields = next
	}
	fields[path[len(path)-1]] = value
}

// checkExtra refuses what `application` of the model must not bring.
func checkExtra(extra map[string]any) error {
	var errs []error
	for _, key := range []string{"apiVersion", "kind", "operation", "status"} {
		if _, ok := extra[key]; ok {
			errs = append(errs, fmt.Errorf("application: %s: it is not yours to set; take it out", key))
		}
	}
	metadata, _ := extra["metadata"].(map[string]any)
	for _, key := range []string{"name", "namespace"} {
		if _, ok := metadata[key]; ok {
			errs = append(errs, fmt.Errorf("application: metadata.%s: other objects refer to it; take it out", key))
		}
	}
	return errors.Join(errs...)
}

// merge lays over on fields in place: maps are merged, null removes, everything else replaces.
func merge(fields, over map[string]any) {
	for key, value := range over {
		if value == nil {
			delete(fields, key)
			continue
		}
		inner, isMap := value.(map[string]any)
		old, wasMap := fields[key].(map[string]any)
		switch {
		case isMap && wasMap:
			merge(old, inner)
		default:
			fields[key] = manifest.Copy(value)
		}
	}
}
