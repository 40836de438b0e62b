package coldstart

import "slices"

// rolling is the place of an Application in a RollingSync (argo-cd applicationset/progressivesync): a step starts once every
// Application of the steps before it is Synced and Healthy, which takes no health script for Applications.
type rolling struct {
	set  *node
	step int // -1: no step takes the Application, so nobody syncs it
}

// progressiveSetting turns RollingSync on; as shipped it is off, and all Applications of a set start together.
const progressiveSetting = "applicationsetcontroller.enable.progressive.syncs"

// roll finds the step of every Application that a rolling ApplicationSet makes.
func (w *world) roll() {
	if len(w.generated) == 0 || !w.progressive() {
		return
	}
	for set, apps := range w.generated {
		if set.task.Object.String("spec", "strategy", "type") != "RollingSync" {
			continue
		}
		steps := set.task.Object.List("spec", "strategy", "rollingSync", "steps")
		for _, a := range apps {
			labels := a.in.Object.Map("metadata", "labels")
			a.rolling = &rolling{set, slices.IndexFunc(steps, func(step any) bool {
				selector, _ := step.(map[string]any)
				return matchesSelector(selector, labels)
			})}
		}
	}
}

// progressive reports whether RollingSync is on: where Argo CD is among the objects, it says so; of another one it is believed.
func (w *world) progressive() bool {
	here := false
	for _, n := range w.all {
		if n.id.Kind == "ConfigMap" && n.id.Name == "argocd-cmd-params-cm" {
			here = true
			if n.task.Object.String("data", progressiveSetting) == "true" {
				return true
			}
		}
		if slices.Contains(wordsOf(n), "--enable-progressive-syncs") {
			return true
		}
	}
	return !here
}

// behind returns the Application of an earlier step that holds back this one's step, or nil.
func (w *world) behind(a *app) *app {
	if a.rolling == nil {
		return nil
	}
	for _, b := range w.generated[a.rolling.set] {
		if b.rolling.step >= 0 && b.rolling.step < a.rolling.step && !w.appWell(b) {
			return b
		}
	}
	return nil
}

// appWell reports whether an Application is in sync and healthy.
func (w *world) appWell(a *app) bool {
	return a.done() && a.ill == 0
}
