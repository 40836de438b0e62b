package transform

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/stored"
)

// Defaults states in custom resources what their CRDs would fill into lists that are compared as a whole (stored.Defaults), with the
// CRDs of any bundle: without it Argo CD would call the Application OutOfSync for ever, and apply it again and again.
func Defaults(bundles []manifest.Bundle) []manifest.Bundle {
	schemas := stored.Schemas{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			schemas.Add(o)
		}
	}
	out := slices.Clone(bundles)
	for i, b := range bundles {
		cloned := false
		for j, o := range b.Objects {
			missing := stored.Defaults(o, schemas.Of(o))
			if len(missing) == 0 {
				continue
			}
			if !cloned {
				out[i].Objects, cloned = slices.Clone(b.Objects), true
			}
			out[i].Objects[j] = stored.With(o, missing)
		}
	}
	return out
}
