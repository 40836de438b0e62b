package render

import (
	"errors"
	"fmt"
	"path"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// edit adds the definition's own objects, applies the model's patches in their order, then its removals, then adds its objects.
// A patch or a removal that matches nothing is an error: it was written for something.
func (r *run) edit(found []located) ([]located, error) {
	for _, own := range r.in.Component.Own {
		found = append(found, located{object: own, source: "component " + r.in.Component.Name, raw: -1})
	}
	found, patchErr := r.patch(found)
	found, removeErr := r.remove(found)
	if err := errors.Join(patchErr, removeErr); err != nil {
		return nil, err
	}
	for _, added := range r.in.Component.Objects {
		if err := checkIdentity(added); err != nil {
			return nil, fmt.Errorf("%s: objects: %w", r.in.Component.Origin, err)
		}
		found = append(found, located{object: added, source: "objects of component " + r.in.Component.Name, raw: -1})
	}
	return found, nil
}

func (r *run) patch(found []located) ([]located, error) {
	patched := append([]located{}, found...)
	var mistakes []error
	for _, patch := range r.in.Component.Patches {
		matched := false
		for i, one := range patched {
			if !r.matches(patch.Target, one.object.ID()) {
				continue
			}
			matched = true
			object, err := applyPatch(one.object, patch)
			if err != nil {
				mistakes = append(mistakes, fmt.Errorf("%s: patch of %s: %w", patch.Origin, one.object.ID(), err))
				continue
			}
			patched[i].object = object
		}
		if !matched {
			mistakes = append(mistakes, r.nothingMatches(patch.Origin, "patches", patch.Target, patched))
		}
	}
	return patched, errors.Join(mistakes...)
}

func (r *run) remove(found []located) ([]located, error) {
	matched := make([]bool, len(r.in.Component.Remove))
	var kept []located
	for _, one := range found {
		removed := false
		for i, selector := range r.in.Component.Remove {
			if r.matches(selector, one.object.ID()) {
				matched[i], removed = true, true
			}
		}
		if !removed {
			kept = append(kept, one)
		}
	}
	var mistakes []error
	for i, selector := range r.in.Component.Remove {
		if !matched[i] {
			mistakes = append(mistakes, r.nothingMatches(selector.Origin, "remove", selector, found))
		}
	}
	return kept, errors.Join(mistakes...)
}

// matches reports whether a selector picks an object. An object that states no namespace is in the component's.
func (r *run) matches(s environment.Selector, id manifest.ID) bool {
	return matchesField(s.Group, id.Group) && matchesField(s.Version, id.Version) && matchesField(s.Kind, id.Kind) &&
		matchesPattern(s.Namespace, r.namespaceOf(id)) && matchesPattern(s.Name, id.Name)
}

func matchesField(want, got string) bool { return want == "" || want == got }

func matchesPattern(pattern, got string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, got)
	return err == nil && ok
}

// nothingMatches is the error for a selector without a match; it names objects that come near.
func (r *run) nothingMatches(origin environment.Origin, field string, s environment.Selector, found []located) error {
	near := ""
	for _, one := range found {
		id := one.object.ID()
		if s.Kind != "" && s.Kind == id.Kind {
			near = fmt.Sprintf("; of this kind there is %s", id)
			break
		}
		if s.Name != "" && s.Name == id.Name && near == "" {
			near = fmt.Sprintf("; of this name there is %s", id)
		}
	}
	return fmt.Errorf("%s: %s: no object of component %s matches %s%s", origin, field, r.in.Component.Name, describe(s), near)
}

// describe prints a selector as it stands in the model.
func describe(s environment.Selector) string {
	text := ""
	for _, field := range [][2]string{{"group", s.Group}, {"version", s.Version}, {"kind", s.Kind}, {"namespace", s.Namespace}, {"name", s.Name}} {
		if field[1] == "" {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += field[0] + ": " + field[1]
	}
	return "{" + text + "}"
}
