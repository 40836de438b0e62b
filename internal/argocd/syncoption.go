package argocd

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// SyncOptions returns the object's own sync options, sorted, each once.
func SyncOptions(o manifest.Object) []string { return values(o, SyncOptionsAnnotation) }

// WithSyncOptions returns the object with the options added to its annotation. What the object states itself wins: an
// option whose key (the part before "=") is there already is left as it is.
func WithSyncOptions(o manifest.Object, options ...string) manifest.Object {
	return withValues(o, SyncOptionsAnnotation, options)
}

// CompareOptions returns the compare options that an object carries.
func CompareOptions(o manifest.Object) []string { return values(o, CompareAnnotation) }

// WithCompareOptions does the same for compare options.
func WithCompareOptions(o manifest.Object, options ...string) manifest.Object {
	return withValues(o, CompareAnnotation, options)
}

func withValues(o manifest.Object, key string, options []string) manifest.Object {
	old := values(o, key)
	merged := MergeSyncOptions(old, options...)
	if slices.Equal(old, merged) {
		return o
	}
	return o.Set(strings.Join(merged, ","), "metadata", "annotations", key)
}

// MergeSyncOptions adds options to a list and returns it sorted; an option whose key is in the list already is not added.
func MergeSyncOptions(list []string, options ...string) []string {
	merged := slices.Clone(list)
	for _, option := range options {
		if !slices.ContainsFunc(merged, func(o string) bool { return optionKey(o) == optionKey(option) }) {
			merged = append(merged, option)
		}
	}
	slices.Sort(merged)
	return slices.Compact(merged)
}

func optionKey(option string) string {
	key, _, _ := strings.Cut(option, "=")
	return strings.TrimSpace(key)
}
