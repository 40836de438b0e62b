package played

import (
	"context"
	"strings"

	"github.com/coldstart-gitops/gen/test/e2e/kube"
)

// definition is a CustomResourceDefinition which a controller makes when it starts.
type definition struct {
	kind, plural string
	namespaced   bool
	versions     []string // the first is stored
}

// ciliumKinds are those of v1.19's register.go that users write.
func ciliumKinds() []definition {
	return []definition{
		{"CiliumNetworkPolicy", "ciliumnetworkpolicies", true, []string{"v2"}},
		{"CiliumClusterwideNetworkPolicy", "ciliumclusterwidenetworkpolicies", false, []string{"v2"}},
		{"CiliumCIDRGroup", "ciliumcidrgroups", false, []string{"v2", "v2alpha1"}},
		{"CiliumLoadBalancerIPPool", "ciliumloadbalancerippools", false, []string{"v2", "v2alpha1"}},
		{"CiliumL2AnnouncementPolicy", "ciliuml2announcementpolicies", false, []string{"v2alpha1"}},
		{"CiliumBGPClusterConfig", "ciliumbgpclusterconfigs", false, []string{"v2", "v2alpha1"}},
		{"CiliumBGPPeerConfig", "ciliumbgppeerconfigs", false, []string{"v2", "v2alpha1"}},
		{"CiliumBGPAdvertisement", "ciliumbgpadvertisements", false, []string{"v2", "v2alpha1"}},
		{"CiliumNode", "ciliumnodes", false, []string{"v2"}},
		{"CiliumIdentity", "ciliumidentities", false, []string{"v2"}},
		{"CiliumEndpoint", "ciliumendpoints", true, []string{"v2"}},
	}
}

func ciliumDefinitions(ctx context.Context, w *World) error {
	_, up, err := w.running(ctx, "app.kubernetes.io/name", "cilium-operator")
	if err != nil || !up {
		return err
	}
	for _, d := range ciliumKinds() {
		if w.exists(ctx, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "", d.plural+".cilium.io") {
			continue
		}
		w.once("played: cilium-operator defines %s", d.kind)
		if err := w.Client.Apply(ctx, "cilium-operator", d.object("cilium.io")); err != nil {
			return err
		}
	}
	return nil
}

func (d definition) object(group string) *kube.Object {
	scope, versions := "Cluster", []any{}
	if d.namespaced {
		scope = "Namespaced"
	}
	for i, v := range d.versions {
		versions = append(versions, map[string]any{
			"name": v, "served": true, "storage": i == 0, "subresources": map[string]any{"status": map[string]any{}},
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
		})
	}
	return &kube.Object{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": d.plural + "." + group},
		"spec": map[string]any{
			"group": group, "scope": scope, "versions": versions,
			"names": map[string]any{"kind": d.kind, "listKind": d.kind + "List", "plural": d.plural, "singular": strings.ToLower(d.kind)},
		},
	}}
}
