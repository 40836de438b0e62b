package report

import (
	"path"
	"reflect"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// lastApplied is where kubectl keeps the whole object once more, a Secret's values with it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// isSecretFile reports whether a file of the output is named as that of a Secret. Its text may be anything: a merge that was not ended, a
// hand's mistake.
func isSecretFile(name string) bool { return strings.HasPrefix(path.Base(name), "secret_") }

// hide returns the two files of a Secret with every value replaced: the diff shows that a value changed and never what it is.
// Not even a hash of it, since short values can be guessed.
func hide(c tree.Change, before, after manifest.Object) (old, now []byte) {
	return hidden(c.Before, before, before), hidden(c.After, after, before)
}

// hidden emits secret with its values replaced by whether they equal those of the one before. Text that is no object is not shown at all.
func hidden(text []byte, secret, before manifest.Object) []byte {
	if text == nil {
		return nil
	}
	if id := secret.ID(); id.Kind != "Secret" || id.Group != "" {
		return []byte("(hidden: the file of a Secret that cannot be read as one)\n")
	}
	out, err := manifest.Emit(secret.Edit(func(fields map[string]any) {
		for _, field := range []string{"data", "stringData"} {
			hideValues(fields, before, field)
		}
		if metadata, ok := fields["metadata"].(map[string]any); ok {
			hideLastApplied(metadata)
		}
	}))
	if err != nil {
		return []byte("(hidden)\n")
	}
	return out
}

func hideValues(fields map[string]any, before manifest.Object, field string) {
	values, isMap := fields[field].(map[string]any)
	if !isMap && fields[field] != nil {
		fields[field] = "(hidden)"
	}
	for key, value := range values {
		values[key] = "(hidden)"
		if !before.IsZero() && !reflect.DeepEqual(value, before.Get(field, key)) {
			values[key] = "(hidden, changed)"
		}
	}
}

func hideLastApplied(metadata map[string]any) {
	if annotations, ok := metadata["annotations"].(map[string]any); ok && annotations[lastApplied] != nil {
		annotations[lastApplied] = "(hidden)"
	}
}
