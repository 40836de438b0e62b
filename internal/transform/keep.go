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
// only what others still use: namespaces that they live in, and the kinds of their objects.
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
			if id := o.ID(); kept[argocd.GroupKind{Group: id.Group, Kind: id.Kind}] && (!leaving[b.Name] || used.byOthers(o, leaving)) {
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

// usage says which components have objects in a namespace ("Namespace NAME") or of a kind ("KIND.GROUP").
type usage map[string][]string

func users(bundles []manifest.Bundle) usage {
	used := usage{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			id := o.ID()
			used.add(id.Kind+"."+id.Group, b.Name)
			if id.Namespace != "" {
				used.add("Namespace "+id.Namespace, b.Name)
			}
		}
	}
	return used
}

func (u usage) add(key, component string) {
	if !slices.Contains(u[key], component) {
		u[key] = append(u[key], component)
	}
}

// byOthers reports whether a component that is not leaving uses the namespace or the kind that the object brings.
func (u usage) byOthers(o manifest.Object, leaving map[string]bool) bool {
	var key string
	switch id := o.ID(); id.Kind {
	case "Namespace":
		key = "Namespace " + id.Name
	case "CustomResourceDefinition":
		key = o.String("spec", "names", "kind") + "." + o.String("spec", "group")
	}
	return slices.ContainsFunc(u[key], func(name string) bool { return !leaving[name] })
}
