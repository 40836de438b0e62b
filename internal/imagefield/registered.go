package imagefield

import "strings"

// Kind says where objects of one kind name images. Paths are dotted; "*" stands for every item of a list and every key of a map.
// A fleet adds entries of its own through Options.
type Kind struct {
	Group  string   `json:"group,omitempty"`
	Kind   string   `json:"kind"`
	Paths  []string `json:"paths,omitempty"`  // strings that are whole references
	Splits []Split  `json:"splits,omitempty"` // references in several fields
}

// Split is a reference whose parts stand in fields of their own, under one map.
type Split struct {
	At         string `json:"at"`                 // path of the map
	Registry   string `json:"registry,omitempty"` // field of the host, where it is apart
	Repository string `json:"repository"`
	Suffix     string `json:"suffix,omitempty"`     // what the consumer appends to the repository: "-generic"
	Tag        string `json:"tag,omitempty"`        // its value may hold a digest behind the tag
	Digest     string `json:"digest,omitempty"`     // field of the digest
	BareDigest bool   `json:"bareDigest,omitempty"` // the digest stands without "sha256:"
}

// registered claims what the table and a fleet's own entries name.
func (f *finder) registered(at path, fields map[string]any, extra []Kind) {
	for _, kind := range append(table[:len(table):len(table)], extra...) {
		if kind.Group != f.id.Group || kind.Kind != f.id.Kind {
			continue
		}
		for _, p := range kind.Paths {
			follow(at, fields, strings.Split(p, "."), func(at path, value any) {
				if reference, ok := value.(string); ok {
					f.whole(Registered, at, reference)
				}
			})
		}
		for _, s := range kind.Splits {
			follow(at, fields, strings.Split(s.At, "."), func(at path, value any) {
				if parts, ok := value.(map[string]any); ok {
					f.parts(at, parts, s)
				}
			})
		}
	}
}

// follow visits every value at a pattern of keys.
func follow(at path, value any, pattern []string, visit func(path, any)) {
	if len(pattern) == 0 || pattern[0] == "" {
		visit(at, value)
		return
	}
	switch v := value.(type) {
	case map[string]any:
		var buffer [16]string
		for _, key := range sortedKeys(buffer[:0], v) {
			if key == pattern[0] || pattern[0] == "*" {
				follow(at.key(key), v[key], pattern[1:], visit)
			}
		}
	case []any:
		for i, item := range v {
			if pattern[0] == "*" {
				follow(at.item(i, item), item, pattern[1:], visit)
			}
		}
	}
}

// parts claims a reference in several fields.
func (f *finder) parts(at path, fields map[string]any, s Split) {
	get := func(field string) string {
		text, _ := fields[field].(string)
		return text
	}
	repository := get(s.Repository)
	if field := at.key(s.Repository); repository == "" || f.taken(field) {
		return
	}
	reference := repository + s.Suffix
	if registry := get(s.Registry); registry != "" {
		reference = registry + "/" + reference
	}
	if tag := get(s.Tag); tag != "" {
		reference += ":" + tag
	}
	if digest := get(s.Digest); digest != "" {
		if s.BareDigest {
			digest = "sha256:" + digest
		}
		reference, _, _ = strings.Cut(reference, "@")
		reference += "@" + digest
	}
	hit := Hit{Object: f.id, Reference: reference, Tier: Registered, at: at.key(s.Repository).keep(), split: &s, parts: at.keep(), End: len(repository)}
	hit.Path, hit.Note = hit.at.String(), misunderstood(reference)
	if hit.Note == "" && !pinned(reference) {
		hit.Note = noTag
	}
	hit.Rewritable = hit.Note == ""
	f.claimed[hit.at.id()] = true
	f.hits = append(f.hits, hit)
}

// edits says which strings become what, so that the fields together make reference.
func (s *Split) edits(at path, fields map[string]any, reference string) []edit {
	name, digest, _ := strings.Cut(reference, "@")
	repository, tag := name, ""
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		repository, tag = name[:i], name[i+1:]
	}
	repository = strings.TrimSuffix(repository, s.Suffix)
	out := []edit{}
	if old, _ := fields[s.Registry].(string); s.Registry != "" && old != "" {
		registry, rest, _ := strings.Cut(repository, "/")
		out = append(out, edit{at: at.key(s.Registry).keep(), text: registry})
		repository = rest
	}
	out = append(out, edit{at: at.key(s.Repository).keep(), text: repository})
	switch {
	case digest == "":
	case s.Digest != "" && s.BareDigest:
		out = append(out, edit{at: at.key(s.Digest).keep(), text: strings.TrimPrefix(digest, "sha256:")})
	case s.Digest != "":
		out = append(out, edit{at: at.key(s.Digest).keep(), text: digest})
	case s.Tag != "":
		tag += "@" + digest
	}
	if old, _ := fields[s.Tag].(string); s.Tag != "" && tag != "" && old != tag {
		out = append(out, edit{at: at.key(s.Tag).keep(), text: tag})
	}
	return out
}
