package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Refusal is the error of a guard: rendering went well, and what came out must not be committed.
type Refusal struct {
	Reasons []string // one line each, sorted
}

// Error returns the reasons, one a line.
func (r *Refusal) Error() string { return strings.Join(r.Reasons, "\n") }

// guard refuses plain Secrets that the model does not allow, together with the objects that generated values refuse already. It
// reports allowances that nothing uses.
func (r *run) guard(final []located, refused map[int][]string) error {
	var reasons []string
	for _, more := range refused {
		reasons = append(reasons, more...)
	}
	used := make([]bool, len(r.in.Component.AllowSecrets))
	for _, one := range final {
		if !holdsSecret(one.object) {
			continue
		}
		allowed := false
		for i, allowance := range r.in.Component.AllowSecrets {
			if r.allows(allowance, one.object.ID()) {
				used[i], allowed = true, true
			}
		}
		if !allowed && refused[one.raw] == nil {
			reasons = append(reasons, fmt.Sprintf("%s: %s: a plain Secret (%s) would be committed: deliver it by an ExternalSecret or a SealedSecret, remove it, or allow it by name with a reason (allowSecrets)",
				one.source, one.object.ID(), strings.Join(secretKeys(one.object), ", ")))
		}
	}
	for i, allowance := range r.in.Component.AllowSecrets {
		if !used[i] {
			r.notice(Notice{Topic: TopicSecret, Source: allowance.Origin.String(), Message: fmt.Sprintf("allowSecrets: no Secret %s with data is rendered: remove the allowance", allowance.Name)})
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	slices.Sort(reasons)
	return &Refusal{Reasons: slices.Compact(reasons)}
}

// allows reports whether an allowance names the Secret. A namespace left out, in either, is the component's.
func (r *run) allows(allowance environment.AllowedSecret, id manifest.ID) bool {
	namespace := allowance.Namespace
	if namespace == "" {
		namespace = r.in.Component.Namespace
	}
	return allowance.Name == id.Name && namespace == r.namespaceOf(id)
}

func isSecret(object manifest.Object) bool {
	id := object.ID()
	return id.Group == "" && id.Kind == "Secret"
}

// holdsSecret reports whether object is a Secret with something in it.
func holdsSecret(object manifest.Object) bool { return isSecret(object) && len(secretKeys(object)) > 0 }

// secretKeys returns the keys of a Secret that hold something, sorted.
func secretKeys(object manifest.Object) []string {
	var keys []string
	for _, field := range []string{"data", "stringData"} {
		for key, value := range object.Map(field) {
			if value != nil && value != "" {
				keys = append(keys, field+"."+key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}
