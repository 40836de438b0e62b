package coldstart

import (
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// probed is what a health script for Applications was seen to do.
type probed struct {
	asked  bool
	hasty  string // says Healthy of an Application that is not: how that one looks
	silent string // never says Healthy of one that is: how that one looks
	strict string // the same of one whose objects were there before its first sync

	through bool // calls Degraded an Application that is
	synced  bool // asks for Synced at the end of a sync
	loose   bool // does not ask for it while a sync runs
	quick   bool // nor before the first one
}

// source is one that a probe's Application asks for and has been compared with.
func probeSource() map[string]any {
	return map[string]any{"repoURL": "https://example.org/r", "path": "p", "targetRevision": "main"}
}

// probe is an Application as the script sees it.
func probe(synced, health, operation string) manifest.Object {
	status := map[string]any{"sync": map[string]any{"status": synced, "comparedTo": map[string]any{"source": probeSource()}}, "health": map[string]any{}}
	if health != "" {
		status["health"] = map[string]any{"status": health}
	}
	if operation != "" {
		status["operationState"] = map[string]any{"phase": operation}
	}
	return manifest.New(map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": map[string]any{"name": "probe", "namespace": "argocd", "generation": int64(1)},
		"spec": map[string]any{"source": probeSource(), "project": "default"}, "status": status,
	})
}

// probeApplications runs the health check for Applications, if there is one, over Applications of known states (argo-cd#6708,
// argo-cd#27917: a child that looks healthy too early; a child that was adopted has no operation).
func (w *world) probeApplications() probed {
	var p probed
	p.asked = true
	early := []struct {
		looks  string
		object manifest.Object
	}{
		{"has no health yet", probe("", "", "")},
		{"is Missing", probe("OutOfSync", "Missing", "Running")},
	}
	if w.in.Version.Has(argocd.MissingNotInHealth) {
		early = append(early, struct {
			looks  string
			object manifest.Object
		}{"is half synced, which this version calls Healthy", probe("OutOfSync", "Healthy", "Running")})
	}
	for _, e := range early {
		if p.hasty == "" && w.says(e.object) == argocd.Healthy {
			p.hasty = e.looks
		}
	}
	p.synced = w.says(probe("OutOfSync", "Healthy", "Succeeded")) != argocd.Healthy
	p.loose = w.says(probe("OutOfSync", "Healthy", "Running")) == argocd.Healthy
	p.quick = p.loose || w.says(probe("OutOfSync", "Healthy", "")) == argocd.Healthy
	p.through = w.says(probe("OutOfSync", "Degraded", "Running")) == argocd.Degraded
	if w.says(probe("Synced", "Healthy", "Succeeded")) != argocd.Healthy {
		p.silent = "is Synced and Healthy"
	}
	if w.says(probe("Synced", "Healthy", "")) != argocd.Healthy {
		p.strict = "was there before its first sync, and so never had an operation"
	}
	return p
}

// script returns what is known of the health script for Applications.
func (w *world) script() probed {
	if !w.probe.asked {
		w.probe = w.probeApplications()
	}
	return w.probe
}

// probeNode applies what was seen to one Application object: a hasty script makes no gate, a silent one an eternal one.
func (w *world) probeNode(n *node) {
	if n.id.Group != "argoproj.io" || n.id.Kind != "Application" || !n.gate {
		return
	}
	child := w.child(n)
	switch w.script(); {
	case len(n.healthy) > 0: // its script is not run
	case n.itself() && n.step < len(n.app.steps)-1:
		if why := w.selfHeld(n); why != "" {
			n.healthy = append(n.healthy, refuses(why))
		}
	case w.probe.hasty != "":
		n.gate = false
	case w.probe.silent != "":
		n.healthy = append(n.healthy, refuses("has a health script in argocd-cm that never calls Healthy what "+w.probe.silent))
	case child != nil && w.in.missed[child.name] != "":
		n.healthy = append(n.healthy, refuses("may be out of sync before its wave looks: an object of it "+w.in.missed[child.name]))
	case w.probe.strict != "" && child != nil && child.in.Bootstrap:
		n.healthy = append(n.healthy, refuses("has a health script in argocd-cm that never calls Healthy what "+w.probe.strict))
	}
}

// itself reports whether an object is the very Application that applies it.
func (n *node) itself() bool {
	own := n.app.in.Object.ID()
	return n.app.on == "" && n.id.Group == own.Group && n.id.Kind == own.Kind && n.id.Name == own.Name && (n.id.Namespace == own.Namespace || own.Namespace == "")
}

// selfHeld says why an Application that applies itself never passes its own step: its health script is asked about an Application that
// is in the middle of its sync, out of sync, and Missing as long as an object of a later step is that counts. Applications that are
// missing do not count, nor does the Application in its own health.
func (w *world) selfHeld(n *node) string {
	health := "Healthy"
	for _, nodes := range n.app.nodes[n.step+1:] {
		for _, later := range nodes {
			if w.missed(later) {
				health = "Missing"
			}
		}
	}
	if w.says(probe("OutOfSync", health, "Running")) == argocd.Healthy {
		return ""
	}
	return "is the Application that applies it, which is OutOfSync and " + health + " until its later waves are applied: its health script does not let this one pass"
}
