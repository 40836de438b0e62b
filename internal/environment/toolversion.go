package environment

import (
	"github.com/Masterminds/semver/v3"
)

// outdated reports whether the fleet asks for another version of this tool. Then nothing else is worth saying: what that
// version understands may be a mistake to this one.
func (m *model) outdated() bool {
	if m.fleet == nil || m.gen.Version == "" {
		return false
	}
	at := m.fleet.doc.find("gen.version")
	wanted, err := semver.NewConstraint(m.gen.Version)
	if err != nil {
		m.c.add(at, "gen.version", "%q is neither a version nor a range of versions; write 0.3.1, or >=0.3, <0.5", m.gen.Version)
		return false
	}
	if m.options.ToolVersion == "" {
		return false
	}
	wanted.IncludePrerelease = true
	have, err := semver.NewVersion(m.options.ToolVersion)
	if err == nil && wanted.Check(have) {
		return false
	}
	m.c.found = nil
	m.c.add(at, "gen.version", "this is gen %s and the fleet is rendered by %s only, so that no other version changes its output; %s",
		m.options.ToolVersion, m.gen.Version, howToGet(m.gen.Version))
	return true
}

// howToGet says how a version of this tool is installed.
func howToGet(version string) string {
	if exact, err := semver.NewVersion(version); err == nil {
		return "run go install github.com/coldstart-gitops/gen/cmd/gen@v" + exact.String()
	}
	return "choose one of https://github.com/coldstart-gitops/gen/releases and run go install github.com/coldstart-gitops/gen/cmd/gen@vX.Y.Z, or change gen.version in a commit of its own"
}
