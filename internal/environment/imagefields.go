package environment

import (
	"fmt"
	"slices"
	"strings"
)

// ImageFields says where objects of one kind name images, beside what the built-in table knows. Paths are dotted; * stands for every item of
// a list and every key of a map.
type ImageFields struct {
	Group  string       `json:"group,omitempty" doc:"The API group, without a version; nothing is the core group."`
	Kind   string       `json:"kind" doc:"The kind."`
	Paths  []string     `json:"paths,omitempty" doc:"Fields that hold whole references, as dotted paths: spec.image, spec.agents.*.image. * stands for every item of a list and every key of a map."`
	Splits []ImageSplit `json:"splits,omitempty" doc:"References in several fields under one map."`
}

// ImageSplit is a reference whose parts stand in fields of their own, under one map.
type ImageSplit struct {
	At         string `json:"at" doc:"The path of the map that holds the parts: spec.operator."`
	Registry   string `json:"registry,omitempty" doc:"The field of the registry, where it stands apart."`
	Repository string `json:"repository" doc:"The field of the repository."`
	Suffix     string `json:"suffix,omitempty" doc:"What the reader appends to the repository: -generic."`
	Tag        string `json:"tag,omitempty" doc:"The field of the tag."`
	Digest     string `json:"digest,omitempty" doc:"The field of the digest. Without one the digest is put behind the tag."`
	BareDigest bool   `json:"bareDigest,omitempty" doc:"The digest stands without sha256: before it."`
}

// parts are the fields that a split names, in the order in which they make the reference.
func (s ImageSplit) parts() []string {
	var out []string
	for _, field := range []string{s.Registry, s.Repository, s.Tag, s.Digest} {
		if field != "" {
			out = append(out, field)
		}
	}
	return out
}

// checkImageFields checks what the fleet says about image fields, as far as it can be told without the objects.
func (m *model) checkImageFields() {
	if m.fleet == nil {
		return
	}
	i := imageFieldChecker{m, map[string]string{}}
	for n, fields := range m.imageFields {
		i.entry(fields, itemPath("imageFields", n))
	}
}

// imageFieldChecker remembers which field of which kind was named where.
type imageFieldChecker struct {
	*model
	named map[string]string
}

func (i imageFieldChecker) add(path, format string, args ...any) {
	i.c.add(i.fleet.doc.find(path), path, format, args...)
}

func (i imageFieldChecker) entry(fields ImageFields, at string) {
	if strings.Contains(fields.Group, "/") {
		i.add(at+".group", "%q holds a version: a group stands without one, for all its versions; write %s", fields.Group, fields.Group[:strings.IndexByte(fields.Group, '/')])
	}
	if len(fields.Paths) == 0 && len(fields.Splits) == 0 && !i.fleet.doc.broken[at+".paths"] && !i.fleet.doc.broken[at+".splits"] {
		i.add(at, "names no field: write paths, or splits, or take the entry out")
	}
	for n, path := range fields.Paths {
		i.path(fields, path, itemPath(at+".paths", n))
	}
	for n, split := range fields.Splits {
		i.split(fields, split, itemPath(at+".splits", n))
	}
}

func (i imageFieldChecker) split(fields ImageFields, split ImageSplit, at string) {
	if split.Repository == "" || split.At == "" {
		return // noted as missing
	}
	i.path(fields, split.At, at+".at")
	i.once(fields, split.At+"."+split.Repository, at)
	parts := split.parts()
	slices.Sort(parts)
	if len(slices.Compact(slices.Clone(parts))) < len(parts) {
		i.add(at, "names one field for two parts of the reference: each part stands in a field of its own; name each field once")
	}
	if split.BareDigest && split.Digest == "" {
		i.add(at+".bareDigest", "says how a digest is written, and no field is named for it; name one with digest, or take it out")
	}
}

// path checks a path's form, and that nobody else names it.
func (i imageFieldChecker) path(fields ImageFields, path, at string) {
	if path == "" {
		return // noted as empty
	}
	segments := strings.Split(path, ".")
	first := segments[0]
	switch {
	case strings.ContainsAny(path, "[]/$\"' "):
		i.add(at, "%q is no dotted path: lists are written with *, and there are no brackets, slashes or quotes; write it like spec.agents.*.image", path)
	case slices.Contains(segments, ""):
		i.add(at, "%q begins or ends with a dot, or holds two in a row; write it like spec.agents.*.image", path)
	case first == "status" || first == "metadata" || first == "apiVersion" || first == "kind":
		i.add(at, "%q is never looked at: %s names no image that anybody pulls; name a field of the object's content", path, first)
	case strings.HasSuffix(at, ".at"):
	default:
		i.once(fields, path, at)
	}
}

// once notes a field that an earlier entry names.
func (i imageFieldChecker) once(fields ImageFields, path, at string) {
	key := fmt.Sprintf("%s/%s %s", fields.Group, fields.Kind, path)
	if before, twice := i.named[key]; twice {
		i.add(at, "%s of %s is named at %s already; keep one", path, fields.Kind, before)
		return
	}
	i.named[key] = at
}

// imageFieldsOf gives an environment what the fleet says about image fields, with its places.
func (r *resolver) imageFieldsOf() {
	r.env.ImageFields = r.imageFields
	for path, origin := range r.fleet.doc.at {
		if strings.HasPrefix(path, "imageFields") {
			r.env.Positions[path] = origin
		}
	}
}
