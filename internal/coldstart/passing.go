package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// glance is the status that an object has for a moment while everything goes as it should.
type glance struct {
	group, kind string
	status      map[string]any
	why         string
	cure        string // what ends it
}

// glances is the table of such statuses. Whether Argo CD calls one Degraded is asked of the health check in force, never assumed.
func glances() []glance {
	return []glance{
		// The API server accepts the names first, and establishes the kind in a second write: at once, or 5 s later where it is
		// told of several API servers (apiextensions-apiserver pkg/controller/status/naming_controller.go,
		// calculateNamesAndConditions; pkg/controller/establish; pkg/apiserver/customresource_handler.go). Reported as
		// argo-cd#25084 and argo-cd#26346; seen on Argo CD 3.2.11.
		{"apiextensions.k8s.io", crd, map[string]any{"conditions": []any{
			map[string]any{"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"},
			map[string]any{"type": "Established", "status": "False", "reason": "Installing", "message": "the initial names have been accepted"},
		}}, "until the API server has established it", argocd.DefinitionHealthKey + " in argocd-cm ends that race (docs/prove.md has the script; gen emits it)"},
		// The operator writes Available=False with a reason that Argo CD's script does not take for a start: StatefulSetNotFound, then
		// NoPodReady (prometheus-operator pkg/operator/statefulset_reporter.go, StatusAndReasonForAvailableCondition; Argo CD
		// resource_customizations/monitoring.coreos.com/Prometheus).
		{"monitoring.coreos.com", "Prometheus", map[string]any{"conditions": []any{
			map[string]any{"type": "Available", "status": "False", "reason": "NoPodReady", "message": ""},
		}}, "until the first of its pods is ready", "a health script of your own for Prometheus that says Progressing until then ends that race"},
	}
}

// glimpse is the moment in which an object may be seen Degraded although all is well, if it has one.
func (w *world) glimpse(n *node) *glance {
	for i, g := range w.table {
		if n.gate && n.id.Group == g.group && n.id.Kind == g.kind && w.says(n.task.Object.Set(g.status, "status")) == argocd.Degraded {
			return &w.table[i]
		}
	}
	return nil
}

// glimpses is what is known of what Applications show for a moment.
type glimpses struct {
	table     []glance
	shows     map[*app]*node
	cameRound int // how often an Application was asked that was being asked
}

// curable reports whether a cure is worth looking for: for every bad end that an order may mend.
func curable(o Outcome) bool {
	return !o.Verdict.Good() && (o.Verdict != Unknown || strings.HasPrefix(o.Axiom, attemptsOf))
}

// patient returns the change of argocd-cm by which CRDs are waited for, where an attempt of any Application may fail for one.
func (w *world) patient() []change {
	if w.in.HealthWith == nil {
		return nil
	}
	list := w.asking()
	fails := slices.ContainsFunc(w.apps, func(a *app) bool {
		return slices.ContainsFunc(a.moments, func(m failure) bool { return m.seen.kind == crd })
	})
	if !fails {
		return list
	}
	health, err := w.in.HealthWith(argocd.DefinitionHealthKey, argocd.DefinitionHealth())
	if err != nil {
		return list // these settings take no entry; what is wrong with them is said elsewhere
	}
	text := "put this entry into argocd-cm, which must be in force before the first sync:\n" + argocd.DefinitionHealthKey + ": |\n  " +
		strings.ReplaceAll(strings.TrimSpace(argocd.DefinitionHealth()), "\n", "\n  ")
	return append(list, change{text: text, size: 1, health: health})
}

// says returns the status that the health check gives an object; none where it has none or fails.
func (w *world) says(o manifest.Object) argocd.HealthStatus {
	health, err := w.in.Health(o)
	if err != nil || health == nil {
		return ""
	}
	return health.Status
}

