package transform

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
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
// object says itself about pruning and deletion is left as it is.
func Keep(b manifest.Bundle) (manifest.Bundle, error) {
	out := manifest.Bundle{Name: b.Name, Objects: make([]manifest.Object, len(b.Objects))}
	for i, o := range b.Objects {
		if id := o.ID(); kept[argocd.GroupKind{Group: id.Group, Kind: id.Kind}] {
			o = argocd.WithSyncOptions(o, argocd.PruneFalse, argocd.DeleteFalse)
			if slices.Contains(argocd.SyncOptions(o), argocd.PruneFalse) {
				o = argocd.WithCompareOptions(o, argocd.IgnoreExtraneous)
			}
		}
		out.Objects[i] = o
	}
	return out, nil
}

var _ manifest.Filter = Keep
