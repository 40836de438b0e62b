package coldstart

import (
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// app is one Application in the simulation.
type app struct {
	in         Application
	name       string
	parent     *node // the Application object in another Application; nil for a root
	steps      []Step
	nodes      [][]*node   // by step
	active     bool        // its Application object is there
	checked    bool        // its dry run passed
	at         int         // the step it is at
	failures   []failure   // what made attempts fail, or may
	moments    []failure   // what may make one fail for nothing but a moment
	rolling    *rolling    // its place in a RollingSync; nil where it has none
	on         string      // the key of the cluster that it writes to
	cluster    cluster     // that it writes to
	registered manifest.ID // the Secret by which Argo CD knows that cluster; zero where none is among the objects
	strange    bool        // nobody is known to register that cluster
	disabled   bool        // syncPolicy.automated.enabled is false, and Argo CD knows the field
	circle     string      // the Application that creates it and that it creates itself, or through others; "" where none does
	withheld   string      // the Application that would make it, whose kind Argo CD overlooks
	balks      bool        // another Application has taken an object from it, and it refuses to share: every attempt to heal fails
	begin      []need      // without which no sync of it begins
	barred     string      // why its project lets it sync nothing
	closed     string      // why Argo CD never syncs it
	excluded   []manifest.ID
	skipped    []manifest.Object   // that no sync applies
	idleHooks  []manifest.ID       // that never run, since the Application is nothing but hooks
	repeated   []manifest.ID       // of which an earlier one does not count
	maker      *node               // the namespace that its sync makes; nil where it makes none
	kinds      map[needs.Fact]bool // that CRDs among its objects bring
	waitsLast  bool                // all of its last step is waited for
	progress
}

// progress is how far the sync of an Application is, beside its step.
type progress struct {
	number    int       // among all
	depth     int       // below the one that a person applies, which is at 1
	object    *node     // that creates it, in a circle too
	asked     bool      // what it shows for a moment is being asked
	tried     bool      // the dry run has been tried
	refused   []blocker // what it found wrong, but for what has been cured since
	pending   agenda    // of the current step, what may be applied
	passed    int       // how many of the current step are known to let it pass
	ill       int       // how many objects keep it from being well
	waiting   *await    // what it waits for, the last time that it was looked at
	followers []*app    // of later steps of its ApplicationSet, which wait until it is well
}
