package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
)

// stepTitle names a phase and wave as people do.
func stepTitle(phase argocd.Phase, wave int) string {
	if phase == argocd.Sync {
		return fmt.Sprintf("wave %d", wave)
	}
	return fmt.Sprintf("%s wave %d", phase, wave)
}

// lanes returns a lane for each Application that creates others, those above first, and one for all that stand alone.
func lanes(outcomes []coldstart.Outcome) []laneView {
	byName := map[string]coldstart.Outcome{}
	for _, o := range outcomes {
		byName[o.Application] = o
	}
	var list []laneView
	alone := laneView{Name: "applied by a person, side by side"}
	column := columnView{Title: "at once", State: "wide", Gate: gateView{Last: true}}
	for _, o := range outcomes {
		switch {
		case creates(o):
			list = append(list, lane(o, byName))
		case o.Parent == "":
			column.Cards = append(column.Cards, card(o))
		}
	}
	slices.SortStableFunc(list, func(a, b laneView) int { return depth(a.Name, byName) - depth(b.Name, byName) })
	if len(column.Cards) > 0 {
		alone.Columns = []columnView{column}
		list = append(list, alone)
	}
	return list
}

func creates(o coldstart.Outcome) bool {
	return slices.ContainsFunc(o.Stages, func(s coldstart.Stage) bool { return len(s.Children) > 0 })
}

func depth(name string, byName map[string]coldstart.Outcome) int {
	n := 0
	for parent := byName[name].Parent; parent != "" && n < len(byName); parent = byName[parent].Parent {
		n++
	}
	return n
}

func lane(o coldstart.Outcome, byName map[string]coldstart.Outcome) laneView {
	l := laneView{Name: o.Application, Under: o.Parent}
	for i, s := range o.Stages {
		c := columnView{Title: stepTitle(s.Phase, s.Wave), State: state(s.State), More: s.Objects - len(s.Children)}
		for _, name := range s.Children {
			c.Cards = append(c.Cards, card(byName[name]))
		}
		c.More = max(0, c.More)
		c.Gate = gate(s, i == len(o.Stages)-1)
		l.Columns = append(l.Columns, c)
	}
	return l
}

func state(s coldstart.StageState) string { return strings.ReplaceAll(string(s), " ", "-") }

func card(o coldstart.Outcome) cardView {
	c := cardView{Name: o.Application, Verdict: verdictText(o), Tone: tones[o.Verdict], Objects: plural(objectsOf(o), "object"), Bootstrap: o.Bootstrap}
	if o.Ending == coldstart.Absent {
		c.Verdict = "never starts"
	}
	if len(o.Stages) > 1 {
		for _, s := range o.Stages {
			c.Steps = append(c.Steps, stepView{stepTitle(s.Phase, s.Wave), state(s.State)})
		}
	}
	return c
}

// maxHealthy bounds the names of a gate that opens.
const maxHealthy = 4

func gate(s coldstart.Stage, last bool) gateView {
	g := gateView{Last: last, Waits: len(s.Gates), Beyond: s.State == coldstart.NotReached}
	for _, each := range s.Gates {
		name := each.Object.Kind + " " + objectName(each.Object)
		if each.Object.Kind == "Application" {
			name = each.Object.Name
		}
		switch {
		case !each.Well && s.State == coldstart.Stopped:
			g.Never = append(g.Never, name)
		case len(g.Healthy) < maxHealthy:
			g.Healthy = append(g.Healthy, name)
		}
	}
	return g
}
