package coldstart

import "github.com/coldstart-gitops/gen/internal/needs"

// enter keeps an object where those look that know its kind, or its kind and name: nothing walks over all objects for each of them.
func (w *world) enter(n *node) {
	for _, on := range []string{n.app.on, anywhere} {
		for _, key := range []needs.Fact{{Group: n.id.Group, Kind: n.id.Kind, Cluster: on}, {Group: n.id.Group, Kind: n.id.Kind, Name: n.id.Name, Cluster: on}} {
			w.kinship[key] = append(w.kinship[key], n)
		}
	}
}

// ofKind returns the objects of a kind on a cluster, or anywhere, in the order of all.
func (w *world) ofKind(on, group, kind string) []*node {
	return w.kinship[needs.Fact{Group: group, Kind: kind, Cluster: on}]
}

// called returns the objects of a kind and name in any namespace of a cluster, in the order of all.
func (w *world) called(on, group, kind, name string) []*node {
	return w.kinship[needs.Fact{Group: group, Kind: kind, Name: name, Cluster: on}]
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
			if n.unwell() {
				list = append(list, n)
			}
		}
	}
	return list
}

// unwell reports whether an object counts in the health of its Application and is not healthy.
func (n *node) unwell() bool {
	return (n.gate || n.blurred) && !n.well && !overlooked(n) && !n.itself() || n.differs()
}
