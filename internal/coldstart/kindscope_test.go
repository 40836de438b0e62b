package coldstart

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestScope states who says whether the objects of a kind live in a namespace: Kubernetes, a definition among the objects, what is known of
// projects, in this order.
func TestScope(t *testing.T) {
	definition := func(group, kind, scope string) manifest.Object {
		return plain("apiextensions.k8s.io/v1", crd, "", kind, map[string]any{"group": group, "names": map[string]any{"kind": kind}, "scope": scope})
	}
	w := newWorld(Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: onlyDeployments, Applications: []Application{{Object: child("a", 0), Objects: []manifest.Object{
		definition("cert-manager.io", "Certificate", "Cluster"), definition("example.com", "Widget", "Namespaced"), definition("apps", "Deployment", "Cluster"),
	}}}})
	for id, want := range map[manifest.ID]manifest.Scope{
		{Group: "apps", Kind: "Deployment"}: manifest.Namespaced, {Kind: "Namespace"}: manifest.Cluster,
		{Group: "cert-manager.io", Kind: "Certificate"}: manifest.Cluster, {Group: "example.com", Kind: "Widget"}: manifest.Namespaced,
		{Group: "cert-manager.io", Kind: "ClusterIssuer"}: manifest.Cluster, {Group: "cert-manager.io", Kind: "Issuer"}: manifest.Namespaced,
		{Group: "example.com", Kind: "Gadget"}: manifest.Unknown, {Group: "example.net", Kind: "ClusterIssuer"}: manifest.Unknown,
	} {
		if got := w.scope(id); got != want {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
	}
}
