package coldstart

import "github.com/coldstart-gitops/gen/internal/needs"

// enter keeps an object where those look that know its kind, or its kind and name: nothing walks over all objects for each of them.
func (w *world) enter(n *node) {
	for _, key := range []needs.Fact{{Group: n.id.Group, Kind: n.id.Kind}, {Group: n.id.Group, Kind: n.id.Kind, Name: n.id.Name}} {
		w.kinship[key] = append(w.kinship[key], n)
	}
}

// ofKind returns the objects of a kind, in the order of all.
func (w *world) ofKind(group, kind string) []*node {
	return w.kinship[needs.Fact{Group: group, Kind: kind}]
}

// called returns the objects of a kind and name in any namespace, in the order of all.
func (w *world) called(group, kind, name string) []*node {
	return w.kinship[needs.Fact{Group: group, Kind: kind, Name: name}]
}

// bring keeps the kind that a CRD brings into its own sync.
func (a *app) bring(n *node) {
	if n.id.Kind != crd {
		return
	}
	for _, fact := range needs.Provided(n.task.Object) {
		if fact.Type == needs.Kind {
			a.kinds[fact] = true
		}
	}
}

// unwell returns the objects of an Application that count in its health and are not healthy.
func (a *app) unwell() []*node {
	var list []*node
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			if n.gate && !n.well && !overlooked(n) || n.unlike != "" {
				list = append(list, n)
			}
		}
	}
	return list
}
