package tree

import (
	"cmp"
	"fmt"
	"path"
	"slices"
)

const (
	// recordFolder stands in each environment's folder and holds one record an owner.
	recordFolder = ".gen"
	// environmentRecord is the record of the environment itself; no component has such a name.
	environmentRecord = "_environment"
)

// Owner names who writes a file: a component in an environment or, where Component is empty, the environment itself
// (root.yaml, the AppProject, bootstrap). A component owns its Application as well, so that a run of one component is whole.
type Owner struct{ Environment, Component string }

// String returns "lab/cilium", or "lab" for the environment itself.
func (o Owner) String() string { return path.Join(o.Environment, o.Component) }

// Compare orders owners by environment, then component; the environment itself comes first.
func (o Owner) Compare(other Owner) int {
	return cmp.Or(cmp.Compare(o.Environment, other.Environment), cmp.Compare(o.Component, other.Component))
}

// Command returns the command that writes what the owner owns anew.
func (o Owner) Command() string { return "gen render -e " + o.Environment }

func (o Owner) recordPath() string {
	return path.Join(o.Environment, recordFolder, cmp.Or(o.Component, environmentRecord))
}

func (o Owner) check() error {
	for _, name := range []string{o.Environment, cmp.Or(o.Component, "none")} {
		if !plainName.MatchString(name) || checkSegment(name) != nil {
			return fmt.Errorf("%s: %q cannot name a folder on every file system: use lower-case letters, digits, dots and hyphens", o, name)
		}
	}
	return nil
}

// Scope says for which owners a run answers: it writes all that they own, and removes what they no longer own.
type Scope struct {
	// Environments are names; none means all, those in the folder that are gone from the model as well.
	Environments []string
	// Components are names; none means all, and the environment's own files.
	Components []string
}

// Covers reports whether a run of this scope answers for the owner.
func (s Scope) Covers(o Owner) bool {
	return s.environment(o.Environment) && (len(s.Components) == 0 || slices.Contains(s.Components, o.Component))
}

func (s Scope) environment(name string) bool {
	return len(s.Environments) == 0 || slices.Contains(s.Environments, name)
}
