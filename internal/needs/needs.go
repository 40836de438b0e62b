// Package needs says what an object requires to be applied, requires to be healthy and provides; each rule is one value with
// its reason and its source.
package needs

// Stage says what of an object waits for a need.
type Stage int

// The stages.
const (
	Declared Stage = iota // said by a person, about the whole component
	Apply                 // the API server refuses the object without it
	Health                // the object is applied, but does not become healthy without it
)

// String returns the stage as reports name it.
func (s Stage) String() string { return [...]string{"declared", "apply", "health"}[s] }
