package report

import (
	"reflect"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// hide returns the two files of a Secret with every value replaced: the diff shows that a value changed and never what it is.
// Not even a hash of it, since short values can be guessed.
func hide(before, after manifest.Object) (old, now []byte) {
	return hidden(before, before), hidden(after, before)
}

// hidden emits secret with its values replaced by whether they equal those of the one before.
func hidden(secret, before manifest.Object) []byte {
	if secret.IsZero() {
		return nil
	}
	out, err := manifest.Emit(secret.Edit(func(fields map[string]any) {
		for _, field := range []string{"data", "stringData"} {
			values, _ := fields[field].(map[string]any)
			for key, value := range values {
				values[key] = "(hidden)"
				if !before.IsZero() && !reflect.DeepEqual(value, before.Get(field, key)) {
					values[key] = "(hidden, changed)"
				}
			}
		}
	}))
	if err != nil {
		return []byte("(hidden)\n")
	}
	return out
}
