package generators

// ciliumKinds are the kinds that cilium-operator registers when it starts; the chart holds no CRD of them. The list is that of
// the CRDs which the chart 1.19.4 lets the operator update (templates/cilium-operator/clusterrole.yaml).
var ciliumKinds = []struct {
	kind     string
	versions []string
	scope    string
}{
	{"CiliumBGPAdvertisement", []string{"v2", "v2alpha1"}, "Cluster"},
	{"CiliumBGPClusterConfig", []string{"v2", "v2alpha1"}, "Cluster"},
	{"CiliumBGPNodeConfig", []string{"v2", "v2alpha1"}, "Cluster"},
	{"CiliumBGPNodeConfigOverride", []string{"v2", "v2alpha1"}, "Cluster"},
	{"CiliumBGPPeerConfig", []string{"v2", "v2alpha1"}, "Cluster"},
	{"CiliumCIDRGroup", []string{"v2", "v2alpha1"}, "Cluster"},
	{"CiliumClusterwideEnvoyConfig", []string{"v2"}, "Cluster"},
	{"CiliumClusterwideNetworkPolicy", []string{"v2"}, "Cluster"},
	{"CiliumEgressGatewayPolicy", []string{"v2"}, "Cluster"},
	{"CiliumEndpoint", []string{"v2"}, "Namespaced"},
	{"CiliumEndpointSlice", []string{"v2alpha1"}, "Cluster"},
	{"CiliumEnvoyConfig", []string{"v2"}, "Namespaced"},
	{"CiliumGatewayClassConfig", []string{"v2alpha1"}, "Namespaced"},
	{"CiliumIdentity", []string{"v2"}, "Cluster"},
	{"CiliumL2AnnouncementPolicy", []string{"v2alpha1"}, "Cluster"},
	{"CiliumLoadBalancerIPPool", []string{"v2", "v2alpha1"}, "Cluster"},
	{"CiliumLocalRedirectPolicy", []string{"v2"}, "Namespaced"},
	{"CiliumNetworkPolicy", []string{"v2"}, "Namespaced"},
	{"CiliumNode", []string{"v2"}, "Cluster"},
	{"CiliumNodeConfig", []string{"v2"}, "Namespaced"},
	{"CiliumPodIPPool", []string{"v2alpha1"}, "Cluster"},
}

// ciliumAPIs returns "group/version" and "group/version/Kind" of all of them.
func ciliumAPIs() []string {
	apis := []string{"cilium.io/v2", "cilium.io/v2alpha1"}
	for _, k := range ciliumKinds {
		for _, version := range k.versions {
			apis = append(apis, "cilium.io/"+version+"/"+k.kind)
		}
	}
	return apis
}

// ciliumScopes returns the scope of each kind, as no CRD in the output says it.
func ciliumScopes() map[string]string {
	scopes := map[string]string{}
	for _, k := range ciliumKinds {
		scopes[k.kind+".cilium.io"] = k.scope
	}
	return scopes
}
