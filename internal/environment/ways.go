package environment

import (
	"path"
	"regexp"
	"slices"
)

// waysChecker checks the ways out of one component in one layer.
type waysChecker struct {
	*model
	layer *layer
	base  string // the component's path
}

// checkWays checks what needs no other layer to be seen.
func (m *model) checkWays() {
	for _, l := range m.allLayers() {
		for _, name := range keys(l.components) {
			w := waysChecker{m, l, PathString("components", name)}
			w.check(l.components[name])
		}
	}
}

// add notes a mistake at a path of the component.
func (w waysChecker) add(path, format string, args ...any) {
	w.c.add(w.layer.doc.find(path), path, format, args...)
}

// check checks every way out.
func (w waysChecker) check(spec componentFile) {
	for i, p := range spec.Patches {
		w.patch(p, itemPath(keyPath(w.base, "patches"), i))
	}
	for i, object := range spec.Objects {
		if at := itemPath(keyPath(w.base, "objects"), i); !w.layer.doc.broken[at] {
			w.object(object, at)
		}
	}
	for i, s := range spec.Remove {
		w.selector(s, itemPath(keyPath(w.base, "remove"), i))
	}
	for i, d := range spec.IgnoreDifferences {
		if at := itemPath(keyPath(w.base, "ignoreDifferences"), i); len(d.JSONPointers)+len(d.JQPathExpressions)+len(d.ManagedFieldsManagers) == 0 {
			w.add(at, "names no field: nothing would be ignored; state jsonPointers, jqPathExpressions or managedFieldsManagers")
		}
	}
	w.names(spec)
	for _, field := range []string{"status", "operation"} {
		if _, stated := spec.Application[field]; stated {
			at := keyPath(keyPath(w.base, "application"), field)
			w.add(at, "is written by Argo CD itself: in git it would start or forge a sync; take it out")
		}
	}
}

// apiVersion is group/version or group/version/Kind, with v1 for the core group; kindGroup is a kind with its group.
var (
	apiVersion = regexp.MustCompile(`^([a-z0-9.-]+/)?v[0-9][a-z0-9]*(/[A-Z][A-Za-z0-9]*)?$`)
	kindGroup  = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*(\.[a-z0-9.-]+)?$`)
)

// names checks the lists of API versions and scopes.
func (w waysChecker) names(spec componentFile) {
	for i, version := range spec.APIVersions {
		if at := itemPath(keyPath(w.base, "apiVersions"), i); version != "" && !apiVersion.MatchString(version) {
			w.add(at, "%q is no API version; write group/version or group/version/Kind, such as monitoring.coreos.com/v1/ServiceMonitor", version)
		}
	}
	for _, kind := range keys(spec.Scopes) {
		if !kindGroup.MatchString(kind) {
			w.add(keyPath(keyPath(w.base, "scopes"), kind), "%q is no kind with its group; write Kind.group, such as Widget.example.com", kind)
		}
	}
}

// object holds that an added object can be one.
func (w waysChecker) object(object map[string]any, at string) {
	for _, field := range []string{"apiVersion", "kind"} {
		if text, _ := object[field].(string); text == "" {
			w.add(at+"."+field, "missing: every Kubernetes object has it as text; state it")
		}
	}
	metadata := treeMap(object["metadata"])
	if name, _ := metadata["name"].(string); name == "" {
		w.add(at+".metadata.name", "missing: an object is known by its name, and generateName would make another one on every sync; state it as text")
	}
}

// patch holds that a patch changes something in one way.
func (w waysChecker) patch(p patchFile, at string) {
	w.selector(p.Target, keyPath(at, "target"))
	switch merge, operations := len(p.Merge) > 0, len(p.JSON) > 0; {
	case merge && operations:
		w.add(at, "has both merge and json: which comes first would be a guess; make two patches")
	case !merge && !operations && !w.layer.doc.stated[keyPath(at, "merge")] && !w.layer.doc.stated[keyPath(at, "json")]:
		w.add(at, "has neither merge nor json: it would change nothing; state one")
	}
	for i, operation := range p.JSON {
		w.operation(operation, itemPath(keyPath(at, "json"), i))
	}
}

// operations are those of RFC 6902.
var operations = []string{"add", "copy", "move", "remove", "replace", "test"}

// operation holds that a JSON6902 operation is one.
func (w waysChecker) operation(operation any, at string) {
	o := treeMap(operation)
	op, _ := o["op"].(string)
	pointer, _ := o["path"].(string)
	switch _, hasValue := o["value"]; {
	case o == nil:
		w.add(at, "is no map: an operation is {op, path, value}; write one")
	case !slices.Contains(operations, op):
		w.add(at, "%q is no operation%s; op is %s", op, didYouMean(op, operations), orList(operations))
	case pointer == "" || pointer[0] != '/':
		w.add(at, "path %q is no JSON pointer; write /spec/replicas", pointer)
	case !hasValue && (op == "add" || op == "replace" || op == "test"):
		w.add(at, "op %s has no value; state it", op)
	case o["from"] == nil && (op == "move" || op == "copy"):
		w.add(at, "op %s has no from; state it", op)
	}
}

// selector holds that a selector chooses something, by patterns that can be read.
func (w waysChecker) selector(s selectorFile, at string) {
	if s == (selectorFile{}) && w.layer.doc.stated[at] && !w.layer.doc.broken[at] && !w.choosesWrongly(at) {
		w.add(at, "is empty and would match every object; name at least a kind")
	}
	for _, each := range []struct{ field, pattern string }{{"name", s.Name}, {"namespace", s.Namespace}} {
		if _, err := path.Match(each.pattern, ""); err != nil {
			w.add(keyPath(at, each.field), "%q is no pattern; write a name, with * for any text", each.pattern)
		}
	}
}

// choosesWrongly reports whether the selector has a field that the decoder refused.
func (w waysChecker) choosesWrongly(at string) bool {
	return slices.ContainsFunc([]string{"group", "version", "kind", "name", "namespace"}, func(field string) bool {
		return w.layer.doc.stated[keyPath(at, field)]
	})
}