// doubtGlimpse notes, of each kind of moment, one object of the current step that is waited for and may be seen Degraded in it: Argo CD
// fails the operation then, and only the next one finds the object healthy (docs/decisions/0023).
func (w *world) doubtGlimpse(a *app) {
	first := len(a.moments)
	for _, n := range a.nodes[a.at] {
		seen := w.shown(n)
		if seen == nil || !w.waits(n) || slices.ContainsFunc(a.moments[first:], func(m failure) bool { return m.seen.why == seen.passing.why }) {
			continue
		}
		text := " is Degraded for a moment, " + seen.passing.why + ", and a look in that moment ends the attempt"
		if seen != n {
			text = " is Degraded as long as " + seen.id.String() + " is, for a moment, " + seen.passing.why + ", and a look in that moment ends the attempt"
		}
		a.moments = append(a.moments, failure{node: n, text: text, seen: seen.passing})
	}
}

// shown returns what makes an object Degraded for a moment: itself, or an object of the Application that it creates, where the health
// script for Applications lets that through.
func (w *world) shown(n *node) *node {
	child := w.child(n)
	switch {
	case n.early:
		return nil
	case child == nil && n.passing != nil:
		return n
	case child == nil || !n.gate || !w.passesDegraded():
		return nil
	}
	return w.shownBy(child)
}

// shownBy returns the first object that makes an Application Degraded for a moment. One that stands in a circle shows nothing to itself;
// what others find on the way to it is not kept.
func (w *world) shownBy(a *app) *node {
	if seen, known := w.shows[a]; known {
		return seen
	}
	if a.asked {
		w.cameRound++
		return nil
	}
	before := w.cameRound
	a.asked = true
	seen := w.firstShown(a)
	a.asked = false
	if w.cameRound == before {
		w.shows[a] = seen
	}
	return seen
}

func (w *world) firstShown(a *app) *node {
	for _, nodes := range a.nodes {
		for _, x := range nodes {
			if !overlooked(x) {
				if seen := w.shown(x); seen != nil {
					return seen
				}
			}
		}
	}
	return nil
}

// passesDegraded reports whether the health script for Applications calls one Degraded that is.
func (w *world) passesDegraded() bool {
	return w.script().through
}

// beside returns the CRD of a custom resource that the same step applies: Argo CD waits 3 s for a CRD that it has applied, and goes on
// (gitops-engine pkg/sync/sync_context.go, ensureCRDReady). Seen on Argo CD 3.2.11 with ten large CRDs on a busy machine.
func (w *world) beside(n *node) *node {
	if d := w.definitions[n.key(dotted(n.id))]; d != nil && d.app == n.app && d.step == n.step {
		return d
	}
	return nil
}

// momentNotes warns of what doubtGlimpse found, where the Application tries again.
func (w *world) momentNotes(a *app) []string {
	if limit, _ := a.limit(); limit == 0 {
		return nil // it has ended, and its chain says so
	}
	var notes []string
	for _, m := range a.moments {
		notes = append(notes, "the first attempt may fail, and the next does not: "+m.String()+"; "+m.seen.cure)
	}
	return notes
}

// mayFail lists the objects for which an attempt may fail although the Application is as good as proven: it tries again a moment later.
func (w *world) mayFail(a *app) []Moment {
	var list []Moment
	for _, m := range a.moments {
		list = append(list, Moment{m.node.id, strings.TrimSpace(m.text)})
	}
	for _, nodes := range a.nodes {
		for _, n := range nodes {
			if i := slices.IndexFunc(n.apply, func(k need) bool { return w.lags(k.fact) }); i >= 0 {
				list = append(list, Moment{n.id, "may be refused until the CA of " + n.apply[i].fact.Kind + " " + n.apply[i].fact.Name + " is written"})
			}
			if d := w.beside(n); d != nil {
				list = append(list, Moment{n.id, "may be refused where the API server takes more than 3 s to establish " + d.id.Name})
			}
		}
	}
	return list
}
