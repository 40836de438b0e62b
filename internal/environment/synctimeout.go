package environment

import "time"

// defaultSyncTimeout lies above every bring-up that a person waits for in one go, hand-overs through a night among them: what ends
// an operation earlier strands a cold start (decision 0024).
const defaultSyncTimeout = 24 * time.Hour

// SyncLimit is after how long Argo CD ends an operation by itself; 0 is never.
func (a ArgoCD) SyncLimit() time.Duration {
	if a.SyncTimeout == "" {
		return defaultSyncTimeout
	}
	limit, _ := syncLimit(a.SyncTimeout)
	return limit
}

// syncLimit reads a limit; Argo CD takes whole seconds, and 0 as none.
func syncLimit(text string) (limit time.Duration, ok bool) {
	if text == "none" {
		return 0, true
	}
	limit, err := time.ParseDuration(text)
	return limit, err == nil && limit >= time.Minute && limit%time.Second == 0
}

// checkSyncTimeout holds that the limit is one, and is stated for an Argo CD that this environment sets up.
func (r *resolver) checkSyncTimeout() {
	const field = "argocd.syncTimeout"
	e := r.env
	at, stated := r.winner(field)
	if !stated {
		return
	}
	if e.ArgoCD.In == "hub" || e.ArgoCD.In == "none" {
		if r.height(field) >= r.height("argocd.in") {
			r.c.add(at, field, "means something for in: cluster only, and environment %s has in: %s; state it where that Argo CD is set up", e.Name, e.ArgoCD.In)
		}
		e.ArgoCD.SyncTimeout = ""
		return
	}
	if _, ok := syncLimit(e.ArgoCD.SyncTimeout); !ok {
		r.c.add(at, field, "%q is no time of a minute or more, in whole seconds; write hours and minutes, such as 36h or 90m, or none", e.ArgoCD.SyncTimeout)
	}
}
