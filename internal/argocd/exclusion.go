package argocd

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// ExclusionsKey is the argocd-cm key of the kinds that Argo CD does not see at all; where InclusionsKey says anything of a cluster, it
// sees none there but those.
const (
	ExclusionsKey = "resource.exclusions"
	InclusionsKey = "resource.inclusions"
)

// Exclusion is one entry of ExclusionsKey or InclusionsKey; empty lists and "*" stand for all, groups and clusters (addresses of their
// API servers) may hold wildcards.
type Exclusion struct {
	APIGroups, Kinds, Clusters []string
}

// defaultExclusions is what Argo CD ships in argocd-cm from 3.0 on (manifests/base/config/argocd-cm.yaml of v3.2.11).
var defaultExclusions = []Exclusion{
	{APIGroups: []string{"", "discovery.k8s.io"}, Kinds: []string{"Endpoints", "EndpointSlice"}},
	{APIGroups: []string{"coordination.k8s.io"}, Kinds: []string{"Lease"}},
	{APIGroups: []string{"authentication.k8s.io", "authorization.k8s.io"}, Kinds: []string{
		"SelfSubjectReview", "TokenReview", "LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview",
	}},
	{APIGroups: []string{"certificates.k8s.io"}, Kinds: []string{"CertificateSigningRequest"}},
	{APIGroups: []string{"cert-manager.io"}, Kinds: []string{"CertificateRequest"}},
	{APIGroups: []string{"cilium.io"}, Kinds: []string{"CiliumIdentity", "CiliumEndpoint", "CiliumEndpointSlice"}},
	{APIGroups: []string{"kyverno.io", "reports.kyverno.io", "wgpolicyk8s.io"}, Kinds: []string{
		"PolicyReport", "ClusterPolicyReport", "EphemeralReport", "ClusterEphemeralReport", "AdmissionReport",
		"ClusterAdmissionReport", "BackgroundScanReport", "ClusterBackgroundScanReport", "UpdateRequest",
	}},
}

// coreExclusions are compiled in and cannot be taken back by argocd-cm (util/settings/resources_filter.go, 2.14 and 3.2).
var coreExclusions = []Exclusion{
	{APIGroups: []string{"events.k8s.io", "metrics.k8s.io"}},
	{APIGroups: []string{""}, Kinds: []string{"Event"}},
	{APIGroups: []string{"coordination.k8s.io"}, Kinds: []string{"Lease"}},
}

// Filter is what Argo CD sees of a cluster.
type Filter struct{ Inclusions, Exclusions []Exclusion }

// Overlooks reports whether Argo CD sees no objects of a kind on a cluster: what is excluded, even if it is included, and what is not
// included where something is (util/settings/resources_filter.go, IsExcludedResource; the same in 2.14 and 3.2).
func (f Filter) Overlooks(group, kind, server string) bool {
	matches := func(e Exclusion) bool { return e.matches(group, kind, server) }
	about := func(e Exclusion) bool { return anyMatches(e.Clusters, server) }
	switch {
	case slices.ContainsFunc(coreExclusions, matches), slices.ContainsFunc(f.Exclusions, matches):
		return true
	case slices.ContainsFunc(f.Inclusions, matches):
		return false
	}
	return slices.ContainsFunc(f.Inclusions, about)
}

// DefaultExclusions returns the exclusions of a release line as it is shipped.
func DefaultExclusions(v Version) []Exclusion {
	if v.Has(ExclusionsShipped) {
		return defaultExclusions
	}
	return nil
}

// ReadFilter reads what an argocd-cm states under one of the two keys; ok is false where it states nothing.
func ReadFilter(settings manifest.Object, key string) (list []Exclusion, ok bool, err error) {
	text := settings.String("data", key)
	if strings.TrimSpace(text) == "" {
		return nil, false, nil
	}
	// The value is a list, and only maps are read as objects.
	document := "exclusions:\n  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
	objects, _, err := manifest.Decode([]byte(document))
	if err != nil {
		return nil, false, fmt.Errorf("reading %s of %s: %w", key, settings.ID(), err)
	}
	entries, isList := objects[0].Get("exclusions").([]any)
	if !isList {
		return nil, false, fmt.Errorf("reading %s of %s: it must be a list", key, settings.ID())
	}
	for _, entry := range entries {
		fields, _ := entry.(map[string]any)
		list = append(list, Exclusion{texts(fields["apiGroups"]), texts(fields["kinds"]), texts(fields["clusters"])})
	}
	return list, true, nil
}

// matches follows util/settings/filtered_resource.go: an empty list matches all.
func (e Exclusion) matches(group, kind, server string) bool {
	kinds := len(e.Kinds) == 0 || slices.Contains(e.Kinds, "*") || slices.Contains(e.Kinds, kind)
	return kinds && anyMatches(e.APIGroups, group) && anyMatches(e.Clusters, server)
}

// anyMatches matches globs in which * stops at nothing, not even at the slashes of an address.
func anyMatches(patterns []string, text string) bool {
	if len(patterns) == 0 {
		return true
	}
	noSlash := func(s string) string { return strings.ReplaceAll(s, "/", "|") }
	for _, pattern := range patterns {
		if ok, err := path.Match(noSlash(pattern), noSlash(text)); ok && err == nil {
			return true
		}
	}
	return false
}

func texts(list any) []string {
	items, _ := list.([]any)
	var out []string
	for _, item := range items {
		if text, ok := item.(string); ok {
			out = append(out, text)
		}
	}
	return out
}
