// Package coldstart tells from final objects and named assumptions how a cold start ends, and why.
package coldstart

import (
	"cmp"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Sync is what one sync of one Application is asked to do.
type Sync struct {
	Namespace string            // the Application's destination
	Objects   []manifest.Object // wanted
	Extra     []manifest.Object // in the cluster and no longer wanted: pruned
	PruneLast bool              // the Application's option; objects may have it too
}

// Task is one object in one phase of a sync.
type Task struct {
	Phase  argocd.Phase
	Wave   int
	Object manifest.Object // as stated: a namespace that is missing is filled in by the engine
	Prune  bool
}

// Step is what the engine does at once: the tasks of one phase and wave.
type Step struct {
	Phase argocd.Phase
	Wave  int
	Tasks []Task
}

// Tasks returns the tasks of the sync in the order in which the engine works on them (gitops-engine pkg/sync/sync_context.go,
// getSyncTasks, and sync_tasks.go, Sort): by phase, wave, kind and name; a Namespace and a CRD are moved in front of the first
// object that needs them, into its phase and wave. What the engine leaves open, the order of objects of equal rank and name, is
// settled by identity. A hook stands once for each of its phases; what no sync applies has no task.
func (s Sync) Tasks() []Task {
	var tasks []Task
	for _, o := range s.Objects {
		for _, phase := range argocd.Phases(o) {
			tasks = append(tasks, Task{Phase: phase, Wave: argocd.Wave(o), Object: o})
		}
	}
	tasks = append(tasks, s.prunes(tasks)...)
	slices.SortStableFunc(tasks, compareTasks)
	pullForward(tasks, definesNamespace, s.livesIn)
	pullForward(tasks, definesKind, isOfKind)
	return tasks
}

// Steps cuts sorted tasks where phase or wave changes.
func Steps(tasks []Task) []Step {
	var steps []Step
	for _, t := range tasks {
		last := len(steps) - 1
		if last < 0 || steps[last].Phase != t.Phase || steps[last].Wave != t.Wave {
			steps = append(steps, Step{Phase: t.Phase, Wave: t.Wave})
			last++
		}
		steps[last].Tasks = append(steps[last].Tasks, t)
	}
	return steps
}

// compareTasks is the engine's order, ties settled by identity.
func compareTasks(a, b Task) int {
	x, y := a.Object.ID(), b.Object.ID()
	return cmp.Or(a.Phase.Compare(b.Phase), cmp.Compare(a.Wave, b.Wave), cmp.Compare(argocd.KindOrder(x.Kind), argocd.KindOrder(y.Kind)),
		cmp.Compare(x.Name, y.Name), x.Compare(y))
}

// prunes returns a task for every extra object. Their waves are turned round, so that what came last goes first: the first wave
// with prunes is swapped with the last, and so on. PruneLast puts a prune behind every wave of the Sync phase.
func (s Sync) prunes(wanted []Task) []Task {
	var tasks []Task
	waves := map[int]int{}
	for _, o := range s.Extra {
		if argocd.IsHook(o) || len(argocd.Phases(o)) == 0 {
			continue
		}
		wave := argocd.Wave(o)
		waves[wave] = wave
		tasks = append(tasks, Task{Phase: argocd.Sync, Wave: wave, Object: o, Prune: true})
	}
	turnRound(waves)
	last := 0
	for i, t := range tasks {
		tasks[i].Wave = waves[t.Wave]
		last = max(last, tasks[i].Wave)
	}
	for _, t := range wanted {
		if t.Phase == argocd.Sync {
			last = max(last, t.Wave)
		}
	}
	for i, t := range tasks {
		if s.PruneLast || slices.Contains(argocd.SyncOptions(t.Object), "PruneLast=true") {
			tasks[i].Wave = last + 1
		}
	}
	return tasks
}

// turnRound maps, in place, the lowest key to the highest, the second lowest to the second highest, and so on.
func turnRound(waves map[int]int) {
	var sorted []int
	for wave := range waves {
		sorted = append(sorted, wave)
	}
	slices.Sort(sorted)
	for i, wave := range sorted {
		waves[wave] = sorted[len(sorted)-1-i]
	}
}

// pullForward moves, in place, every task that defines something in front of the first task that refers to it, and gives it
// that task's phase and wave. It only ever moves forward: where nobody before it refers to what it defines, it stays.
func pullForward(tasks []Task, defines, refers func(manifest.Object) (string, bool)) {
	first := map[string]int{}
	for i, t := range tasks {
		if t.Prune {
			continue
		}
		if key, ok := defines(t.Object); ok {
			if at, referred := first[key]; referred {
				t.Phase, t.Wave = tasks[at].Phase, tasks[at].Wave
				copy(tasks[at+1:i+1], tasks[at:i])
				tasks[at] = t
				shift(first, at)
			}
			continue
		}
		if key, ok := refers(t.Object); ok {
			if _, known := first[key]; !known {
				first[key] = i
			}
		}
	}
}

// shift moves every index from at on by one.
func shift(first map[string]int, at int) {
	for key, i := range first {
		if i >= at {
			first[key] = i + 1
		}
	}
}

func definesNamespace(o manifest.Object) (string, bool) {
	id := o.ID()
	return id.Name, id.Group == "" && id.Kind == "Namespace"
}

// livesIn returns the namespace that the engine sees: objects that state none get the destination's, cluster-scoped ones too.
func (s Sync) livesIn(o manifest.Object) (string, bool) {
	namespace := cmp.Or(o.ID().Namespace, s.Namespace)
	return namespace, namespace != ""
}

func definesKind(o manifest.Object) (string, bool) {
	id := o.ID()
	group, kind := o.String("spec", "group"), o.String("spec", "names", "kind")
	return group + "/" + kind, id.Group == "apiextensions.k8s.io" && id.Kind == "CustomResourceDefinition" && group != "" && kind != ""
}

func isOfKind(o manifest.Object) (string, bool) {
	id := o.ID()
	return id.Group + "/" + id.Kind, true
}
