package manifest

//go:generate go run scope_gen.go

// Scope says whether objects of a kind live in a namespace.
type Scope int

// The scopes; Unknown is a kind that Kubernetes itself does not serve.
const (
	Unknown Scope = iota
	Cluster
	Namespaced
)

// String returns the scope as a CustomResourceDefinition writes it.
func (s Scope) String() string {
	switch s {
	case Cluster:
		return "Cluster"
	case Namespaced:
		return "Namespaced"
	}
	return "Unknown"
}

type groupKind struct{ group, kind string }

// BuiltinScope returns the scope of a kind that Kubernetes itself serves (its api/discovery documents), else Unknown.
func BuiltinScope(group, kind string) Scope { return builtinScopes[groupKind{group, kind}] }

// Builtin reports whether Kubernetes itself serves the kind.
func Builtin(group, kind string) bool { return BuiltinScope(group, kind) != Unknown }

// BuiltinVersions returns the versions in which a Kubernetes that is maintained serves a kind of its own, sorted, for reading only.
func BuiltinVersions(group, kind string) []string { return builtinVersions[groupKind{group, kind}] }

// DeclaredScopes returns the scopes that CustomResourceDefinitions among the objects state, by "Kind.group".
func DeclaredScopes(objects []Object) map[string]Scope {
	scopes := map[string]Scope{}
	for _, o := range objects {
		if o.String("kind") != "CustomResourceDefinition" {
			continue
		}
		key := o.String("spec", "names", "kind") + "." + o.String("spec", "group")
		switch o.String("spec", "scope") {
		case "Cluster":
			scopes[key] = Cluster
		case "Namespaced":
			scopes[key] = Namespaced
		}
	}
	return scopes
}

// ServedAPIs returns what CustomResourceDefinitions among the objects serve, as Helm names it: "group/version" and
// "group/version/Kind", unsorted.
func ServedAPIs(objects []Object) []string {
	var apis []string
	for _, o := range objects {
		if o.String("kind") != "CustomResourceDefinition" {
			continue
		}
		group, kind := o.String("spec", "group"), o.String("spec", "names", "kind")
		for _, item := range o.List("spec", "versions") {
			version, _ := item.(map[string]any)
			name, _ := version["name"].(string)
			if served, _ := version["served"].(bool); served && name != "" {
				apis = append(apis, group+"/"+name, group+"/"+name+"/"+kind)
			}
		}
	}
	return apis
}
