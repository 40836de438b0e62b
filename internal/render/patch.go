package render

import (
	"encoding/json"
	"errors"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// applyPatch returns the patched object.
func applyPatch(object manifest.Object, patch environment.Patch) (manifest.Object, error) {
	if len(patch.JSON) > 0 {
		return applyOperations(object, patch.JSON)
	}
	return applyMerge(object, patch.Merge)
}

// applyMerge merges as kubectl does: by Kubernetes' own merge keys where the kind is native, else by RFC 7396, which replaces
// lists.
func applyMerge(object manifest.Object, merge map[string]any) (manifest.Object, error) {
	changes, err := normal(merge)
	if err != nil {
		return manifest.Object{}, err
	}
	id := object.ID()
	native, err := scheme.Scheme.New(schema.GroupVersionKind{Group: id.Group, Version: id.Version, Kind: id.Kind})
	if err != nil {
		// The scheme has one kind of error: that it does not know the kind.
		merged, _ := mergeJSON(manifest.Copy(object.Fields()), changes).(map[string]any)
		return manifest.New(merged), nil
	}
	fields, _ := manifest.Copy(object.Fields()).(map[string]any)
	merged, err := strategicpatch.StrategicMergeMapPatch(fields, changes, native)
	if err != nil {
		return manifest.Object{}, fmt.Errorf("merging: %w", err)
	}
	if len(merged) == 0 {
		return manifest.Object{}, errors.New("merging: nothing is left of the object: use `remove`")
	}
	return manifest.New(merged), nil
}

// mergeJSON is RFC 7396, section 2. It may change and keep what it is given.
func mergeJSON(target, change any) any {
	changes, ok := change.(map[string]any)
	if !ok {
		return change
	}
	fields, ok := target.(map[string]any)
	if !ok {
		fields = map[string]any{}
	}
	for key, value := range changes {
		if value == nil {
			delete(fields, key)
			continue
		}
		fields[key] = mergeJSON(fields[key], value)
	}
	return fields
}

// applyOperations applies JSON6902 operations.
func applyOperations(object manifest.Object, operations []any) (manifest.Object, error) {
	raw, err := json.Marshal(operations)
	if err != nil {
		return manifest.Object{}, fmt.Errorf("encoding operations: %w", err)
	}
	patch, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		return manifest.Object{}, fmt.Errorf("reading operations: %w", err)
	}
	document, err := json.Marshal(object.Fields())
	if err != nil {
		return manifest.Object{}, fmt.Errorf("encoding the object: %w", err)
	}
	patched, err := patch.Apply(document)
	if err != nil {
		return manifest.Object{}, fmt.Errorf("applying operations: %w", err)
	}
	fields := map[string]any{}
	if err := utiljson.Unmarshal(patched, &fields); err != nil {
		return manifest.Object{}, fmt.Errorf("reading the patched object: %w", err)
	}
	return manifest.New(fields), nil
}

// normal returns values of the model as an object has them: int64, float64, []any and map[string]any.
func normal(values map[string]any) (map[string]any, error) {
	raw, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("encoding the patch: %w", err)
	}
	out := map[string]any{}
	if err := utiljson.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("reading the patch: %w", err)
	}
	return out, nil
}
