package coldstart

import (
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/stored"
)

// dropped says why an object stays OutOfSync for ever: it states what the API server drops when it stores it, so that what is
// wanted and what is there never agree, and self-heal applies it again and again. A diff made by the server sees no difference.
// Seen on Argo CD 3.2.11 with a CRD of strimzi's chart that holds `properties: {}`.
func dropped(a *app, o manifest.Object) string {
	if o.ID().Kind != crd || strings.Contains(a.in.Object.Annotation(argocd.CompareAnnotation), serverSideDiff) ||
		len(a.in.Object.List("spec", "ignoreDifferences")) > 0 {
		return ""
	}
	if paths := stored.Dropped(o); len(paths) > 0 {
		return "is OutOfSync for ever: the API server drops the empty " + paths[0].String()
	}
	return ""
}

// serverSideDiff lets the API server say what differs (compare-options of an Application).
const serverSideDiff = "ServerSideDiff=true"

// compared returns the ways to bring an object of a chain that is OutOfSync for ever in sync: the API server compares, or nothing is
// stated that it drops, in all objects of the Application.
func (w *world) compared(o Outcome) []change {
	var list []change
	for _, l := range o.Chain {
		n := w.find(l)
		if n == nil || n.unlike == "" {
			continue
		}
		app := n.app.in.Object.ID()
		let := small("annotate Application "+app.Name+" with "+argocd.CompareAnnotation+": "+serverSideDiff, app, func(o manifest.Object) manifest.Object {
			return argocd.WithCompareOptions(o, serverSideDiff)
		})
		list = append(list, let)
		paths := stored.Dropped(n.task.Object)
		if len(paths) == 0 {
			continue
		}
		out := change{text: "take what the API server drops out of the CRDs of Application " + app.Name + ", as " + paths[0].String() + " of " + n.id.Name, size: 2, edits: map[manifest.ID]edit{}}
		for _, nodes := range n.app.nodes {
			for _, x := range nodes {
				if x.unlike != "" {
					out.edits[x.id] = func(o manifest.Object) manifest.Object { return stored.Without(o, stored.Dropped(o)) }
				}
			}
		}
		list = append(list, out)
	}
	return list
}
