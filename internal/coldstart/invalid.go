package coldstart

import (
	"errors"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// isSet reports whether it stands for an ApplicationSet of which not all is known: it syncs nothing.
func (a *app) isSet() bool { return a.in.Object.ID().Kind == "ApplicationSet" }

// invalid says why Argo CD can compare and sync nothing of an Application that the API server has stored.
func (a *app) invalid() string {
	if len(a.in.Broken) > 0 {
		return "is never synced, since Argo CD can generate none of its manifests: " + a.in.Broken[0]
	}
	if why := argocd.Invalid(a.in.Object); why != "" && len(argocd.Mistakes(a.in.Object)) == 0 { // else it is never stored
		return "is never synced, since " + why + " (InvalidSpecError)"
	}
	return ""
}

// refusedAsIs says why the API server refuses an object whatever else there is.
func refusedAsIs(n *node) string {
	if wrong := argocd.Mistakes(n.task.Object); len(wrong) > 0 {
		return "is refused by the API server: " + wrong[0].String()
	}
	return ""
}

// unjudged is the need of an object whose health script is not run here: that a person says what the script does.
func unjudged(n *node, err error) []need {
	var unrun argocd.Unrun
	if !errors.As(err, &unrun) {
		return nil
	}
	k := refuses("has health that cannot be told: " + unrun.Error() + "; it is not run here")
	k.unless = "health " + dotted(n.id)
	return []need{k}
}
