// Package manifest holds Kubernetes objects as values: it decodes them, emits them canonically and sorts them.
//
// An Object is immutable once made: many bundles of many environments may share the map under it.
// Whoever wants a changed object edits a copy with Edit.
package manifest

import (
	"cmp"
	"strings"
)

// Object is one Kubernetes object. Its zero value is no object.
type Object struct {
	fields map[string]any
}

// New takes over fields, which nobody may change afterwards. Numbers are int64 or float64, lists []any, maps map[string]any.
func New(fields map[string]any) Object { return Object{fields: fields} }

// Fields returns the map under the object, for reading only.
func (o Object) Fields() map[string]any { return o.fields }

// IsZero reports whether o is no object at all.
func (o Object) IsZero() bool { return o.fields == nil }

// ID identifies an object in a cluster. Namespace is empty for cluster-scoped objects and where none was given.
type ID struct {
	Group, Version, Kind, Namespace, Name string
}

// ID returns the identity that the object's own fields state.
func (o Object) ID() ID {
	group, version := SplitAPIVersion(o.String("apiVersion"))
	return ID{group, version, o.String("kind"), o.String("metadata", "namespace"), o.String("metadata", "name")}
}

// SplitAPIVersion splits "apps/v1" into group and version; the core group is "".
func SplitAPIVersion(apiVersion string) (group, version string) {
	if group, version, ok := strings.Cut(apiVersion, "/"); ok {
		return group, version
	}
	return "", apiVersion
}

// APIVersion returns "group/version", or the version alone for the core group.
func (id ID) APIVersion() string {
	if id.Group == "" {
		return id.Version
	}
	return id.Group + "/" + id.Version
}

// String returns "Kind.group namespace/name", as errors and reports name an object.
func (id ID) String() string {
	kind := id.Kind
	if id.Group != "" {
		kind += "." + id.Group
	}
	if id.Namespace == "" {
		return kind + " " + id.Name
	}
	return kind + " " + id.Namespace + "/" + id.Name
}

// Same reports whether two IDs name one object in a cluster: the version does not count.
func (id ID) Same(other ID) bool {
	id.Version, other.Version = "", ""
	return id == other
}

// Compare orders IDs by group, kind, namespace, name, version.
func (id ID) Compare(other ID) int {
	return cmp.Or(
		cmp.Compare(id.Group, other.Group),
		cmp.Compare(id.Kind, other.Kind),
		cmp.Compare(id.Namespace, other.Namespace),
		cmp.Compare(id.Name, other.Name),
		cmp.Compare(id.Version, other.Version),
	)
}

// Get returns the value at path, or nil where the path leads nowhere. A path goes through maps only.
func (o Object) Get(path ...string) any {
	var at any = o.fields
	for _, key := range path {
		fields, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = fields[key]
	}
	return at
}

// String returns the string at path, or "" where there is none.
func (o Object) String(path ...string) string {
	s, _ := o.Get(path...).(string)
	return s
}

// Map returns the map at path, for reading only, or nil.
func (o Object) Map(path ...string) map[string]any {
	m, _ := o.Get(path...).(map[string]any)
	return m
}

// List returns the list at path, for reading only, or nil.
func (o Object) List(path ...string) []any {
	l, _ := o.Get(path...).([]any)
	return l
}

// Annotation returns the annotation key, or "".
func (o Object) Annotation(key string) string { return o.String("metadata", "annotations", key) }

// Edit returns a changed copy: change gets a deep copy of the fields.
func (o Object) Edit(change func(fields map[string]any)) Object {
	fields := Copy(o.fields).(map[string]any)
	change(fields)
	return Object{fields: fields}
}

// Set returns a copy with value at path; maps on the way are made where they are missing. Only the maps on the way are
// copied, the rest is shared: objects are immutable.
func (o Object) Set(value any, path ...string) Object {
	return Object{fields: set(o.fields, value, path)}
}

func set(fields map[string]any, value any, path []string) map[string]any {
	out := make(map[string]any, len(fields)+1)
	for key, item := range fields {
		out[key] = item
	}
	if len(path) == 1 {
		out[path[0]] = value
		return out
	}
	next, _ := fields[path[0]].(map[string]any)
	out[path[0]] = set(next, value, path[1:])
	return out
}

// Copy returns a deep copy of a decoded value: maps, lists and scalars.
func Copy(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = Copy(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = Copy(item)
		}
		return out
	}
	return value
}
