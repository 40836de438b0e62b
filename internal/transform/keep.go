package transform

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// kept names the kinds whose removal takes more away than the object.
var kept = map[argocd.GroupKind]bool{
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: true, // takes every object of its kind with it
	{Kind: "Namespace"}:             true, // takes everything in it with it
	{Kind: "PersistentVolumeClaim"}: true, // may take the volume with it
	{Kind: "PersistentVolume"}:      true, // holds data
}

// Keep marks the objects that outlive their removal from the model: Argo CD neither prunes them nor deletes them with the
// Application, and does not call the Application OutOfSync because of what is left (controller/state.go of 2.14 and 3.2 does so
// for every object that it would prune; an Application that is OutOfSync for ever holds its parent's wave for ever). What an
// object says itself about pruning and deletion is left as it is. A component whose removal is asked for with everything keeps
// only the namespaces that others live in, and its CRDs: Argo CD deletes none with an Application, and marks none as its own
// (shouldBeDeleted in controller/appcontroller.go of 3.2; seen on 3.2.11).
func Keep(components []component.Component, bundles []manifest.Bundle) []manifest.Bundle {
	leaving := map[string]bool{}
	for _, c := range components {
		leaving[c.Name] = c.Removal == "everything"
	}
	used := users(bundles)
	out := make([]manifest.Bundle, len(bundles))
	for i, b := range bundles {
		out[i] = manifest.Bundle{Name: b.Name, Objects: make([]manifest.Object, len(b.Objects))}
		for j, o := range b.Objects {
			if id := o.ID(); kept[argocd.GroupKind{Group: id.Group, Kind: id.Kind}] && (!leaving[b.Name] || id.Kind == "CustomResourceDefinition" || used.byOthers(o, leaving)) {
				o = keep(o)
			}
			out[i].Objects[j] = o
		}
	}
	return out
}

func keep(o manifest.Object) manifest.Object {
	o = argocd.WithSyncOptions(o, argocd.PruneFalse, argocd.DeleteFalse)
	if slices.Contains(argocd.SyncOptions(o), argocd.PruneFalse) {
		o = argocd.WithCompareOptions(o, argocd.IgnoreExtraneous)
	}
	return o
}

// usage says which components have objects in a namespace.
type usage map[string][]string

func users(bundles []manifest.Bundle) usage {
	used := usage{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			if id := o.ID(); id.Namespace != "" {
				used.add(id.Namespace, b.Name)
			}
		}
	}
	return used
}

func (u usage) add(namespace, component string) {
	if !slices.Contains(u[namespace], component) {
		u[namespace] = append(u[namespace], component)
	}
}

// byOthers reports whether the object is a namespace that a component which is not leaving lives in.
func (u usage) byOthers(o manifest.Object, leaving map[string]bool) bool {
	id := o.ID()
	return id.Kind == "Namespace" && slices.ContainsFunc(u[id.Name], func(name string) bool { return !leaving[name] })
}
