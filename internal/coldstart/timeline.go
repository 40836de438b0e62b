package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// StageState says how far a sync comes.
type StageState string

// The states of a stage.
const (
	Passed     StageState = "passed"
	Stopped    StageState = "stopped"     // it begins, and never ends
	NotReached StageState = "not reached" // it never begins
)

// Stage is one phase and wave of an Application, as the end of the cold start finds it.
type Stage struct {
	Phase    argocd.Phase
	Wave     int
	State    StageState
	Objects  int
	Children []string // Applications that its objects create, sorted
	Gates    []Gate   // what the next stage waits for, or the end of the sync; what never comes first
}

// Gate is one object that a stage waits for.
type Gate struct {
	Object manifest.ID
	Well   bool // it becomes healthy; else the stage waits for ever, or fails
}

// timeline lays out the stages of an Application.
func (w *world) timeline(a *app) []Stage {
	var list []Stage
	for i, s := range a.steps {
		stage := Stage{Phase: s.Phase, Wave: s.Wave, State: NotReached, Objects: len(a.nodes[i])}
		switch {
		case a.checked && a.at > i:
			stage.State = Passed
		case a.active && a.synced() && a.at == i:
			stage.State = Stopped
		}
		for _, n := range a.nodes[i] {
			stage.Children = append(stage.Children, w.creates(n)...)
			if w.waits(n) || stage.State == Stopped && a.checked && !n.applied {
				stage.Gates = append(stage.Gates, Gate{n.id, n.applied && n.well})
			}
		}
		slices.Sort(stage.Children)
		slices.SortStableFunc(stage.Gates, func(a, b Gate) int { return order(a.Well) - order(b.Well) })
		list = append(list, stage)
	}
	return list
}

func order(well bool) int {
	if well {
		return 1
	}
	return 0
}

// creates names the Applications that an object creates.
func (w *world) creates(n *node) []string {
	var names []string
	if child := w.child(n); child != nil {
		names = append(names, child.name)
	}
	for _, a := range w.generated[n] {
		names = append(names, a.name)
	}
	return names
}
