package transform

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Namespaces gives every namespaced object that names no namespace its component's, and takes the namespace from
// cluster-scoped objects. Whether a kind lives in a namespace is said by its CRD among the objects of the environment, else by
// Kubernetes' own list, else by the scopes of the component, else by those of the other components; where none of them knows,
// that is an error with the line to add. Two objects of one identity are an error that names both components, and names that the
// API server refuses are errors. All mistakes are reported at once.
func Namespaces(components []component.Component, bundles []manifest.Bundle) ([]manifest.Bundle, []Notice, error) {
	p := placer{scopes: scopesOf(components, bundles), components: map[string]component.Component{}}
	for _, c := range components {
		p.components[c.Name] = c
	}
	out := make([]manifest.Bundle, len(bundles))
	for i, b := range bundles {
		out[i] = p.place(b)
	}
	p.errors = append(p.errors, duplicates(out)...)
	if len(p.errors) > 0 {
		return nil, nil, errors.Join(p.errors...)
	}
	slices.SortFunc(p.notices, compareNotices)
	return out, p.notices, nil
}

// placer fills namespaces and collects what it finds wrong.
type placer struct {
	scopes     scopes
	components map[string]component.Component
	notices    []Notice
	errors     []error
}

func (p *placer) place(b manifest.Bundle) manifest.Bundle {
	out := manifest.Bundle{Name: b.Name, Objects: make([]manifest.Object, 0, len(b.Objects))}
	c := p.components[b.Name]
	asked := map[string]bool{}
	for _, o := range b.Objects {
		id := o.ID()
		switch p.scopes.of(c, id) {
		case manifest.Namespaced:
			o = p.fill(c, o)
		case manifest.Cluster:
			if id.Namespace != "" {
				p.notices = append(p.notices, Notice{
					Component: b.Name, Object: id, Minor: true,
					Message: "is cluster-scoped; its namespace is dropped, as the API server would do",
				})
				o = o.Edit(func(fields map[string]any) { delete(fields["metadata"].(map[string]any), "namespace") })
			}
		default:
			if kind := kindKey(id); !asked[kind] {
				asked[kind] = true
				p.errors = append(p.errors, fmt.Errorf("%s: components.%s.scopes: %s: whether a %s lives in a namespace is unknown, no CRD of this environment says it; add `scopes: {%s: Namespaced}` or `Cluster`",
					c.Origin, b.Name, id, id.Kind, kind))
			}
		}
		p.checkName(b.Name, o.ID())
		out.Objects = append(out.Objects, o)
	}
	return out
}

// checkName refuses a name that the API server would refuse, of which a person would hear from Argo CD only.
func (p *placer) checkName(component string, id manifest.ID) {
	_, custom := p.scopes.declared[kindKey(id)]
	for _, problem := range manifest.NameProblems(id, custom) {
		p.errors = append(p.errors, fmt.Errorf("placing objects: component %s: %s: %s; the API server refuses it: change it in the values or by a patch, or take the object out with `remove`", component, id.Kind, problem))
	}
}

func (p *placer) fill(c component.Component, o manifest.Object) manifest.Object {
	if o.ID().Namespace != "" {
		return o
	}
	if c.Namespace == "" {
		p.errors = append(p.errors, fmt.Errorf("%s: components.%s.namespace: missing: %s names no namespace either", c.Origin, c.Name, o.ID()))
		return o
	}
	return o.Set(c.Namespace, "metadata", "namespace")
}

// scopes knows which kinds live in a namespace, by "Kind.group".
type scopes struct {
	declared map[string]manifest.Scope // by CRDs
	stated   map[string]manifest.Scope // by any component's scopes
}

func scopesOf(components []component.Component, bundles []manifest.Bundle) scopes {
	s := scopes{declared: map[string]manifest.Scope{}, stated: map[string]manifest.Scope{}}
	for _, b := range bundles {
		maps.Copy(s.declared, manifest.DeclaredScopes(b.Objects))
	}
	for _, c := range slices.Backward(components) { // the first component's word counts
		for kind, scope := range c.Scopes {
			s.stated[kind] = parseScope(scope)
		}
	}
	return s
}

func (s scopes) of(c component.Component, id manifest.ID) manifest.Scope {
	kind := kindKey(id)
	return cmp.Or(s.declared[kind], manifest.BuiltinScope(id.Group, id.Kind), parseScope(c.Scopes[kind]), s.stated[kind])
}

func parseScope(text string) manifest.Scope {
	for _, scope := range []manifest.Scope{manifest.Cluster, manifest.Namespaced} {
		if scope.String() == text {
			return scope
		}
	}
	return manifest.Unknown
}

// kindKey returns "Kind.group" as the model writes it; a kind of the core group stands alone.
func kindKey(id manifest.ID) string {
	if id.Group == "" {
		return id.Kind
	}
	return id.Kind + "." + id.Group
}

// duplicates returns an error for every identity that more than one object has, within a component or between two.
func duplicates(bundles []manifest.Bundle) []error {
	owners := map[manifest.ID][]string{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			id := o.ID()
			id.Version = ""
			owners[id] = append(owners[id], b.Name)
		}
	}
	var errs []error
	for _, id := range slices.SortedFunc(maps.Keys(owners), manifest.ID.Compare) {
		names := owners[id]
		if len(names) < 2 {
			continue
		}
		slices.Sort(names)
		if first, last := names[0], names[len(names)-1]; first == last {
			errs = append(errs, fmt.Errorf("placing objects: %s stands %d times in component %s; take one out with `remove`, or switch it off in the values", id, len(names), first))
			continue
		}
		errs = append(errs, fmt.Errorf("placing objects: %s is written by components %s; take it out of all but one, with `remove` or in the values", id, listed(slices.Compact(names))))
	}
	return errs
}

// listed joins names as a sentence does.
func listed(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	out := names[0]
	for _, name := range names[1 : len(names)-1] {
		out += ", " + name
	}
	return out + " and " + names[len(names)-1]
}
