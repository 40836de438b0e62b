package render

import (
	"fmt"
	"maps"
	"slices"

	"helm.sh/helm/v4/pkg/chart/common"
)

// helmVersion is what .Capabilities.HelmVersion says: the Helm of Argo CD 3.2, whose `helm template` this package equals.
const helmVersion = "v3.18.4"

// capabilities is .Capabilities of the templates. Helm's own type would do, but nobody could see what is asked of it.
type capabilities struct {
	KubeVersion common.KubeVersion
	APIVersions apiVersions
	HelmVersion buildInfo
}

// buildInfo is .Capabilities.HelmVersion.
type buildInfo struct{ Version, GitCommit, GitTreeState, GoVersion string }

// apiVersions is .Capabilities.APIVersions: a list of strings to templates that range over it or search it with `has`. Behind
// its end, within its capacity, stands the *probes that Has writes to: a method of a list has no other place to find it.
type apiVersions []any

// probes are the API versions that templates asked for and did not get.
type probes struct{ absent map[string]bool }

// sorted returns what was asked for in vain.
func (p *probes) sorted() []string { return slices.Sorted(maps.Keys(p.absent)) }

// newAPIVersions returns Helm's base set with more, sorted behind it, and where questions that it answers with no are noted.
func newAPIVersions(more []string) (apiVersions, *probes) {
	all := []any{}
	for _, version := range append(slices.Clone([]string(common.DefaultVersionSet)), slices.Sorted(slices.Values(more))...) {
		if !slices.Contains(all, any(version)) {
			all = append(all, version)
		}
	}
	asked := &probes{absent: map[string]bool{}}
	return append(all, asked)[:len(all)], asked
}

// Has is what templates call.
func (v apiVersions) Has(version string) bool {
	if slices.Contains(v, any(version)) {
		return true
	}
	if asked, ok := v[:cap(v)][len(v)].(*probes); ok {
		asked.absent[version] = true
	}
	return false
}

// newCapabilities returns the capabilities of a cluster of one version.
func newCapabilities(kubernetes string, more []string) (*capabilities, *probes, error) {
	version, err := common.ParseKubeVersion(kubernetes)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the Kubernetes version %q: %w", kubernetes, err)
	}
	versions, asked := newAPIVersions(more)
	return &capabilities{KubeVersion: *version, APIVersions: versions, HelmVersion: buildInfo{Version: helmVersion}}, asked, nil
}
