package imagefield

import "strings"

// untouched reports whether objects of a kind only speak about images: their strings are descriptions, patterns, allow-lists or
// the mirror map itself, and changing them would change a rule instead of a pull.
func untouched(group, kind string) bool {
	if only, ok := untouchedGroups[group]; ok {
		return only == nil || only[kind]
	}
	return group == "" && kind == "Event"
}

// untouchedGroups are the groups that are left alone: all kinds, or those named.
var untouchedGroups = map[string]map[string]bool{
	"apiextensions.k8s.io":           nil,                                                                                       // descriptions and defaults in schemas
	"kyverno.io":                     nil,                                                                                       // patterns
	"policies.kyverno.io":            nil,                                                                                       // patterns
	"templates.gatekeeper.sh":        nil,                                                                                       // patterns
	"constraints.gatekeeper.sh":      nil,                                                                                       // patterns
	"policy.sigstore.dev":            nil,                                                                                       // ClusterImagePolicy: allow-lists
	"admissionregistration.k8s.io":   nil,                                                                                       // expressions of validating policies
	"image.toolkit.fluxcd.io":        nil,                                                                                       // what Flux scans
	"operator.openshift.io":          {"ImageContentSourcePolicy": true},                                                        // the mirror map itself
	"config.openshift.io":            {"ImageDigestMirrorSet": true, "ImageTagMirrorSet": true, "ImageContentPolicy": true},     // the mirror map itself
	"rbac.authorization.k8s.io":      nil,                                                                                       // names, never images
	"cilium.io":                      {"CiliumNetworkPolicy": true, "CiliumClusterwideNetworkPolicy": true},                     // names that pods may reach
	"networking.k8s.io":              nil,                                                                                       // hosts and paths, never images
	"gateway.networking.k8s.io":      nil,                                                                                       // hosts and paths, never images
	"source.toolkit.fluxcd.io":       {"HelmRepository": true, "OCIRepository": true, "GitRepository": true, "HelmChart": true}, // charts and manifests, no images of pods
	"external-secrets.io":            nil,                                                                                       // keys in a store
	"generators.external-secrets.io": nil,                                                                                       // credentials
}

// skipped reports whether a field of an object is never looked at: what the cluster writes, and copies of what was applied.
func skipped(at path, key string) bool {
	switch {
	case len(at) == 0:
		return key == "status"
	case len(at) == 1 && at[0].key == "metadata":
		return key == "managedFields" || key == "labels"
	case len(at) == 2 && at[0].key == "metadata" && at[1].key == "annotations":
		return key == "kubectl.kubernetes.io/last-applied-configuration" || strings.HasPrefix(key, "artifacthub.io/") || key == "helm.sh/images"
	}
	return false
}
