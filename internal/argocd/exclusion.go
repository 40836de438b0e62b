package argocd

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// ExclusionsKey is the argocd-cm key of the kinds that Argo CD does not see at all.
const ExclusionsKey = "resource.exclusions"

// Exclusion is one entry of ExclusionsKey; empty lists and "*" stand for all, groups may hold wildcards. An entry
// with clusters is about some clusters only.
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

// CoreExclusions returns the exclusions that no setting takes back.
func CoreExclusions() []Exclusion { return coreExclusions }

// DefaultExclusions returns the exclusions of a release line as it is shipped.
func DefaultExclusions(v Version) []Exclusion {
	if v.Has(ExclusionsShipped) {
		return defaultExclusions
	}
	return nil
}

// ReadExclusions reads the exclusions that an argocd-cm states; ok is false where it states none.
func ReadExclusions(settings manifest.Object) (list []Exclusion, ok bool, err error) {
	text := settings.String("data", ExclusionsKey)
	if strings.TrimSpace(text) == "" {
		return nil, false, nil
	}
	// The value is a list, and only maps are read as objects.
	document := "exclusions:\n  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
	objects, _, err := manifest.Decode([]byte(document))
	if err != nil {
		return nil, false, fmt.Errorf("reading %s of %s: %w", ExclusionsKey, settings.ID(), err)
	}
	entries, isList := objects[0].Get("exclusions").([]any)
	if !isList {
		return nil, false, fmt.Errorf("reading %s of %s: it must be a list", ExclusionsKey, settings.ID())
	}
	for _, entry := range entries {
		fields, _ := entry.(map[string]any)
		list = append(list, Exclusion{texts(fields["apiGroups"]), texts(fields["kinds"]), texts(fields["clusters"])})
	}
	return list, true, nil
}

// Matches reports whether Argo CD overlooks objects of the kind on every cluster (util/settings/filtered_resource.go:
// an empty list matches all).
func (e Exclusion) Matches(group, kind string) bool {
	kinds := len(e.Kinds) == 0 || slices.Contains(e.Kinds, "*") || slices.Contains(e.Kinds, kind)
	return len(e.Clusters) == 0 && anyMatches(e.APIGroups, group) && kinds
}

func anyMatches(patterns []string, text string) bool {
	if len(patterns) == 0 {
		return true
	}
	for _, pattern := range patterns {
		if ok, err := path.Match(pattern, text); ok && err == nil {
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
