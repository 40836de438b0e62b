package imagefield

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Change is one reference that Rewrite replaced.
type Change struct {
	Hit Hit
	New string
}

// Rewrite puts in the place of every reference what lookup returns for it, in a copy of object. A reference that needs no change is
// returned as it is; false means that nothing is proven, and keeps the reference and whatever shares a string with it: of a string
// that holds several references all are replaced or none, and of the places that name one image likewise.
func Rewrite(object manifest.Object, options Options, lookup func(reference string) (string, bool)) (manifest.Object, []Change, error) {
	changes := plan(rewritable(Find(object, options)), lookup)
	if len(changes) == 0 {
		return object, nil, nil
	}
	out := object.Edit(func(fields map[string]any) { apply(fields, edits(fields, changes)) })
	return out, changes, nil
}

// plan asks lookup once a reference and takes out, until nothing more changes, the strings and references that would be changed in part.
func plan(hits []Hit, lookup func(string) (string, bool)) []Change {
	asked := map[string]string{}
	stays := map[string]bool{}
	for _, hit := range hits {
		if _, ok := asked[hit.Reference]; ok || stays[hit.Reference] {
			continue
		}
		if replacement, ok := lookup(hit.Reference); ok {
			asked[hit.Reference] = replacement
		} else {
			stays[hit.Reference] = true
		}
	}
	spread(hits, stays)
	var out []Change
	for _, hit := range hits {
		if replacement, ok := asked[hit.Reference]; ok && !stays[hit.Reference] && replacement != hit.Reference {
			out = append(out, Change{hit, replacement})
		}
	}
	return out
}

// spread makes references stay that share a string with one that stays.
func spread(hits []Hit, stays map[string]bool) {
	for changed := true; changed; {
		changed = false
		blocked := map[string]bool{}
		for _, hit := range hits {
			blocked[hit.at.id()] = blocked[hit.at.id()] || stays[hit.Reference]
		}
		for _, hit := range hits {
			if blocked[hit.at.id()] && !stays[hit.Reference] {
				stays[hit.Reference], changed = true, true
			}
		}
	}
}

// edit is one string, or a part of it, that becomes another.
type edit struct {
	at         path
	start, end int    // the part, where within is set
	within     bool   // only a part of the string
	text       string // what comes in its place
}

// edits turns changes into edits of strings, those of one string from its end, so that spans stay true.
func edits(fields any, changes []Change) []edit {
	var out []edit
	for _, change := range slices.Backward(changes) {
		hit := change.Hit
		if hit.split == nil {
			out = append(out, edit{at: hit.at, start: hit.Start, end: hit.End, within: true, text: change.New})
			continue
		}
		parts, _ := hit.parts.get(fields).(map[string]any)
		out = append(out, hit.split.edits(hit.parts, parts, change.New)...)
	}
	return out
}

func apply(fields any, edits []edit) {
	for _, e := range edits {
		text := e.text
		if old, _ := e.at.get(fields).(string); e.within {
			text = old[:e.start] + e.text + old[e.end:]
		}
		e.at.set(fields, text)
	}
}
