package transform

import (
	"fmt"
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/stored"
)

// Stored takes out of CRDs what the API server does not store (stored.Dropped): with it Argo CD would call the Application OutOfSync
// for ever, and apply it again and again. A component whose CRDs are changed gets one notice.
func Stored(bundles []manifest.Bundle) ([]manifest.Bundle, []Notice) {
	out := slices.Clone(bundles)
	var notices []Notice
	for i, b := range bundles {
		var first string
		fields, cloned := 0, false
		for j, o := range b.Objects {
			paths := stored.Dropped(o)
			if len(paths) == 0 {
				continue
			}
			if !cloned {
				out[i].Objects, cloned = slices.Clone(b.Objects), true
				first = paths[0].String() + " of " + o.ID().String()
			}
			out[i].Objects[j] = stored.Without(o, paths)
			fields += len(paths)
		}
		if cloned {
			notices = append(notices, Notice{Component: b.Name, Message: fmt.Sprintf(
				"%s left out, which the API server does not store and Argo CD would call OutOfSync for ever: %s%s", emptyFields(fields), first, others(fields-1))})
		}
	}
	return out, notices
}

func emptyFields(n int) string {
	if n == 1 {
		return "an empty field is"
	}
	return fmt.Sprintf("%d empty fields are", n)
}

func others(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
