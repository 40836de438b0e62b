package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/image"
)

// unproven are the uses of one environment that stop it: references that a mirror covers and the lock does not prove, and what is no
// reference. The environments of a run are refused together, so that one image in fifty of them is one line.
type unproven []ImageUse

func (u unproven) Error() string { return refusal(u).Error() }

// findUnproven returns the uses that stop an environment, or nil.
func findUnproven(uses []ImageUse) error {
	var out unproven
	for _, use := range uses {
		if use.Status == image.NotProven || use.Status == image.Invalid {
			out = append(out, use)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// takeUnproven returns the uses that an error is about, and reports whether it is about any.
func takeUnproven(err error) ([]ImageUse, bool) {
	var u unproven
	ok := errors.As(err, &u)
	return u, ok
}

// Few is how many names a message gives before it counts.
const Few = 3

// refusal words what stops a run: one line a reference, or one a registry where there are many of it.
func refusal(uses []ImageUse) error {
	if len(uses) == 0 {
		return nil
	}
	groups := map[string][]ImageUse{}
	for _, use := range uses {
		groups[groupOf(use)] = append(groups[groupOf(use)], use)
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		references := byReference(groups[name])
		if name != "" && len(references) > Few {
			problems = append(problems, manyUnproven(name, references))
			continue
		}
		for _, at := range references {
			problems = append(problems, oneUnproven(at))
		}
	}
	return Refusal{errors.Join(problems...)}
}

// groupOf is the registry whose unproven images are refused together; "" for what is refused by itself.
func groupOf(use ImageUse) string {
	ref, err := image.Parse(use.Reference)
	if err != nil || use.Status == image.Invalid {
		return ""
	}
	return ref.Host
}

// byReference sorts uses by reference, those of one reference together.
func byReference(uses []ImageUse) [][]ImageUse {
	sorted := slices.SortedFunc(slices.Values(uses), func(a, b ImageUse) int {
		return cmp.Or(cmp.Compare(a.Reference, b.Reference), cmp.Compare(a.Environment, b.Environment))
	})
	var out [][]ImageUse
	for i, use := range sorted {
		if i == 0 || sorted[i-1].Reference != use.Reference {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], use)
	}
	return out
}

// howToProve is what to do about an image that the lock does not prove.
const howToProve = "run `gen images lock`; where that enters nothing, it says why (DIFFERENT, MISSING, …) and how to copy the image"

// oneUnproven words one reference, at its first place.
func oneUnproven(uses []ImageUse) error {
	first := uses[0]
	places := 0
	for _, use := range uses {
		places += len(use.Places)
	}
	at := first.Places[0]
	where := fmt.Sprintf("%s/%s: %s: %s", first.Environment, at.Component, at.Hit.Object, at.Hit.Path)
	if places > 1 {
		where += fmt.Sprintf(" (and %d more)", places-1)
	}
	if first.Status == image.Invalid {
		return fmt.Errorf("%s: %s: is no image reference: correct the value in the chart or the model", where, first.Reference)
	}
	return fmt.Errorf("%s: %s: a mirror covers it, and %s/%s holds no proof that the mirror serves the same bytes: %s", where, first.Reference, ModelDir, ImagesLock, howToProve)
}

// manyUnproven words the references of one registry together.
func manyUnproven(host string, references [][]ImageUse) error {
	var names, environments []string
	for _, uses := range references {
		names = append(names, uses[0].Reference)
		for _, use := range uses {
			environments = append(environments, use.Environment)
		}
	}
	slices.Sort(environments)
	return fmt.Errorf("%s: %d images of %s: mirrors cover them, and %s/%s holds no proof that the mirrors serve the same bytes: %s (`gen images list` names each with its places): %s",
		SomeOf(slices.Compact(environments)), len(names), host, ModelDir, ImagesLock, SomeOf(names), howToProve)
}

// SomeOf lists a few names and counts the rest.
func SomeOf(names []string) string {
	if len(names) <= Few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:Few], ", "), len(names)-Few)
}
