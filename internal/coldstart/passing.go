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
		}}, "until the API server has established it"},
	}
}

// glimpse says why an object may be seen Degraded although all is well, or nothing.
func (w *world) glimpse(n *node) string {
	for _, g := range glances() {
		if n.gate && n.id.Group == g.group && n.id.Kind == g.kind && w.says(n.task.Object.Set(g.status, "status")) == argocd.Degraded {
			return g.why
		}
	}
	return ""
}

// curable reports whether a cure is worth looking for: for every bad end that an order may mend.
func curable(o Outcome) bool {
	return !o.Verdict.Good() && (o.Verdict != Unknown || strings.HasPrefix(o.Axiom, "attempts "))
}

// patient returns the change of argocd-cm by which CRDs are waited for, where an attempt of any Application may fail for one.
func (w *world) patient() []change {
	fails := slices.ContainsFunc(w.apps, func(a *app) bool { return len(a.moments) > 0 })
	if !fails || w.in.HealthWith == nil {
		return nil
	}
	health, err := w.in.HealthWith(argocd.DefinitionHealthKey, argocd.DefinitionHealth())
	if err != nil {
		return nil // these settings take no entry; what is wrong with them is said elsewhere
	}
	text := "put this entry into argocd-cm, which must be in force before the first sync:\n" + argocd.DefinitionHealthKey + ": |\n  " +
		strings.ReplaceAll(strings.TrimSpace(argocd.DefinitionHealth()), "\n", "\n  ")
	return []change{{text: text, health: health}}
}

// says returns the status that the health check gives an object; none where it has none or fails.
func (w *world) says(o manifest.Object) argocd.HealthStatus {
	health, err := w.in.Health(o)
	if err != nil || health == nil {
		return ""
	}
	return health.Status
}

// doubtGlimpse notes an object of the current step that is waited for and may be seen Degraded in its moment: Argo CD fails the
// operation then, and only the next one finds the object healthy (docs/decisions/0023).
func (w *world) doubtGlimpse(a *app) {
	for _, n := range a.nodes[a.at] {
		if seen := w.shown(n, nil); seen != nil && w.waits(n) {
			text := " is Degraded for a moment, " + seen.passing + ", and a look in that moment ends the attempt"
			if seen != n {
				text = " is Degraded as long as " + seen.id.String() + " is, for a moment, " + seen.passing + ", and a look in that moment ends the attempt"
			}
			a.moments = append(a.moments, failure{n, text})
			return
		}
	}
}

// shown returns what makes an object Degraded for a moment: itself, or an object of the Application that it creates, where the health
// script for Applications lets that through.
func (w *world) shown(n *node, above []*app) *node {
	child := w.child(n)
	switch {
	case n.early:
		return nil
	case child == nil && n.passing != "":
		return n
	case child == nil || !n.gate || slices.Contains(above, child) || !w.passesDegraded():
		return nil
	}
	for _, nodes := range child.nodes {
		for _, x := range nodes {
			if seen := w.shown(x, append(above, child)); seen != nil && !overlooked(x) {
				return seen
			}
		}
	}
	return nil
}

// passesDegraded reports whether the health script for Applications calls one Degraded that is.
func (w *world) passesDegraded() bool {
	if !w.probe.asked {
		w.probe = w.probeApplications()
	}
	return w.probe.through
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
		notes = append(notes, "the first attempt may fail, and the next does not: "+m.String()+
			"; "+argocd.DefinitionHealthKey+" in argocd-cm ends that race (docs/prove.md has the script; gen emits it)")
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
